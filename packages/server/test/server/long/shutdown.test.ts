import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { type RunningServer, startServer } from '../../support/run-cli.js';

const body = JSON.stringify({ items: [{ key: 'a' }] });

/** A put whose body is half sent when the promise resolves. */
async function halfSent(server: RunningServer) {
  const put = request({
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
  put.flushHeaders();
  // The server has read the head: the request is in progress.
  await once(put, 'continue');
  put.write(body.slice(0, 10));
  return put;
}

/** The moment when a server no longer takes connections. */
async function refusesConnections(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const went = await Promise.race([
      once(socket, 'connect').then(() => 'connected' as const),
      once(socket, 'error').then(() => 'refused' as const),
    ]).catch(() => 'refused' as const);
    socket.destroy();
    if (went === 'refused') return;
  }
}

function start(context: TestContext, ...options: string[]): Promise<RunningServer> {
  return startServer(context, ['--memory', '--key', 'demo_s3cret', ...options]);
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} makes the server accept nothing more, finish the requests in progress and exit with 0`, async (context) => {
    const server = await start(context);
    const put = await halfSent(server);
    const answered = once(put, 'response');
    const stopped = server.stop(signal);
    await refusesConnections(server.port);
    put.end(body.slice(10));
    const [response] = await answered;
    assert.equal(response.statusCode, 207);
    assert.deepEqual(JSON.parse(await text(response)), { processed: { items: [{ key: 'a' }] } });
    assert.equal(await stopped, 0);
  });
}

test('upon SIGINT the server says for how many requests it waits, how long, and how to stop at once', async (context) => {
  const server = await start(context, '--shutdown-grace', '90s');
  const put = await halfSent(server);
  const answered = once(put, 'response');
  const stopped = server.stop('SIGINT');
  await server.said(
    /^Stopping: waiting for 1 request in progress, at most 90 s; press Ctrl-C again to stop at once\n/m,
  );
  put.end(body.slice(10));
  const [response] = await answered;
  response.resume();
  assert.equal(await stopped, 0);
});

test('a stop that waits for nothing prints only that it stops', async (context) => {
  const server = await start(context);
  assert.equal(await server.stop('SIGINT'), 0);
  assert.match(server.err(), /^Stopping\n/m);
});

test('connections that are kept alive, or have had no request yet, do not delay the stop', async (context) => {
  const server = await start(context, '--shutdown-grace', '1h', '--idle-timeout', '1h');
  const agent = new Agent({ keepAlive: true });
  context.after(() => agent.destroy());
  const get = request(`${server.url}/health`, { agent }).end();
  const [response] = await once(get, 'response');
  await text(response);
  const fresh = connect(server.port, '127.0.0.1');
  context.after(() => fresh.destroy());
  fresh.on('error', () => {});
  await once(fresh, 'connect');
  assert.equal(await server.stop(), 0);
});

test('a request that takes longer than the grace is cut off, and the exit code is 0', async (context) => {
  const server = await start(context, '--shutdown-grace', '50ms');
  const put = await halfSent(server);
  const cut = once(put, 'error').catch((cause) => [cause]);
  assert.equal(await server.stop(), 0);
  const [failure] = await cut;
  assert.equal((failure as NodeJS.ErrnoException).code, 'ECONNRESET');
});

test('a second signal ends the process at once', async (context) => {
  const server = await start(context, '--shutdown-grace', '1h');
  const put = await halfSent(server);
  put.on('error', () => {});
  const ended = once(server.child, 'exit');
  // A second one so soon after the first may be the same, passed on by npm: so signals come until the end.
  const signals = setInterval(() => server.child.kill('SIGTERM'), 100);
  context.after(() => clearInterval(signals));
  assert.deepEqual(await ended, [143, null]);
});

test('signals that come at the same moment count as one', async (context) => {
  const server = await start(context, '--shutdown-grace', '1h');
  const put = await halfSent(server);
  const answered = once(put, 'response');
  // Two of one kind could be merged by the system before the server sees them.
  server.child.kill('SIGINT');
  const stopped = server.stop('SIGTERM');
  await refusesConnections(server.port);
  put.end(body.slice(10));
  const [response] = await answered;
  response.resume();
  assert.equal(await stopped, 0);
});
