import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Call } from '../../src/http/call.js';
import { createListener } from '../../src/http/listener.js';
import { createRouter } from '../../src/http/router.js';

const patienceMs = 10_000;

for (const way of ['Node', 'the fast path']) {
  describe(`a client that leaves before its answer, by ${way}`, () => {
    for (const leaving of ['end', 'destroy', 'resetAndDestroy'] as const) {
      test(`is noticed after ${leaving}()`, async () => {
        let called: (call: Call) => void = () => {};
        const calling = new Promise<Call>((resolve) => {
          called = resolve;
        });
        const listener = createListener({
          router: createRouter({
            '/v1/:project/:name/slow': {
              DELETE: (call) => {
                called(call);
                return new Promise(() => {});
              },
            },
          }),
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
        try {
          const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
          await once(socket, 'connect');
          socket.write('DELETE /v1/demo/b/slow HTTP/1.1\r\nHost: x\r\nX-API-Key: demo_s3cret\r\n\r\n');
          const call = await calling;
          assert.equal(call.isAbandoned, false);
          socket[leaving]();
          const deadline = performance.now() + patienceMs;
          while (!call.isAbandoned && performance.now() < deadline) await setImmediate();
          assert.ok(call.isAbandoned);
        } finally {
          server.close();
          server.closeAllConnections();
          for (const socket of sockets) socket.destroy();
        }
      });
    }
  });
}
