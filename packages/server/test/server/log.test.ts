import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from '../support/run-cli.js';

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
