import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { type RunningServer, startServer } from '../support/run-cli.js';

function start(context: TestContext, ...options: string[]): Promise<RunningServer> {
  return startServer(context, ['--memory', '--key', 'demo_s3cret', ...options]);
}

async function open(context: TestContext, server: RunningServer): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  context.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const get = 'GET /health HTTP/1.1\r\nHost: localhost\r\n';
const put = 'PUT /v1/demo/base/items HTTP/1.1\r\nHost: localhost\r\nX-API-Key: demo_s3cret\r\n';

test('a head larger than --max-header-bytes is answered 431', async (context) => {
  const server = await start(context, '--max-header-bytes', '8192');
  const within = await fetch(`${server.url}/health`, { headers: { 'X-Long': 'x'.repeat(7000) } });
  assert.equal(within.status, 200);
  const beyond = await fetch(`${server.url}/health`, { headers: { 'X-Long': 'x'.repeat(9000) } });
  assert.equal(beyond.status, 431);
});

test('a head that takes longer than --header-timeout is answered 408', async (context) => {
  const server = await start(context, '--header-timeout', '200ms');
  const socket = await open(context, server);
  socket.write(get);
  assert.match(await text(socket), /^HTTP\/1\.1 408 /);
});

test('a body that takes longer than --request-timeout is answered 408', async (context) => {
  const server = await start(context, '--header-timeout', '1s', '--request-timeout', '1500ms');
  const socket = await open(context, server);
  socket.write(`${put}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
  assert.match(await text(socket), /^HTTP\/1\.1 408 /);
  assert.equal((await fetch(`${server.url}/health`)).status, 200);
});

test('a connection without a request is closed after --idle-timeout', async (context) => {
  const server = await start(context, '--idle-timeout', '200ms');
  const socket = await open(context, server);
  socket.write(`${get}\r\n`);
  assert.match(await text(socket), /^HTTP\/1\.1 200 .*"status":"ok"\}$/s);
});

test('a connection more than --max-connections is closed, and there is room again when another ends', async (context) => {
  const server = await start(context, '--max-connections', '2');
  const [first] = [await open(context, server), await open(context, server)];
  const refused = await open(context, server);
  assert.equal(await text(refused), '');
  first?.end(`${get}Connection: close\r\n\r\n`);
  assert.match(await text(first!), /^HTTP\/1\.1 200 /);
  const next = await open(context, server);
  next.write(`${get}Connection: close\r\n\r\n`);
  assert.match(await text(next), /^HTTP\/1\.1 200 /);
});

test('when nearly all connections are taken, quiet ones are closed, and those in use are not', async (context) => {
  const times = ['--header-timeout', '1h', '--idle-timeout', '1h', '--request-timeout', '1h'];
  const server = await start(context, '--max-connections', '20', ...times);
  const inUse = await open(context, server);
  const begun = await open(context, server);
  const body = '{"items":[{"key":"a"}]}';
  begun.write(
    `${put}Content-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  for (let n = 2; n < 20; n++) {
    const quiet = await open(context, server);
    if (n % 2 === 0) quiet.write('GET /health HTTP/1.1\r\nHost:');
  }
  // There is room again when two are closed.
  for (let served = false; !served; ) {
    inUse.write(`${get}\r\n`);
    assert.equal(String((await once(inUse, 'data'))[0]).slice(0, 12), 'HTTP/1.1 200');
    const next = await open(context, server);
    next.write(`${get}Connection: close\r\n\r\n`);
    served = (await text(next).catch(() => '')).startsWith('HTTP/1.1 200');
  }
  begun.write(body);
  assert.match(await text(begun), /^HTTP\/1\.1 207 /);
  inUse.write(`${get}Connection: close\r\n\r\n`);
  assert.match(await text(inUse), /^HTTP\/1\.1 200 /);
});

test('a request more than --max-requests is answered 429, and the others go on', async (context) => {
  const server = await start(context, '--max-requests', '1');
  const agent = new Agent();
  const body = JSON.stringify({ items: [{ key: 'a' }] });
  const slow = request({
    agent,
    port: server.port,
    method: 'PUT',
    path: '/v1/demo/base/items',
    headers: {
      'X-API-Key': 'demo_s3cret',
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      Expect: '100-continue',
    },
  });
  slow.flushHeaders();
  await once(slow, 'continue');
  const refused = await fetch(`${server.url}/health`);
  assert.equal(refused.status, 429);
  assert.ok(refused.headers.get('retry-after'));
  slow.end(body);
  const [answer] = await once(slow, 'response');
  assert.equal(answer.statusCode, 207);
  await text(answer);
  assert.equal((await fetch(`${server.url}/health`)).status, 200);
});
