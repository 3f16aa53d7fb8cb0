import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Call } from '../../../src/http/requests/call.js';
import { createRouter } from '../../../src/http/routing/router.js';
import { listening, ways } from '../../support/listening.js';

const patienceMs = 10_000;

for (const way of ways) {
  describe(`a client that leaves before its answer, by ${way}`, () => {
    for (const leaving of ['end', 'destroy', 'resetAndDestroy'] as const) {
      test(`is noticed after ${leaving}()`, async () => {
        let called: (call: Call) => void = () => {};
        const calling = new Promise<Call>((resolve) => {
          called = resolve;
        });
        const handle = (call: Call) => {
          called(call);
          return new Promise<never>(() => {});
        };
        const path = '/v1/{project}/{base}/items/{key}';
        const router = createRouter([{ method: 'DELETE', path, access: 'write', handle }], undefined);
        const server = await listening(router, way);
        try {
          const socket = connect(server.port, '127.0.0.1');
          await once(socket, 'connect');
          socket.write('DELETE /v1/demo/b/items/k HTTP/1.1\r\nHost: x\r\nX-API-Key: demo_s3cret\r\n\r\n');
          const call = await calling;
          assert.equal(call.isAbandoned, false);
          socket[leaving]();
          const deadline = performance.now() + patienceMs;
          while (!call.isAbandoned && performance.now() < deadline) await setImmediate();
          assert.ok(call.isAbandoned);
        } finally {
          server.close();
        }
      });
    }
  });
}
