import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Basedrive } from '../src/in-node.js';
import { fakeService, json } from './support/fake-service.js';

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

  test('a connection serves one request after the other', async (t) => {
    let connections = 0;
    const server = createServer((_, response) => response.end('{"key":"k"}'));
    server.on('connection', () => connections++).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    const base = baseAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    for (let n = 0; n < 20; n++) await base.get('k');
    // The second is opened where the next request comes before the first has ended its answer.
    assert.ok(connections <= 2, `${connections} connections`);
  });
});
