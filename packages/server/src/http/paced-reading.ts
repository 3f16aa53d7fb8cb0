import type { Socket } from 'node:net';
import { type Connection, connectionOf } from './connection.js';

/** Node's parser gets so much at a time from a connection that pipelines many requests: at most 57 of them. */
const pieceBytes = 1024;
/** With this many waiting, no more are read. The piece that is parsed may hold some more. */
const maxQueued = 32;

const waiting: (() => void)[] = [];
let isTaken = false;

/**
 * Calls `read`, which lets Node's parser read what a connection has sent, when it is its turn: one connection in each
 * turn of the event loop, and at once if none is reading. So many connections that send many requests at once do not
 * keep others waiting.
 */
export function readInTurn(read: () => void): void {
  if (isTaken) {
    waiting.push(read);
    return;
  }
  isTaken = true;
  setImmediate(nextTurn);
  read();
}

function nextTurn(): void {
  const read = waiting.shift();
  if (read === undefined) {
    isTaken = false;
    return;
  }
  setImmediate(nextTurn);
  read();
}

/**
 * From now on, Node's parser gets the bytes of the connection in pieces, and none while many of its requests wait: then
 * resume the socket when `mustWait` of the connection has become false. Otherwise Node parses 64 KiB at a time, up to
 * 3,600 requests: 30 ms of work and 30 MiB of objects. Pausing the socket is not enough, because Node resumes it at the
 * end of each request.
 *
 * Node's parser usually reads from the system itself, past the buffer of the socket. A listener for `data` ends that, so
 * that bytes in the buffer stay in front of those that come.
 */
export function parseInPieces(socket: Socket): void {
  const connection = connectionOf(socket);
  const [parse, ...others] = socket.listeners('data');
  // This version of Node works differently.
  if (parse === undefined || others.length > 0 || connection.isPaced) return;
  connection.isPaced = true;

  function put(chunk: Buffer, bytes: number): void {
    if (mustWait(connection) || isPausedByNode(socket)) {
      socket.pause();
      socket.unshift(chunk);
      return;
    }
    parse?.call(socket, chunk.subarray(0, bytes));
    // After a CONNECT, Node uses its parser for another connection.
    if (chunk.length <= bytes || socket.destroyed || connection.hasLeftHttp) return;
    // While nothing waits, the bytes are those of a body.
    put(chunk.subarray(bytes), connection.queued === 0 ? 2 * bytes : pieceBytes);
  }

  socket.removeListener('data', parse as (chunk: Buffer) => void);
  socket.on('data', (chunk: Buffer) => {
    if (!connection.hasLeftHttp) put(chunk, pieceBytes);
  });
}

/** Whether so many requests of a connection wait that no more are read from it. */
export function mustWait({ queued }: Connection): boolean {
  return queued >= maxQueued;
}

/** Whether Node waits for the client to read answers. It must get no bytes then, and resumes the socket itself. */
function isPausedByNode(socket: Socket & { readonly _paused?: boolean }): boolean {
  return socket._paused === true;
}
