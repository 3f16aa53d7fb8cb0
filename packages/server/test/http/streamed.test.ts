import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { StorageUnavailable } from '../../src/engines/failures.js';
import { createListener } from '../../src/http/listener.js';
import { createRouter } from '../../src/http/router.js';

/** Gives some chunks, then fails. */
async function* failsAfter(chunks: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < chunks; at++) yield Buffer.alloc(1000);
  throw new StorageUnavailable('The store is away');
}

async function answerOf(chunks: number): Promise<Response> {
  const answer = () => ({ status: 200, headers: ['Content-Length', '5000'], body: failsAfter(chunks) });
  const listener = createListener({
    router: createRouter({ '/v1/:project/:name/files/download': { GET: answer } }),
    authenticate: (key) => key?.split('_')[0],
    corsOrigins: '*',
    idleTimeoutMs: 65_000,
    maxRequestsUnderWay: 1000,
    log: { info: () => {}, error: () => {} },
  });
  const server = createServer(listener.onRequest).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const url = `http://127.0.0.1:${port}/v1/demo/photos/files/download`;
    const response = await fetch(url, { headers: { 'X-API-Key': 'demo_secret' } });
    await response.clone().arrayBuffer();
    return response;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('bytes that cannot be had are 503 with Retry-After, as long as none of them went out', async () => {
  const response = await answerOf(0);
  assert.equal(response.status, 503);
  assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  const { errors } = (await response.json()) as { errors: string[] };
  assert.equal(errors.length, 1);
});

test('behind the first of them the connection breaks: a client sees that the length is not reached', async () => {
  await assert.rejects(answerOf(2));
});
