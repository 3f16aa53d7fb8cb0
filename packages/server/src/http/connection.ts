import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** What is known of a connection beside what Node knows. */
export interface Connection {
  /** Its last request, and the answers to that and to the one before it: those may still be on their way. */
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  before: ServerResponse | undefined;
  /** It was refused: whatever still comes is not looked at. */
  isRefused: boolean;
}

const connectionOf = Symbol('connection');

interface Marked {
  [connectionOf]?: Connection;
}

/** A mark on the socket: a weak map of all of them costs the garbage collector more the more there are. */
export function connectionFor(socket: Duplex): Connection {
  const marked = socket as Marked;
  marked[connectionOf] ??= { request: undefined, response: undefined, before: undefined, isRefused: false };
  return marked[connectionOf];
}

/** Whether a whole head of a request has come on it. Node counts only such connections as idle. */
export function hasBegun(socket: Duplex): boolean {
  return (socket as Marked)[connectionOf]?.request !== undefined;
}
