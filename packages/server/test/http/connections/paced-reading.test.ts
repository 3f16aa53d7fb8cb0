import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { connect as connectSecurely } from 'node:tls';
import { unlimitedGrant } from '../../../src/access/grant.js';
import { createListener } from '../../../src/http/listener.js';
import { createValueBudget } from '../../../src/http/memory/budgets.js';
import { createRouter } from '../../../src/http/routing/router.js';
import { issueServerCertificate, makeAuthority } from '../../../src/server/tls/issue.js';

/** 64 KiB of the shortest request: what Node reads and parses at once. */
const requests = 3600;
const burst = 'GET / HTTP/1.1\r\n\r\n'.repeat(requests);
/** Not simple, so Node's parser gets the connection; small, as that of a usual client. */
const first = 'GET / HTTP/1.1\r\nHost: x\r\nTE: trailers\r\n\r\n';
/** What a few pieces hold. */
const mostInTurn = 200;

async function serverOf(protocol: 'http' | 'https'): Promise<Server> {
  const listener = createListener({
    router: createRouter([], undefined),
    authenticate: (key = '') => unlimitedGrant('id', key),
    corsOrigins: '*',
    idleTimeoutMs: 65_000,
    maxRequestsInFlight: 1000,
    maxBufferedBytes: 64 * 1024 * 1024,
    clock: Date.now,
    values: createValueBudget(64 * 1024 * 1024),
    log: { info: () => {}, error: () => {} },
  });
  if (protocol === 'http') {
    const server = createServer({ requireHostHeader: false }, listener.onRequest);
    listener.fastPath?.(server);
    return server;
  }
  const authority = await makeAuthority(Date.now());
  const certificate = await issueServerCertificate(authority, ['127.0.0.1'], Date.now());
  const server = createSecureServer({ ...certificate, requireHostHeader: false }, listener.onRequest);
  listener.fastPath?.(server);
  return server;
}

for (const protocol of ['http', 'https'] as const) {
  describe(`a client of ${protocol} that sends ${requests} requests at once`, () => {
    for (const isPolite of [false, true]) {
      test(`has few of them parsed in one turn of the event loop${isPolite ? ', also after a polite one' : ''}`, async () => {
        const server = await serverOf(protocol);
        let inTurn = 0;
        let most = 0;
        let all = 0;
        server.on('request', () => {
          if (inTurn++ === 0) setImmediate(endTurn);
        });
        const endTurn = () => {
          most = Math.max(most, inTurn);
          all += inTurn;
          inTurn = 0;
        };
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        const { port } = server.address() as AddressInfo;
        const address = { port, host: '127.0.0.1' };
        const client: Socket =
          protocol === 'http' ? connect(address) : connectSecurely({ ...address, rejectUnauthorized: false });
        try {
          await once(client, protocol === 'http' ? 'connect' : 'secureConnect');
          if (isPolite) {
            client.write(first);
            await once(client, 'data');
          }
          client.resume();
          client.write(burst);
          while (all < requests && !client.closed) await new Promise(setImmediate);
          assert.ok(all >= requests, `${all} were parsed`);
          assert.ok(most <= mostInTurn, `${most} in one turn`);
        } finally {
          client.destroy();
          server.close();
          server.closeAllConnections();
        }
      });
    }
  });
}

const chunked = 'PUT /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';

/** Sends a request to a server, and resolves at its end. */
async function sendTo(server: Server, bytes: string): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
  try {
    await new Promise<void>((resolve) => {
      server.on('request', (request) => request.on('end', resolve));
      client.write(bytes);
    });
  } finally {
    client.destroy();
    server.close();
    server.closeAllConnections();
  }
}

test('a body of empty lines is parsed in many turns of the event loop', async () => {
  const server = await serverOf('http');
  const lines = 16_000;
  let inTurn = 0;
  let most = 0;
  let all = 0;
  const endTurn = () => {
    most = Math.max(most, inTurn);
    inTurn = 0;
  };
  server.on('request', (request) => {
    const { parser } = request.socket as unknown as { parser: { execute?: (bytes: Buffer) => unknown } };
    const { execute } = parser;
    assert.ok(execute);
    parser.execute = (bytes) => {
      all++;
      if (inTurn++ === 0) setImmediate(endTurn);
      return execute.call(parser, bytes);
    };
    // Node uses it again for another connection.
    request.on('end', () => Reflect.deleteProperty(parser, 'execute'));
  });
  const size = (lines * 4).toString(16);
  await sendTo(server, `${chunked}${size}\r\n${'\r\n\r\n'.repeat(lines)}\r\n0\r\n\r\n`);
  endTurn();
  assert.ok(all >= lines, `${all} pieces`);
  assert.ok(most <= mostInTurn, `${most} in one turn`);
});

test('of a body that nobody reads, no chunk is passed on', async () => {
  const server = await serverOf('http');
  let passed = 0;
  server.on('request', ({ socket }) => {
    const { parser } = socket as unknown as {
      parser: Record<number, unknown> & { constructor: { kOnBody: number } };
    };
    const { kOnBody } = parser.constructor;
    const onBody = parser[kOnBody] as (...given: unknown[]) => void;
    parser[kOnBody] = (...given: unknown[]) => {
      passed++;
      onBody.apply(parser, given);
    };
  });
  await sendTo(server, `${chunked}${'1\r\nx\r\n'.repeat(10_000)}0\r\n\r\n`);
  assert.ok(passed < 1000, `${passed} were`);
});
