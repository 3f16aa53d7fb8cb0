import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Call } from '../../../src/http/requests/call.js';
import { createRouter } from '../../../src/http/routing/router.js';
import { garbageCollector } from '../../../src/lib/garbage-collector.js';
import { listening, ways } from '../../support/listening.js';

const mib = 1024 * 1024;
const path = '/v1/{project}/{base}/items';
const tooLarge = () => new Error('too large');
const collect = garbageCollector();

/** Whether the memory of this body is free after some turns of the event loop. */
async function isFreed(body: WeakRef<ArrayBufferLike>): Promise<boolean> {
  for (let turn = 0; turn < 20; turn++) {
    await setImmediate();
    collect();
    if (body.deref() === undefined) return true;
  }
  return false;
}

/** Begins to send it. */
function sendPut(socket: Socket, body: Buffer): void {
  socket.write(
    `PUT /v1/demo/b/items HTTP/1.1\r\nHost: x\r\nX-API-Key: demo_s3cret\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
}

for (const way of ways) {
  describe(`a body that was answered, by ${way}`, () => {
    // Both are too large for the pool from which Node takes small buffers: 64 KiB, of which a buffer gets less than half.
    for (const size of [40_000, 3 * mib]) {
      test(`is freed while its connection stays open: ${size} bytes`, async () => {
        let body: WeakRef<ArrayBufferLike> | undefined;
        const handle = async (call: Call) => {
          const bytes = await call.body(16 * mib, tooLarge);
          body = new WeakRef(bytes.buffer);
          return { status: 207, headers: [], body: String(bytes.length) } as const;
        };
        const router = createRouter([{ method: 'PUT', path, access: 'write', handle }], undefined);
        const server = await listening(router, way);
        const socket = connect(server.port, '127.0.0.1');
        try {
          sendPut(socket, Buffer.alloc(size, ' '));
          const [answer] = await once(socket, 'data');
          assert.match(String(answer), /^HTTP\/1.1 207 .*\r\n\r\n\d+$/s);
          assert.ok(body !== undefined);
          assert.ok(await isFreed(body), 'the connection keeps the body');
          assert.equal(socket.destroyed, false);
        } finally {
          socket.destroy();
          server.close();
        }
      });
    }
  });
}
