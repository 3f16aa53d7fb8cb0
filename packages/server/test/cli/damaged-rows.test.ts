import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { CheckReport } from '../../src/store/check/report.js';
import { withDestination } from '../../src/store/copy/places.js';
import { memoryStore, putItems, rowsOf } from '../support/copy-fixture.js';
import { changeFile, filesOf, newestLog } from '../support/level-folder.js';
import { run, startServer, temporaryFolder } from '../support/run-cli.js';
import { contentOf } from '../support/served-copy.js';
import { noted, startStandby } from '../support/standby.js';

const headers = { 'X-API-Key': 'demo_s3cret', 'Content-Type': 'application/json' };
const itemCount = 100;

test('damaged rows are refused by every command, and opened without what is damaged if the operator accepts that', async (context) => {
  const folder = await temporaryFolder(context);
  const options = ['--data', folder, '--key', 'demo_s3cret'];
  const server = await startServer(context, options);
  for (let n = 0; n < itemCount; n++) {
    const body = JSON.stringify({ items: [{ key: String(n), text: 'x'.repeat(200) }] });
    await (await fetch(`${server.url}/v1/demo/base/items`, { method: 'PUT', headers, body })).arrayBuffer();
  }
  await server.stop();
  await changeFile(await newestLog(join(folder, 'rows')), (log) => {
    log[10_000]! ^= 1;
    return log;
  });

  for (const command of [['--port', '0'], ['check'], ['keys', 'list']]) {
    const { code, err } = await run([...command, '--data', folder]);
    assert.equal(code, 2, err);
    assert.match(err, /^basedrive: The rows are damaged: [^\n]+\. Restore a backup\n$/);
  }
  const accepting = await startServer(context, [...options, '--accept-damaged-rows']);
  await accepting.said(
    /^Warning: the rows were damaged, .* is lost: \S+\.log, byte \d+: .* \.damaged after/m,
  );
  let found = 0;
  for (let n = 0; n < itemCount; n++) {
    const answer = await fetch(`${accepting.url}/v1/demo/base/items/${n}`, { headers });
    if (answer.status === 200) found++;
    await answer.arrayBuffer();
  }
  assert.ok(found > 0 && found < itemCount, `${found} items are left`);
});

test('rows that LevelDB itself cannot open are refused with the advice to restore a backup', async (context) => {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder]);
  await server.stop();
  const rows = join(folder, 'rows');
  const list = (await readFile(join(rows, 'CURRENT'), 'utf8')).trim();
  await changeFile(join(rows, list), () => Buffer.alloc(0));
  for (const [options, message] of [
    [[], /^basedrive: The rows are damaged: \S+MANIFEST-\d+: it is cut off\. Restore a backup\n$/],
    [
      ['--accept-damaged-rows'],
      /^basedrive: The rows in \S+ cannot be opened: Corruption: .*\. Restore a backup\n$/,
    ],
  ] as const) {
    const { code, err } = await run(['--port', '0', '--data', folder, ...options]);
    assert.equal(code, 2, err);
    assert.match(err, message);
  }
});

test('check --repair keeps the bytes of lost rows in quarantine, and the server starts as usual afterwards', async (context) => {
  const folder = await temporaryFolder(context);
  const options = ['--data', folder, '--key', 'demo_s3cret'];
  const server = await startServer(context, options);
  for (const name of ['first', 'victim', 'last']) {
    const url = `${server.url}/v1/demo/drive/files?name=${name}`;
    const body = Buffer.alloc(300_000, name);
    assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 201);
  }
  await server.stop();
  await changeFile(await newestLog(join(folder, 'rows')), (log) => {
    const at = log.indexOf('name/victim');
    assert.ok(at > 0);
    log[at]! ^= 1;
    return log;
  });

  const repair = await run(['check', '--repair', '--accept-damaged-rows', '--json', '--data', folder]);
  assert.equal(repair.code, 0, repair.err);
  const lost =
    /^basedrive: warning: the rows were damaged, and what could not be read of them is lost: \S+\.log, byte/m;
  assert.match(repair.err, lost);
  const report = JSON.parse(repair.out) as CheckReport;
  assert.deepEqual([report.files, report.quarantine], [2, 1]);
  const [blob = ''] = await readdir(report.quarantineFolder ?? '');
  const bytes = await readFile(join(report.quarantineFolder ?? '', blob));
  assert.ok(bytes.equals(Buffer.alloc(300_000, 'victim')));

  const again = await startServer(context, options);
  const answer = await fetch(`${again.url}/v1/demo/drive/files/download?name=last`, { headers });
  assert.equal((await answer.arrayBuffer()).byteLength, 300_000);
});

test('a standby whose damaged rows were accepted is compared again, since no log has what it lost', async (context) => {
  const folder = await temporaryFolder(context);
  const source = await memoryStore(context);
  await putItems(source, 'plain', ['first', 'victim', 'last']);
  const log = await noted(source);
  const follow = () =>
    withDestination({ dataFolder: folder }, {}, async (destination) => {
      const standby = startStandby(context, source, destination, { log });
      await standby.even();
      await standby.stop();
    });
  await follow();
  await changeFile(await newestLog(join(folder, 'rows')), (bytes) => {
    const at = bytes.lastIndexOf('victim');
    assert.ok(at > 0);
    bytes[at]! ^= 1;
    return bytes;
  });
  const repair = await run(['check', '--repair', '--accept-damaged-rows', '--data', folder]);
  assert.match(repair.err, /is lost/);
  await follow();
  const [rows] = await contentOf(folder);
  assert.deepEqual(rows, await rowsOf(source));
});

test('a table that is damaged while the server runs: what it held is not served, log and check name it, everything else is served', async (context) => {
  const folder = await temporaryFolder(context);
  const options = ['--data', folder, '--key', 'demo_s3cret'];
  const first = await startServer(context, options);
  const send = async (url: string, path: string, method = 'GET', body?: string) => {
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) });
    return { status: answer.status, body: await answer.text() };
  };
  // Each is larger than a block.
  const text = (key: string) => JSON.stringify({ key, text: `${key}-`.repeat(10_000) });
  for (const key of ['first', 'second', 'third'])
    await send(first.url, '/v1/demo/base/items', 'PUT', `{"items":[${text(key)}]}`);
  await first.stop();
  // Opening the store writes the log's rows into a table.
  const server = await startServer(context, options);
  const call = (path: string, method?: string, body?: string) => send(server.url, path, method, body);
  const [table = ''] = await filesOf(join(folder, 'rows'), '.ldb');
  await changeFile(table, (bytes) => {
    const at = bytes.indexOf('second-');
    assert.ok(at > 0);
    bytes[at]! ^= 1;
    return bytes;
  });
  const damaged = {
    status: 500,
    body: '{"errors":["Stored data is damaged"],"codes":[{"code":"damaged_data"}]}',
  };
  assert.deepEqual(await call('/v1/demo/base/items/second'), damaged);
  // The place is looked for in the background. Once it is known, a page tells where it ends.
  const located = damaged.body.replace('"damaged_data"', '"damaged_data","until":"second"');
  let page = await call('/v1/demo/base/query', 'POST', '{}');
  while (page.body === damaged.body) {
    await setTimeout(10);
    page = await call('/v1/demo/base/query', 'POST', '{}');
  }
  assert.deepEqual(page, { status: 500, body: located });
  assert.deepEqual(await call('/v1/demo/base/items/first'), { status: 200, body: text('first') });
  assert.deepEqual(await call('/v1/demo/base/items/third'), { status: 200, body: text('third') });
  const after = await call('/v1/demo/base/query', 'POST', '{"query":{"key?gt":"second"}}');
  assert.equal(after.status, 200);
  assert.equal((await call('/v1/demo/base/items', 'PUT', '{"items":[{"key":"zero"}]}')).status, 207);
  assert.equal((await call('/ready')).status, 200);

  const check = await run(['check', '--data', folder]);
  assert.equal(check.code, 1, check.err);
  assert.match(check.out, /\.ldb, byte \d+\b.*checksum of the block does not match/);
  assert.match(check.out, /base\/demo\/base.*second/);
  assert.doesNotMatch(check.out, /first|third/);
  await server.stop();
  const line = server
    .out()
    .split('\n')
    .find((found) => found.includes('the rows are damaged'));
  assert.match(
    line ?? '',
    /"space":"base\/demo\/base","key":"second","problem":"its checksum does not match"/,
  );

  const refused = await run(['--port', '0', '--data', folder]);
  assert.equal(refused.code, 2);
  assert.match(
    refused.err,
    /^basedrive: The rows are damaged: [^\n]+\.ldb, byte \d+: [^\n]+\. Restore a backup\n$/,
  );
  const accepting = await startServer(context, [...options, '--accept-damaged-rows']);
  for (const [key, status] of Object.entries({ first: 200, second: 404, third: 200, zero: 200 })) {
    assert.equal((await send(accepting.url, `/v1/demo/base/items/${key}`)).status, status, key);
  }
});
