import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { hasBegun } from '../http/connections/connection.js';
import { fastStateOf } from '../http/fast-path/fast-connection.js';

/** How often a server that stops looks for connections that have become idle. */
export const closeIdleEveryMs = 20;
/** The first request of a connection that was just opened may still be in transit. */
export const firstRequestMs = 200;

/** Closes the connections that have no request in progress, of a server that stopped this long ago. */
export function closeIdle(server: Server, speaking: Iterable<Socket>, passedMs: number): void {
  server.closeIdleConnections();
  for (const socket of speaking) {
    const fast = fastStateOf(socket);
    const isNew = fast === undefined ? !hasBegun(socket) : fast === 'new';
    if (fast === 'idle' || (isNew && passedMs > firstRequestMs)) socket.destroy();
  }
}
