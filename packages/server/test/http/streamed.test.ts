import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, test } from 'node:test';
import { StorageUnavailable } from '../../src/engines/storage-errors.js';
import { fastStateOf } from '../../src/http/fast-path/fast-connection.js';
import { createListener } from '../../src/http/listener.js';
import { createRouter } from '../../src/http/router.js';

/** What reads the request and writes the answer. */
type Way = 'Node' | 'the fast path';
const ways: readonly Way[] = ['Node', 'the fast path'];

/** Gives some chunks, then fails. */
async function* failsAfter(chunks: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < chunks; at++) yield Buffer.alloc(1000);
  throw new StorageUnavailable('The store is away');
}

async function answerOf(chunks: number, way: Way): Promise<Response> {
  const answer = () => ({ status: 200, headers: ['Content-Length', '5000'], body: failsAfter(chunks) });
  const listener = createListener({
    router: createRouter({ '/v1/:project/:name/files/download': { GET: answer } }),
    authenticate: (key) => key?.split('_')[0],
    corsOrigins: '*',
    idleTimeoutMs: 65_000,
    maxRequestsInFlight: 1000,
    maxBufferedBytes: 64 * 1024 * 1024,
    log: { info: () => {}, error: () => {} },
  });
  const server = createServer(listener.onRequest);
  if (way === 'the fast path') listener.fastPath?.(server);
  const sockets: Socket[] = [];
  server.on('connection', (socket) => void sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const url = `http://127.0.0.1:${port}/v1/demo/photos/files/download`;
    const response = await fetch(url, { headers: { 'X-API-Key': 'demo_secret' } });
    await response.clone().arrayBuffer();
    return response;
  } finally {
    const ended = sockets.map((socket) => (fastStateOf(socket) === undefined ? 'Node' : 'the fast path'));
    assert.deepEqual(ended, [way]);
    server.close();
    server.closeAllConnections();
    for (const socket of sockets) socket.destroy();
  }
}

for (const way of ways) {
  describe(`a streamed answer that fails, by ${way}`, () => {
    test('a failure before the first byte is answered with 503 and Retry-After', async () => {
      const response = await answerOf(0, way);
      assert.equal(response.status, 503);
      assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      const { errors } = (await response.json()) as { errors: string[] };
      assert.equal(errors.length, 1);
    });

    test('a failure after the first byte ends the connection, so that the client sees the missing length', async () => {
      await assert.rejects(answerOf(2, way));
    });
  });
}
