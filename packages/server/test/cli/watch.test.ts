import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { main, run, startServer, temporaryFolder } from '../support/run-cli.js';

const key = 'demo_s3cret';

test('watch prints what changes, with every digit, and ends when it is interrupted', async (context) => {
  const folder = await temporaryFolder(context);
  const { url } = await startServer(context, ['--data', folder, '--key', key]);
  const put = async (body: string) => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}/v1/demo/users/items`, { method: 'PUT', headers, body });
    assert.equal(answer.status, 207);
  };
  await put('{"items":[{"key":"a","big":9007199254740993}]}');
  const words = ['watch', '--url', url, '--base', 'users', '--since', '0', '--cursors'];
  const watching = spawn(process.execPath, [main, ...words], {
    env: { ...process.env, BASEDRIVE_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  context.after(() => watching.kill('SIGKILL'));
  const lines = createInterface(watching.stdout)[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value as string;
  assert.equal(
    await next(),
    '{"base":"users","key":"a","type":"put","item":{"key":"a","big":9007199254740993}}',
  );
  assert.match(await next(), /^\{"cursor":"[\w-]+"\}$/);
  const live = await next();
  await put('{"items":[{"key":"b"}]}');
  assert.match(await next(), /^\{"base":"users","key":"b","type":"put","item":\{"key":"b"\},"tx":"\d+"\}$/);
  watching.kill('SIGINT');
  const [code] = await once(watching, 'exit');
  assert.equal(code, 130);

  const { cursor } = JSON.parse(live) as { cursor: string };
  const bad = await run(['watch', '--url', url, '--since', `${cursor}x`], { BASEDRIVE_KEY: key });
  assert.equal(bad.code, 2);
  assert.match(bad.err, /since: must be 0, or a cursor that an answer gave/);
  const wrong = await run(['watch', '--url', url, '--query', '3'], { BASEDRIVE_KEY: key });
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /--query 3: must be JSON/);
  const rounded = await run(['watch', '--url', url, '--query', '{"n":0.12345678901234567}'], {
    BASEDRIVE_KEY: key,
  });
  assert.equal(rounded.code, 2);
  assert.match(rounded.err, /--query .*: 0\.12345678901234567 has more digits than a 64-bit float/);
});

test('a server that keeps no changes says so', async (context) => {
  const { url } = await startServer(context, ['--memory', '--key', key, '--keep-changes', '0s']);
  const answer = await fetch(`${url}/v1/demo/changes`, { headers: { 'X-API-Key': key } });
  assert.equal(answer.status, 404);
  assert.match(await answer.text(), /changes_not_kept/);
});

test('what an import writes while no server runs is in the feed; a copy has a feed of its own', async (context) => {
  const folder = await temporaryFolder(context);
  const data = `${folder}/data`;
  const open = () => startServer(context, ['--data', data, '--key', key]);
  const page = async (url: string, parameters: string) => {
    const answer = await fetch(`${url}/v1/demo/changes?${parameters}`, { headers: { 'X-API-Key': key } });
    return {
      status: answer.status,
      ...((await answer.json()) as { cursor: string; changes: { key: string }[] }),
    };
  };
  const first = await open();
  const { cursor } = await page(first.url, '');
  await first.stop();
  const { writeFile } = await import('node:fs/promises');
  await writeFile(`${folder}/users.ndjson`, '{"key":"imported"}\n');
  const imported = await run([
    'import',
    `${folder}/users.ndjson`,
    '--base',
    'users',
    '--project',
    'demo',
    '--data',
    data,
  ]);
  assert.equal(imported.code, 0, imported.err);
  const second = await open();
  assert.deepEqual(
    (await page(second.url, `since=${cursor}`)).changes.map((change) => change.key),
    ['imported'],
  );
  await second.stop();
  const copied = await run(['copy', '--from', data, '--to', `${folder}/copy`]);
  assert.equal(copied.code, 0, copied.err);
  const { url } = await startServer(context, ['--data', `${folder}/copy`, '--key', key]);
  assert.equal((await page(url, `since=${cursor}`)).status, 410);
  assert.deepEqual(
    (await page(url, 'since=0')).changes.map((change) => change.key),
    ['imported'],
  );
});
