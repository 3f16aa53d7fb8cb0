import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Basedrive } from '../../src/in-node.js';
import { fakeService, json } from '../support/fake-service.js';

const { fetch } = globalThis;
// The first use of what belongs to fetch makes Node set its own dispatcher.
void new Headers();
const place = Symbol.for('undici.globalDispatcher.1');
const dispatchers = globalThis as { [place]?: unknown };
const dispatcher = dispatchers[place] as { constructor: new (options?: object) => object };

function refuse(): never {
  throw new Error('the program refuses');
}

const baseAt = (url: string) => Basedrive('demo_s3cret', { url, retry: { times: 0 } }).Base('b');

describe('how a text is exchanged in Node', () => {
  afterEach(() => {
    globalThis.fetch = fetch;
    dispatchers[place] = dispatcher;
  });

  test('not by fetch, which a request shows by the fields that fetch always sends', async (t) => {
    const { url, seen } = await fakeService(t, json(200, { key: 'k' }));
    await baseAt(url).get('k');
    await Basedrive('demo_s3cret', { url, fetch }).Base('b').get('k');
    assert.deepEqual(
      seen.map(({ headers }) => headers['sec-fetch-mode']),
      [undefined, 'cors'],
    );
  });

  test('by the fetch that a program has put in place of the one of Node', async (t) => {
    const { url, seen } = await fakeService(t, json(200, { key: 'k' }));
    globalThis.fetch = async () => Response.json({ key: 'k', from: 'the program' });
    assert.deepEqual(await baseAt(url).get('k'), { key: 'k', from: 'the program' });
    assert.equal(seen.length, 0);
  });

  test('through the dispatcher that a program has set for undici', async (t) => {
    const { url, seen } = await fakeService(t, json(200, { key: 'k' }));
    const { constructor: Agent } = dispatcher;
    const composed = new Proxy(dispatcher, {
      get: (agent, name) => (name === 'dispatch' ? refuse : Reflect.get(agent, name)),
    });
    for (const given of [{ dispatch: refuse }, composed, new Agent({ connect: refuse })]) {
      dispatchers[place] = given;
      await assert.rejects(baseAt(url).get('k'), { code: 'network', message: /the program refuses/ });
    }
    assert.equal(seen.length, 0);
    dispatchers[place] = new Agent();
    await baseAt(url).get('k');
    assert.equal(seen[0]?.headers['sec-fetch-mode'], undefined);
  });

  for (const [coding, compress] of [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const) {
    test(`a proxy may compress the answer: ${coding}`, async (t) => {
      const { url, seen } = await fakeService(t, (response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': coding });
        response.end(compress('{"key":"k","name":"été"}'));
      });
      assert.deepEqual(await baseAt(url).get('k'), { key: 'k', name: 'été' });
      assert.match(seen[0]?.headers['accept-encoding'] ?? '', new RegExp(`\\b${coding}\\b`));
    });
  }

  test('an answer may say that it is not compressed', async (t) => {
    const { url } = await fakeService(t, json(200, { key: 'k' }, { 'Content-Encoding': 'identity' }));
    assert.deepEqual(await baseAt(url).get('k'), { key: 'k' });
  });

  test('an answer in a coding that was not asked for, or whose end is missing, is an error', async (t) => {
    for (const [coding, bytes] of [
      ['zstd', Buffer.from('{}')],
      ['gzip', gzipSync('{"key":"k"}').subarray(0, -9)],
    ] as const) {
      const { url } = await fakeService(t, (response) => {
        response.writeHead(200, { 'Content-Encoding': coding }).end(bytes);
      });
      await assert.rejects(baseAt(url).get('k'), { code: 'network' }, coding);
    }
  });

  test('a redirect is not followed: the key is meant for this address', async (t) => {
    const other = await fakeService(t, json(200, { key: 'k' }));
    const { url } = await fakeService(t, (response) => {
      response.writeHead(307, { Location: other.url }).end();
    });
    await assert.rejects(baseAt(url).get('k'), { code: 'unexpected', status: 307 });
    assert.equal(other.seen.length, 0);
  });

  for (const [hint, isKept] of [
    [undefined, true],
    ['timeout=65', true],
    ['timeout=2', false],
  ] as const) {
    test(`a connection serves one request after the other, if its server keeps it: ${hint}`, async (t) => {
      const sockets = new Set<unknown>();
      const { url } = await fakeService(t, (response) => {
        sockets.add(response.socket);
        if (hint !== undefined) response.setHeader('Keep-Alive', hint);
        response.end('{"key":"k"}');
      });
      for (let n = 0; n < 20; n++) {
        await baseAt(url).get('k');
        await setImmediate();
      }
      assert.equal(sockets.size, isKept ? 1 : 20);
    });
  }

  test('a server whose TLS never begins was not reached, so that an insert is repeated', async (t) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.on('error', () => {});
      sockets.push(socket);
      // The limit of a connection is 10 s.
      void setImmediate().then(() => t.mock.timers.tick(10_000));
    });
    const sockets: Socket[] = [];
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const retry = { times: 1, firstDelayMs: 0 };
    const inserted = Basedrive('demo_s3cret', { url, retry, timeoutMs: Infinity }).Base('b').insert({}, 'k');
    let isOver = false;
    const ended = assert
      .rejects(inserted, { code: 'network', message: /no connection within 10 s/ })
      .finally(() => {
        isOver = true;
      });
    // The pause before the second attempt.
    while (!isOver) {
      await setImmediate();
      t.mock.timers.tick(1);
    }
    await ended;
    assert.equal(connections, 2);
  });

  test('an address with a password is refused, as fetch does', async () => {
    await assert.rejects(baseAt('http://user:word@127.0.0.1:1').get('k'), { message: /password/ });
  });
});
