import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { run, startServer, temporaryFolder } from '../../support/run-cli.js';

const fixture = fileURLToPath(new URL('../../../../test/store/fixtures/format-2.tar.gz', import.meta.url));
/** The key that the old server had created. */
const createdKey = 'demo_WA7OapFs4QMMDUpl2tEz3fgyiru3mqfj';
const partBytes = 5_242_880;

async function oldStore(context: TestContext): Promise<string> {
  const folder = join(await temporaryFolder(context), 'data');
  await mkdir(folder, { mode: 0o700 });
  await promisify(execFile)('tar', ['-xzf', fixture, '-C', folder]);
  return folder;
}

/** The bytes that the old server was given, from a formula. */
function formulaBytes(length: number, factor: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (index * factor + (index >> 8)) & 255));
}

async function openOld(context: TestContext) {
  const folder = await oldStore(context);
  const { url } = await startServer(context, ['--data', folder]);
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { 'X-Api-Key': createdKey, 'Content-Type': 'application/json' };
    return await fetch(`${url}/v1/demo/${path}`, { headers, ...init });
  };
  return { folder, call };
}

test('a store of the oldest format has every item, to the digit', async (context) => {
  const { call } = await openOld(context);
  assert.equal(
    await (await call('people/items/ada')).text(),
    '{"key":"ada","name":"Ada","age":37,"big":9007199254740991,"small":1e-7,' +
      '"home":{"10":1,"2":[null,true,"ü"]}}',
  );
  assert.equal(
    await (await call(`people/items/${encodeURIComponent('ålan/🎲')}`)).text(),
    '{"key":"ålan/🎲","list":[1,2,{"a":[]}]}',
  );
  assert.equal(await (await call('people/items/later')).text(), '{"key":"later","__expires":4102444800}');
  const page = await call('numbers/query', { method: 'POST', body: '{"limit":1000}' });
  const { items } = (await page.json()) as { items: { key: string; n: number }[] };
  assert.deepEqual(
    items.map(({ n }) => n),
    Array.from({ length: 300 }, (_, n) => n).filter((n) => n !== 7),
  );
});

test('a store of the oldest format has every file, to the byte', async (context) => {
  const { call } = await openOld(context);
  const bytesOf = async (name: string) => {
    const answer = await call(`pictures/files/download?name=${encodeURIComponent(name)}`);
    assert.equal(answer.status, 200, name);
    return Buffer.from(await answer.arrayBuffer());
  };
  assert.equal((await bytesOf('small.txt')).toString(), 'hello');
  assert.deepEqual(await bytesOf('a/large.bin'), formulaBytes(20_000, 7));
  assert.deepEqual(
    await bytesOf('parts'),
    Buffer.concat([Buffer.alloc(partBytes, 'basedrive'), formulaBytes(50, 5)]),
  );
});

test('doctor leaves the format as it is; a server raises it, so that no earlier version misreads what it writes', async (context) => {
  const folder = await oldStore(context);
  const format = async () => (await readFile(join(folder, 'FORMAT'), 'utf8')).trim();
  await run(['doctor', '--port', '0', '--data', folder]);
  assert.equal(await format(), '2');
  const { url } = await startServer(context, ['--data', folder]);
  assert.equal(await format(), '5');
  const headers = { 'X-Api-Key': createdKey, 'Content-Type': 'application/json' };
  const body = '{"items":[{"key":"ada","new":true}]}';
  assert.equal((await fetch(`${url}/v1/demo/people/items`, { method: 'PUT', headers, body })).status, 207);
  const page = await fetch(`${url}/v1/demo/people/query`, { method: 'POST', headers, body: '{}' });
  const { items } = (await page.json()) as { items: { key: string }[] };
  assert.deepEqual(
    items.map(({ key }) => key),
    ['ada', 'later', 'ålan/🎲'],
  );
});

test('a store of the oldest format passes `check`, its keys are listed, and it takes what is new', async (context) => {
  const folder = await oldStore(context);
  const { code, out } = await run(['check', '--data', folder]);
  assert.equal(code, 0);
  // The upload was begun when the fixture was made, so it is out of date from a day later on.
  assert.match(
    out,
    /^Read 302 items, 3 files and 1 part of 1 open upload; .*\n(1 upload is out of date: .*\n)?Nothing is wrong\n$/,
  );
  assert.match((await run(['keys', 'list', '--data', folder])).out, /^jh4zgt1u8k5s +demo /m);
  const { url } = await startServer(context, ['--data', folder]);
  const headers = { 'X-Api-Key': createdKey, 'Content-Type': 'application/json' };
  const moved = await fetch(`${url}/v1/demo/pictures/files/move`, {
    method: 'POST',
    headers,
    body: '{"files":[{"from":"a/large.bin","to":"b/large.bin"}]}',
  });
  assert.equal(moved.status, 200);
});
