import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { closeIdle, closeIdleEveryMs, firstRequestMs } from '../close-idle.js';
import type { FrontStream } from './front-stream.js';

/** The connections that fronts have accepted. */
export interface Connections {
  readonly open: Set<FrontStream>;
  /** Those that speak HTTP, or will once their first request arrives. */
  readonly speaking: Set<FrontStream>;
}

/** The end of a server's connections. */
export interface Draining {
  /** Resolves when none is left. Until `end`, more may come, and are closed in the same way. */
  readonly drained: Promise<void>;
  end(): void;
}

/**
 * Closes the connections of a server that has stopped: those with requests in progress have the grace. A front may have
 * accepted one before it was told to stop, and tell of it when no other is left.
 */
export function startDraining(server: Server, { open, speaking }: Connections, graceMs: number): Draining {
  const began = performance.now();
  let onDrained = () => {};
  const drained = new Promise<void>((resolve) => {
    onDrained = resolve;
  });
  const timer = setInterval(closeWhatIsDone, closeIdleEveryMs);
  // The server has never listened. `close` ends the timer with which Node watches the times of requests.
  server.close();

  function closeWhatIsDone(): void {
    const passedMs = performance.now() - began;
    closeIdle(server, speaking as unknown as Set<Socket>, passedMs);
    const endsHandshakes = passedMs > firstRequestMs;
    for (const stream of open) {
      if (passedMs > graceMs || (endsHandshakes && !speaking.has(stream))) stream.destroy();
    }
    if (open.size === 0) onDrained();
  }

  return { drained, end: () => clearInterval(timer) };
}
