import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { unlimitedGrant } from '../../../src/access/grant.js';
import { createListener } from '../../../src/http/listener.js';
import { createValueBudget } from '../../../src/http/memory/budgets.js';
import { createRouter } from '../../../src/http/routing/router.js';
import { issueServerCertificate, makeAuthority } from '../../../src/server/tls/issue.js';
import { ways } from '../../support/listening.js';

const mib = 1024 * 1024;
const large = Buffer.alloc(8 * mib, 'abcdefg');
const maxWaitingBytes = 512 * 1024;
const path = '/v1/{project}/{base}/items/{key}';

for (const way of ways) {
  describe(`a large answer over TLS, by ${way}`, () => {
    for (const body of [large, large.toString()]) {
      test(`is encrypted as it is read: a ${typeof body}`, async () => {
        const nowMs = Date.now();
        const { cert, key } = await issueServerCertificate(await makeAuthority(nowMs), ['localhost'], nowMs);
        const handle = () => ({ status: 200, headers: [], body }) as const;
        const listener = createListener({
          router: createRouter([{ method: 'GET', path, access: 'read', handle }], undefined),
          authenticate: () => unlimitedGrant('id', 'demo'),
          clock: Date.now,
          corsOrigins: '*',
          idleTimeoutMs: 65_000,
          maxRequestsInFlight: 10,
          maxBufferedBytes: 64 * mib,
          values: createValueBudget(64 * mib),
          log: { info: () => {}, error: () => {} },
        });
        const server = createServer({ cert, key }, listener.onRequest);
        if (way === 'the fast path') listener.fastPath?.(server);
        const sockets: TLSSocket[] = [];
        server.on('secureConnection', (socket) => void sockets.push(socket));
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        const { port } = server.address() as AddressInfo;
        const client = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
        try {
          await once(client, 'secureConnect');
          client.pause();
          const get = 'GET /v1/demo/b/items/k HTTP/1.1\r\nHost: x\r\nX-API-Key: demo_s3cret\r\n\r\n';
          client.write(get);
          while (listener.buffers().heldBytes === 0) await setImmediate();
          assert.ok(
            (sockets[0]?.writableLength ?? 0) < maxWaitingBytes,
            `${sockets[0]?.writableLength} bytes wait`,
          );
          assert.ok(listener.buffers().heldBytes >= large.length, 'all of it is counted');
          // The second answer comes behind the first.
          client.write(get);
          const answers = await readBytes(client, 2 * large.length);
          const first = answers.indexOf('\r\n\r\n') + 4;
          assert.ok(answers.subarray(first, first + large.length).equals(large));
          assert.ok(answers.subarray(-large.length).equals(large));
          assert.equal(String(answers).match(/HTTP\/1.1 200 OK\r\n/g)?.length, 2);
          while (listener.buffers().heldBytes > 0) await setImmediate();
          assert.equal(listener.requestsInFlight(), 0);
        } finally {
          client.destroy();
          server.close();
          for (const socket of sockets) socket.destroy();
        }
      });
    }
  });
}

/** Everything that arrives until two answers with bodies of so many bytes together, and their heads, have. */
async function readBytes(client: TLSSocket, bodies: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let heads = 0;
  for await (const chunk of client as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    const text = heads === 0 || bytes > bodies ? Buffer.concat(chunks).toString('latin1') : '';
    if (text !== '')
      heads = [...text.matchAll(/HTTP[^\0]*?\r\n\r\n/g)].reduce((sum, [head]) => sum + head.length, 0);
    if (bytes > bodies && bytes >= bodies + heads && text.match(/HTTP\/1/g)?.length === 2) break;
  }
  return Buffer.concat(chunks);
}
