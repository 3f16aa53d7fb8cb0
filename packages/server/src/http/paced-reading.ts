import type { Socket } from 'node:net';
import { type Connection, connectionOf } from './connection.js';

/** Node's parser gets so much at a time from a connection: at most 57 requests. */
const pieceBytes = 1024;
/** Of a body without a length, it gets up to so much: it may end, and requests follow. */
const maxBodyPieceBytes = 16 * 1024;
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
 * Node's parser gets the bytes of the connection in pieces, and none while many of its requests wait: then resume the
 * socket when `mustWait` of the connection has become false. Otherwise Node parses 64 KiB at a time, up to 3,600
 * requests: 30 ms of work and 30 MiB of objects, for each connection. Pausing the socket is not enough, because Node
 * resumes it at the end of each request. Call it when Node has begun to listen to the socket.
 *
 * Node's parser usually reads from the system itself, past the buffer of the socket. A listener for `data` ends that, so
 * that bytes in the buffer stay in front of those that come.
 */
export function parseInPieces(socket: Socket): void {
  const connection = connectionOf(socket);
  const [parse, ...others] = socket.listeners('data');
  // This version of Node works differently.
  if (parse === undefined || others.length > 0) return;
  /** So many of the next bytes are the body of the request that was read last: they can be parsed at once. */
  let bodyBytes = 0;

  function put(chunk: Buffer, most: number): void {
    if (mustWait(connection) || isPausedByNode(socket)) {
      socket.pause();
      socket.unshift(chunk);
      return;
    }
    const size = Math.min(chunk.length, Math.max(most, bodyBytes));
    const piece = size === chunk.length ? chunk : chunk.subarray(0, size);
    const { request } = connection;
    parse?.call(socket, piece);
    bodyBytes = connection.request === request ? Math.max(0, bodyBytes - size) : bodyBehind(connection, size);
    // After a CONNECT, Node uses its parser for another connection.
    if (size === chunk.length || socket.destroyed || connection.hasLeftHttp) return;
    put(chunk.subarray(size), isInBody(connection) ? Math.min(2 * size, maxBodyPieceBytes) : pieceBytes);
  }

  socket.removeListener('data', parse as (chunk: Buffer) => void);
  socket.on('data', (chunk: Buffer) => {
    if (!connection.hasLeftHttp) put(chunk, pieceBytes);
  });
}

/** Whether the next bytes belong to the request in progress: its body has no length. */
function isInBody({ request, queued }: Connection): boolean {
  return queued === 0 && request?.complete === false;
}

/** How many bytes of the body of the last request are certain to follow the piece in which it began. */
function bodyBehind({ request }: Connection, pieceSize: number): number {
  const length = Number(request?.headers['content-length'] ?? 0);
  return Math.max(0, length - pieceSize);
}

/** Whether so many requests of a connection wait that no more are read from it. */
export function mustWait({ queued }: Connection): boolean {
  return queued >= maxQueued;
}

/** Whether Node waits for the client to read answers. It must get no bytes then, and resumes the socket itself. */
function isPausedByNode(socket: Socket & { readonly _paused?: boolean }): boolean {
  return socket._paused === true;
}
