import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { reachableAddresses } from '../../src/hooks/reachable.js';
import { createSend } from '../../src/hooks/send.js';
import { garbageCollector } from '../../src/lib/garbage-collector.js';

const message = { headers: { 'webhook-id': 'msg_1' }, body: '{}' };
const never = new AbortController().signal;

describe('sending a message', () => {
  let port = 0;
  let connections = 0;
  const hosts: (string | undefined)[] = [];
  const server = createHttpServer((request, response) => {
    hosts.push(request.headers.host);
    response.writeHead(request.url === '/later' ? 503 : 204, { 'Retry-After': '7200' }).end();
  });
  before(async () => {
    server.on('connection', () => connections++);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  const opened = reachableAddresses(['127.0.0.0/8']);
  const closed = reachableAddresses([]);
  const failing = (code: string) =>
    createSend({
      mayReach: opened,
      resolve: () => Promise.reject(Object.assign(new Error(code), { code })),
    });

  test('goes to the address of the name, under the name', async () => {
    const send = createSend({ mayReach: opened, resolve: async () => ['127.0.0.1'] });
    assert.deepEqual(await send(`http://hook.example:${port}/`, message, never), {
      status: 204,
      retryAfterMs: 3_600_000,
    });
    assert.equal(hosts.at(-1), `hook.example:${port}`);
  });

  test('asks for a name once, and goes nowhere else when it leads elsewhere a moment later', async () => {
    let asked = 0;
    const send = createSend({
      mayReach: (address) => address === '127.0.0.1',
      async resolve() {
        asked++;
        return asked === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
      },
    });
    const before = connections;
    const url = `http://rebound.example:${port}/`;
    assert.equal((await send(url, message, never)).status, 204);
    assert.equal(asked, 1);
    assert.deepEqual(await send(url, message, never), { failure: 'address_refused' });
    assert.equal(connections, before + 1);
  });

  test('of several addresses it uses only those that are allowed', async () => {
    const send = createSend({
      mayReach: (address) => address === '127.0.0.1',
      resolve: async () => ['10.0.0.1', '::1', '127.0.0.1'],
    });
    assert.equal((await send(`http://mixed.example:${port}/`, message, never)).status, 204);
  });

  test('connects to no address that is refused, however it is written', async () => {
    const before = connections;
    const send = createSend({
      mayReach: closed,
      resolve: async () => ['127.0.0.1', '::1', '::ffff:127.0.0.1'],
    });
    const hosts = [
      'hook.example',
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '0',
      '[::]',
      '[::1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
    ];
    for (const host of hosts)
      assert.deepEqual(
        await send(`http://${host}:${port}/`, message, never),
        { failure: 'address_refused' },
        host,
      );
    assert.equal(connections, before);
  });

  test('compares the address that it is connected to, too', async () => {
    let asked = 0;
    const send = createSend({ mayReach: () => asked++ === 0, resolve: async () => ['127.0.0.1'] });
    assert.deepEqual(await send(`http://hook.example:${port}/`, message, never), {
      failure: 'address_refused',
    });
  });

  test('fails when the machine cannot say which addresses are its own', async () => {
    // As `os.networkInterfaces` does when no file handles are left.
    let asked = 0;
    const mayReach = () => {
      asked++;
      if (asked > 1) throw Object.assign(new Error('no file handles'), { code: 'ERR_SYSTEM_ERROR' });
      return true;
    };
    const send = createSend({ mayReach });
    assert.deepEqual(await send(`http://127.0.0.1:${port}/`, message, never), {
      failure: 'connection_failed',
    });
    assert.equal(asked, 2);
  });

  test('does not tell whether a name exists that leads into a private network', async () => {
    const sends = {
      ...Object.fromEntries(
        ['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ESERVFAIL', 'EREFUSED'].map((code) => [code, failing(code)]),
      ),
      'no address': createSend({ mayReach: closed, resolve: async () => [] }),
      'a private address': createSend({ mayReach: closed, resolve: async () => ['10.0.0.1'] }),
    };
    for (const [name, send] of Object.entries(sends))
      assert.deepEqual(
        await send('http://intra.example/', message, never),
        { failure: 'address_refused' },
        name,
      );
  });

  test('takes no proxy from the environment', async () => {
    const send = createSend({ mayReach: opened });
    const before = { ...process.env };
    Object.assign(process.env, {
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: 'http://127.0.0.1:1',
      http_proxy: 'http://127.0.0.1:1',
    });
    try {
      assert.equal((await send(`http://127.0.0.1:${port}/`, message, never)).status, 204);
    } finally {
      for (const name of ['NODE_USE_ENV_PROXY', 'HTTP_PROXY', 'http_proxy']) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });

  test('waits no longer than it may: for a name, a connection that says nothing, an answer that drips', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
    });
    const dripping = createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
    });
    silent.listen(0, '127.0.0.1');
    dripping.listen(0, '127.0.0.1');
    await Promise.all([once(silent, 'listening'), once(dripping, 'listening')]);
    const portOf = (of: typeof silent) => (of.address() as AddressInfo).port;
    const waiting = { mayReach: opened, resolve: () => new Promise<never>(() => {}) };
    const send = createSend({ ...waiting, timeoutMs: 50 });
    assert.deepEqual(await send('http://slow.example/', message, never), { failure: 'timeout' });
    assert.deepEqual(await send(`http://127.0.0.1:${portOf(silent)}/`, message, never), {
      failure: 'timeout',
    });
    // Its status comes within the time on a busy machine, too.
    const patient = createSend({ ...waiting, timeoutMs: 2000 });
    assert.equal((await patient(`http://127.0.0.1:${portOf(dripping)}/`, message, never)).status, 200);
    for (const socket of sockets) socket.destroy();
    silent.close();
    dripping.close();
  });

  for (const flood of ['HTTP/1.1 103 Early Hints\r\n\r\n', '\r\n']) {
    test(`reads no more of an answer than it may before the status comes: ${JSON.stringify(flood)}`, async () => {
      const chunk = Buffer.from(flood.repeat(1000));
      const flooding = createServer((socket) => {
        const more = () => {
          while (!socket.destroyed && socket.write(chunk));
        };
        socket.on('error', () => {}).on('drain', more);
        socket.once('data', more);
      });
      flooding.listen(0, '127.0.0.1');
      await once(flooding, 'listening');
      const send = createSend({ mayReach: opened, timeoutMs: 5000 });
      const url = `http://127.0.0.1:${(flooding.address() as AddressInfo).port}/`;
      assert.deepEqual(await send(url, message, never), { failure: 'connection_failed' });
      flooding.close();
    });
  }

  test('gives up in time although garbage is collected meanwhile', async () => {
    const silent = createServer((socket) => socket.on('error', () => {}).resume());
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const send = createSend({ mayReach: opened, timeoutMs: 500 });
    const connected = once(silent, 'connection') as Promise<[Socket]>;
    const sent = send(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/`, message, never);
    const [socket] = await connected;
    const collect = garbageCollector();
    for (let n = 0; n < 5; n++) {
      await pause(10);
      collect();
    }
    assert.deepEqual(await Promise.race([sent, pause(20_000, undefined, { ref: false })]), {
      failure: 'timeout',
    });
    socket.destroy();
    silent.close();
  });

  test('says why there is no answer', async () => {
    const send = createSend({ mayReach: opened });
    assert.deepEqual(await failing('ETIMEOUT')('http://none.example/', message, never), {
      failure: 'timeout',
    });
    const garbage = createServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end('no HTTP\r\n\r\n'),
    );
    garbage.listen(0, '127.0.0.1');
    await once(garbage, 'listening');
    const { port: at } = garbage.address() as AddressInfo;
    assert.deepEqual(await send(`http://127.0.0.1:${at}/`, message, never), { failure: 'connection_failed' });
    garbage.close();
    await once(garbage, 'close');
    assert.deepEqual(await send(`http://127.0.0.1:${at}/`, message, never), {
      failure: 'connection_refused',
    });
    // It speaks no TLS.
    assert.notEqual((await send(`https://127.0.0.1:${port}/`, message, never)).failure, undefined);
  });
});
