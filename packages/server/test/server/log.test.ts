import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startServer, temporaryFolder } from '../support/run-cli.js';

test('one JSON line a request, written out at the end at the latest, without keys and bodies', async (context) => {
  const server = await startServer(context, ['--memory', '--key', 'demo_s3cret']);
  const headers = { 'X-API-Key': 'demo_s3cret', 'Content-Type': 'application/json' };
  const body = JSON.stringify({ items: [{ key: 'a', text: 'b0dy' }] });
  const put = await fetch(`${server.url}/v1/demo/base/items`, { method: 'PUT', headers, body });
  assert.equal(put.status, 207);
  await put.arrayBuffer();
  const wrong = await fetch(`${server.url}/v1/demo/base/items/a`, { headers: { 'X-API-Key': 'demo_wr0ng' } });
  await wrong.arrayBuffer();
  assert.equal(await server.stop(), 0);

  const lines = server
    .out()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(lines.length, 2);
  const [line, refused] = lines;
  assert.equal(line.requestId, put.headers.get('x-request-id'));
  assert.deepEqual([line.method, line.status, line.project], ['PUT', 207, 'demo']);
  assert.ok(line.durationMs >= 0 && line.bytes > 0 && !Number.isNaN(Date.parse(line.time)));
  assert.equal(refused.status, 401);
  for (const secret of ['s3cret', 'wr0ng', 'b0dy']) assert.ok(!server.out().includes(secret), secret);
});

test('the log level decides what is written', async (context) => {
  const server = await startServer(context, ['--memory', '--key', 'demo_s3cret', '--log-level', 'error']);
  await (await fetch(`${server.url}/health`)).arrayBuffer();
  assert.equal(await server.stop(), 0);
  assert.equal(server.out(), '');
});

test('a line is out a second later, without any end', async (context) => {
  const server = await startServer(context, ['--memory', '--key', 'demo_s3cret']);
  await (await fetch(`${server.url}/health`)).arrayBuffer();
  await new Promise((resolve) => server.child.stdout?.once('data', resolve));
  assert.match(server.out(), /"route":"\/health"/);
});

/** The log of a server whose blobs are taken away, and the id of the request that fails upon that. */
async function logOfFailure(context: TestContext, level: string) {
  const folder = await temporaryFolder(context);
  const key = 'demo_s3cret';
  const server = await startServer(context, ['--data', folder, '--key', key, '--log-level', level]);
  const headers = { 'X-API-Key': key };
  const file = `${server.url}/v1/demo/drive/files?name=nameOfFile`;
  const put = await fetch(file, { method: 'POST', headers, body: Buffer.alloc(1_000_000) });
  assert.equal(put.status, 201);
  await rm(join(folder, 'blobs'), { recursive: true });
  const failed = await fetch(file.replace('files', 'files/download'), { headers });
  assert.equal(failed.status, 503);
  await failed.arrayBuffer();
  await server.stop();
  const requestId = failed.headers.get('x-request-id');
  const lines = server
    .out()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((line) => line.requestId === requestId && line.level >= 50);
  assert.equal(lines.length, 1);
  return { folder, line: lines[0], text: JSON.stringify(lines[0]) };
}

test('the line of a failure has the class, code and message of its cause, and no path and no stack trace', async (context) => {
  const { folder, line, text } = await logOfFailure(context, 'info');
  assert.equal(line.route, '/v1/:project/:name/files/download');
  assert.equal(line.err.type, 'StorageUnavailable');
  assert.deepEqual([line.err.cause.type, line.err.cause.code], ['Error', 'ENOENT']);
  assert.match(line.err.cause.message, /no such file or directory/);
  assert.ok(!text.includes(folder) && !text.includes('blobs/'), text);
  assert.doesNotMatch(text, /\bat .*\.js|node:|nameOfFile/);
});

test('at the level debug, the line of a failure has the path and the stack trace of its cause', async (context) => {
  const { folder, text } = await logOfFailure(context, 'debug');
  assert.ok(text.includes(folder) && /\bat /.test(text), text);
});
