import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Hold } from '../memory/buffer-budget.js';

/** The state of a connection that Node does not keep. */
export interface Connection {
  /** The last request that was read, its response, and the response before that if it is not finished. */
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  previous: ServerResponse | undefined;
  /** Takes the body of the request, piece by piece, in memory that is overwritten later. Undefined: Node's stream does. */
  takeBody: ((bytes: Buffer) => void) | undefined;
  /** Passes bytes to `takeBody` as far as they belong to the body, and gives their number. Undefined: it cannot be done. */
  readBody: ((bytes: Buffer) => number) | undefined;
  /** What has arrived of the head that is being read, as text. */
  head: string;
  /** Requests that wait for the answers to those before them. */
  queued: number;
  /** The memory that the budget counts for them. */
  queueHold: Hold | undefined;
  /** Whether it was refused: then everything that still arrives is ignored. */
  isRefused: boolean;
  /** Whether an answer has said that it is the last one: then nothing follows it. */
  hasLastAnswer: boolean;
  /** Whether that answer was written without its end, which waits for the rest of the request's body. */
  isLingering: boolean;
  /** Whether it asked for a tunnel: Node does not parse what follows. */
  hasLeftHttp: boolean;
}

const connectionKey = Symbol('connection');

interface WithConnection {
  [connectionKey]?: Connection;
}

/** Stored on the socket: a weak map costs the garbage collector more, the more sockets there are. */
export function connectionOf(socket: Duplex): Connection {
  const owner = socket as WithConnection;
  owner[connectionKey] ??= {
    request: undefined,
    response: undefined,
    previous: undefined,
    takeBody: undefined,
    readBody: undefined,
    head: '',
    queued: 0,
    queueHold: undefined,
    isRefused: false,
    hasLastAnswer: false,
    isLingering: false,
    hasLeftHttp: false,
  };
  return owner[connectionKey];
}

/** The last request whose head has arrived on it. */
export function lastRequestOf(socket: Duplex): IncomingMessage | undefined {
  return (socket as WithConnection)[connectionKey]?.request;
}

/** Whether the whole head of a request has arrived on it. Node regards only such connections as idle. */
export function hasBegun(socket: Duplex): boolean {
  return lastRequestOf(socket) !== undefined;
}

/** Whether no request is being answered on it. Part of the head of the next one may have arrived. */
export function isIdle(socket: Duplex): boolean {
  const connection = (socket as WithConnection)[connectionKey];
  return connection?.response === undefined || isFinished(connection.response);
}

/** Whether its last answer has been written, and only the rest of the request's body, which nobody reads, keeps it open. */
export function isLingering(socket: Duplex): boolean {
  const connection = (socket as WithConnection)[connectionKey];
  return connection?.isLingering === true && connection.request?.complete === false;
}

export function isFinished(response: ServerResponse): boolean {
  return response.writableFinished || response.destroyed;
}

/** Calls `then` when the response is finished, or its connection has ended. */
export function whenFinished(response: ServerResponse | undefined, then: () => void): void {
  if (response === undefined || isFinished(response)) then();
  else response.once('close', then);
}
