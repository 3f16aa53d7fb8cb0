import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Grant, unlimitedGrant } from '../../src/access/grant.js';
import { createListener } from '../../src/http/listener.js';
import { createValueBudget } from '../../src/http/memory/budgets.js';
import type { Router } from '../../src/http/routing/router.js';

/** What reads the request and writes the answer. */
export type Way = 'Node' | 'the fast path';
export const ways: readonly Way[] = ['Node', 'the fast path'];

export interface Listening {
  readonly port: number;
  /** The server's ends of all connections so far. */
  readonly sockets: readonly Socket[];
  close(): void;
}

/** Serves what this router finds to any key, on a free port of this machine. A key may do everything unless `grantOf` says less. */
export async function listening(
  router: Router,
  way: Way,
  grantOf: (key: string) => Grant = (key) => unlimitedGrant('id', key.split('_')[0] ?? ''),
): Promise<Listening> {
  const listener = createListener({
    router,
    authenticate: (key = '') => grantOf(key),
    corsOrigins: '*',
    idleTimeoutMs: 65_000,
    maxRequestsInFlight: 1000,
    maxBufferedBytes: 64 * 1024 * 1024,
    clock: Date.now,
    values: createValueBudget(64 * 1024 * 1024),
    log: { info: () => {}, error: () => {} },
  });
  const server = createServer(listener.onRequest);
  if (way === 'the fast path') listener.fastPath?.(server);
  const sockets: Socket[] = [];
  server.on('connection', (socket) => void sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    close() {
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
    },
  };
}
