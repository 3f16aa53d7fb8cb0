import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isIdle, isLingering, lastRequestOf } from '../http/connections/connection.js';
import { fastStateOf, requestsBegun } from '../http/fast-path/fast-connection.js';

/** A connection that has done nothing for so long may be closed when others need its place. */
const quietMs = 1000;
/** So may one whose client has taken nothing of an answer that waits for it. Clients and networks pause for longer than a second. */
const stalledMs = 10_000;
const lookEveryMs = 100;
const looksAtOnce = 1000;

type State = 'busy' | 'quiet' | 'stalled';

/** What a connection did when it was looked at. */
interface Look {
  readonly atMs: number;
  /** Since when all the following was the same in each look. */
  readonly sinceMs: number;
  readonly state: State;
  readonly request: unknown;
  /** The bytes that have left for the client. */
  readonly sent: number;
}

/** Closes connections that do nothing when a server has nearly as many as it may have. */
export type ConnectionReaper = ReturnType<typeof createConnectionReaper>;

/**
 * Keeps places free for those who ask for something (docs/operations.md#limits). While more than nine tenths of `most`
 * are taken, connections are closed that have had no request for a second, or whose clients have read nothing of their answers
 * for ten, those first that were looked at the longest ago: clients that open connections and leave them, stop
 * within a handshake or a head, or do not read, do not keep others out.
 */
export function createConnectionReaper(most: number) {
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
    /** Counts a connection until it is closed. */
    add(connection: Duplex) {
      looks.set(connection, lookAt(connection, performance.now()));
      connection.once('close', () => looks.delete(connection));
      lookLater();
    },
    /** Counts a connection no more: another stands for it. */
    remove: (connection: Duplex) => void looks.delete(connection),
  };
}

/** Closes at most so many. Those that do not have to go yet are looked at again after the others. */
function closeQuiet(looks: Map<Duplex, Look>, most: number): void {
  const nowMs = performance.now();
  let closed = 0;
  let count = 0;
  for (const [connection, last] of looks) {
    if (closed >= most || nowMs - last.atMs < quietMs || count++ === looksAtOnce) return;
    const look = lookAt(connection, nowMs, last);
    looks.delete(connection);
    if (mayBeClosed(look)) {
      connection.destroy();
      closed++;
    } else looks.set(connection, look);
  }
}

function lookAt(connection: Duplex, atMs: number, last?: Look): Look {
  const state = stateOf(connection);
  const request = requestOf(connection);
  const sent = sentBytes(connection as Socket);
  const isSame = last?.state === state && last.request === request && last.sent === sent;
  return { atMs, sinceMs: isSame ? last.sinceMs : atMs, state, request, sent };
}

function mayBeClosed({ atMs, sinceMs, state }: Look): boolean {
  if (state === 'busy') return false;
  return atMs - sinceMs >= (state === 'quiet' ? quietMs : stalledMs);
}

function stateOf(connection: Duplex): State {
  if (connection.writableLength > 0) return 'stalled';
  const fast = fastStateOf(connection as Socket);
  const isBusy = fast === undefined ? !isIdle(connection) && !isLingering(connection) : fast === 'busy';
  return isBusy ? 'busy' : 'quiet';
}

/** Differs from what it was before if another request has begun in the meantime. */
function requestOf(connection: Duplex): unknown {
  return requestsBegun(connection as Socket) ?? lastRequestOf(connection);
}

interface WithHandle {
  /** Of Node's sockets. The bytes that the system has not taken yet; they count as written. */
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

function sentBytes(connection: Socket): number {
  return connection.bytesWritten - ((connection as unknown as WithHandle)._handle?.writeQueueSize ?? 0);
}
