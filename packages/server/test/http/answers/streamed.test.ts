import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { fastStateOf } from '../../../src/http/fast-path/fast-connection.js';
import type { Answer } from '../../../src/http/requests/call.js';
import { createRouter } from '../../../src/http/routing/router.js';
import { listening, type Way, ways } from '../../support/listening.js';

/** Gives some chunks, then fails. */
async function* failsAfter(chunks: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < chunks; at++) yield Buffer.alloc(1000);
  throw new StorageUnavailable('The store is away');
}

/** Chunks of which some are empty. */
async function* gives(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

async function answerOf(answer: () => Answer, way: Way): Promise<Response> {
  const path = '/v1/{project}/{drive}/files/download';
  const router = createRouter([{ method: 'GET', path, access: 'read', handle: answer }], undefined);
  const server = await listening(router, way);
  try {
    const url = `http://127.0.0.1:${server.port}/v1/demo/photos/files/download`;
    const response = await fetch(url, { headers: { 'X-API-Key': 'demo_secret' } });
    await response.clone().arrayBuffer();
    return response;
  } finally {
    const ended = server.sockets.map((socket) =>
      fastStateOf(socket) === undefined ? 'Node' : 'the fast path',
    );
    assert.deepEqual(ended, [way]);
    server.close();
  }
}

const failing = (chunks: number) => () => ({
  status: 200,
  headers: ['Content-Length', '5000'],
  body: failsAfter(chunks),
});

for (const way of ways) {
  describe(`a streamed answer that fails, by ${way}`, () => {
    test('a failure before the first byte is answered with 503 and Retry-After', async () => {
      const response = await answerOf(failing(0), way);
      assert.equal(response.status, 503);
      assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      const { errors } = (await response.json()) as { errors: string[] };
      assert.equal(errors.length, 1);
    });

    test('a failure after the first byte ends the connection, so that the client sees the missing length', async () => {
      await assert.rejects(answerOf(failing(2), way));
    });
  });

  for (const isEndless of [false, true])
    test(`an empty chunk does not end an answer that is ${isEndless ? 'endless' : 'streamed'}, by ${way}`, async () => {
      const body = () => gives('', 'one ', '', '', 'two', '');
      const response = await answerOf(() => ({ status: 200, headers: [], body: body(), isEndless }), way);
      assert.equal(await response.text(), 'one two');
    });
}
