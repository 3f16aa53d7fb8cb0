import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CheckReport } from '../../src/store/check/report.js';
import { changeFile, filesOf, newestLog } from '../support/level-folder.js';
import { run, startServer, temporaryFolder } from '../support/run-cli.js';

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
  let found = 0;
  for (let n = 0; n < itemCount; n++) {
    const answer = await fetch(`${accepting.url}/v1/demo/base/items/${n}`, { headers });
    if (answer.status === 200) found++;
    await answer.arrayBuffer();
  }
  assert.ok(found > 0 && found < itemCount, `${found} items are left`);
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
  const report = JSON.parse(repair.out) as CheckReport;
  assert.deepEqual([report.files, report.quarantine], [2, 1]);
  const [blob = ''] = await readdir(report.quarantineFolder ?? '');
  const bytes = await readFile(join(report.quarantineFolder ?? '', blob));
  assert.ok(bytes.equals(Buffer.alloc(300_000, 'victim')));

  const again = await startServer(context, options);
  const answer = await fetch(`${again.url}/v1/demo/drive/files/download?name=last`, { headers });
  assert.equal((await answer.arrayBuffer()).byteLength, 300_000);
});

test('a table that is damaged while the server runs: check finds it, and from then on nothing is served', async (context) => {
  const folder = await temporaryFolder(context);
  const options = ['--data', folder, '--key', 'demo_s3cret'];
  const first = await startServer(context, options);
  const body = JSON.stringify({ items: [{ key: 'k', text: 'x'.repeat(20_000) }] });
  await (await fetch(`${first.url}/v1/demo/base/items`, { method: 'PUT', headers, body })).arrayBuffer();
  await first.stop();
  // Opening the store writes the log's rows into a table.
  const server = await startServer(context, options);
  const get = async (path: string) => {
    const answer = await fetch(`${server.url}${path}`, { headers });
    return { status: answer.status, body: await answer.text() };
  };
  assert.equal((await get('/v1/demo/base/items/k')).status, 200);
  const [table = ''] = await filesOf(join(folder, 'rows'), '.ldb');
  await changeFile(table, (bytes) => {
    bytes[100]! ^= 1;
    return bytes;
  });

  const check = await run(['check', '--data', folder]);
  assert.equal(check.code, 1, check.err);
  assert.match(check.out, /\.ldb, byte 0\b.*checksum of the block does not match/);
  assert.match(check.out, /The rows are damaged: /);
  assert.equal((await get('/v1/demo/base/items/k')).status, 503);
  assert.deepEqual(await get('/ready'), {
    status: 503,
    body: '{"errors":["The rows are damaged: see the log"]}',
  });
  assert.equal((await get('/health')).status, 200);
  await server.stop();

  const refused = await run(['--port', '0', '--data', folder]);
  assert.equal(refused.code, 2);
  assert.match(
    refused.err,
    /^basedrive: The rows are damaged: [^\n]+\.ldb, byte 0: [^\n]+\. Restore a backup\n$/,
  );
  const accepting = await startServer(context, [...options, '--accept-damaged-rows']);
  assert.equal((await fetch(`${accepting.url}/v1/demo/base/items/k`, { headers })).status, 404);
});
