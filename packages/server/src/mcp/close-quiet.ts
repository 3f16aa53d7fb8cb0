import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A connection that has had no request in progress for so long may be closed when others need its place. */
const quietMs = 1000;
const lookEveryMs = 100;

/**
 * Bounds the connections of a server: whoever reaches its address can open them, before any token. While more than nine tenths
 * of `most` are open, those without a request in progress for a second are closed, the oldest first (docs/agents.md#over-http).
 */
export function boundConnections(server: Server, most: number): void {
  const ample = most - Math.floor(most / 10);
  /** Since when they have had no request; undefined: they have one. In the order in which they were opened. */
  const quietSince = new Map<Socket, number | undefined>();
  let timer: NodeJS.Timeout | undefined;
  server.maxConnections = most;

  server.on('connection', (socket: Socket) => {
    quietSince.set(socket, performance.now());
    socket.once('close', () => quietSince.delete(socket));
    lookLater();
  });

  server.on('request', ({ socket }, response: ServerResponse) => {
    quietSince.set(socket, undefined);
    response.once('close', () => {
      if (quietSince.has(socket)) quietSince.set(socket, performance.now());
    });
  });

  function lookLater(): void {
    if (quietSince.size > ample && timer === undefined) timer = setTimeout(closeQuiet, lookEveryMs).unref();
  }

  function closeQuiet(): void {
    timer = undefined;
    let excess = quietSince.size - ample;
    const latest = performance.now() - quietMs;
    for (const [socket, since] of quietSince) {
      if (excess <= 0) break;
      if (since === undefined || since > latest) continue;
      socket.destroy();
      excess--;
    }
    lookLater();
  }
}
