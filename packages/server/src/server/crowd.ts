import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isIdle, lastRequestOf } from '../http/connections/connection.js';
import { fastStateOf, requestsBegun } from '../http/fast-path/fast-connection.js';

/** A connection that has done nothing for so long may be closed when others need its place. */
const quietMs = 1000;
const lookEveryMs = 100;
const looksAtOnce = 1000;

/** The connections of a server that may have only so many. */
export interface Crowd {
  /** Counts a connection until it is closed. */
  add(connection: Duplex): void;
  /** Counts a connection no more: another stands for it. */
  remove(connection: Duplex): void;
}

/** When a connection was looked at, and its last request then. */
interface Look {
  readonly atMs: number;
  readonly request: unknown;
}

/**
 * Keeps places free for those who ask for something (docs/operations.md#limits). While more than nine tenths of `most`
 * are taken, connections are closed that have had no request for a second, beginning with those that have been quiet for the
 * longest: clients that open connections and leave them, or stop within a handshake or a head, do not keep others out.
 */
export function createCrowd(most: number): Crowd {
  const ample = most - Math.floor(most / 10);
  /** In the order in which they were looked at last. */
  const looks = new Map<Duplex, Look>();
  let timer: NodeJS.Timeout | undefined;

  function lookLater(): void {
    if (looks.size > ample && timer === undefined) timer = setTimeout(makeRoom, lookEveryMs).unref();
  }

  function makeRoom(): void {
    timer = undefined;
    closeQuiet(looks, looks.size - ample);
    lookLater();
  }

  return {
    add(connection) {
      looks.set(connection, { atMs: performance.now(), request: requestOf(connection) });
      connection.once('close', () => looks.delete(connection));
      lookLater();
    },
    remove: (connection) => void looks.delete(connection),
  };
}

/** Closes at most so many. Those that were not quiet are looked at again after the others. */
function closeQuiet(looks: Map<Duplex, Look>, most: number): void {
  const nowMs = performance.now();
  let closed = 0;
  let count = 0;
  for (const [connection, last] of looks) {
    if (closed >= most || nowMs - last.atMs < quietMs || count++ === looksAtOnce) return;
    const request = requestOf(connection);
    looks.delete(connection);
    if (isQuiet(connection) && request === last.request) {
      connection.destroy();
      closed++;
    } else looks.set(connection, { atMs: nowMs, request });
  }
}

/** Differs from what it was before if another request has begun in the meantime. */
function requestOf(connection: Duplex): unknown {
  return requestsBegun(connection as Socket) ?? lastRequestOf(connection);
}

function isQuiet(connection: Duplex): boolean {
  const fast = fastStateOf(connection as Socket);
  return fast === undefined ? isIdle(connection) : fast !== 'busy';
}
