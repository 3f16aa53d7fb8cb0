import type { Socket } from 'node:net';
import { type Connection, connectionOf } from './connection.js';

/** Node's parser gets at most so much of a head at a time. */
const pieceBytes = 1024;
/** Of a body without a length, it gets up to so much: it may end, and requests follow. */
const maxBodyPieceBytes = 16 * 1024;
/** With this many waiting, no more are read. The piece that is parsed may hold some more. */
const maxQueued = 32;

const emptyLine = '\r\n\r\n';

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
  const reader = createPieceReader(connection, (piece) => parse.call(socket, piece));

  function put(chunk: Buffer): void {
    let rest = chunk;
    // After a CONNECT, Node uses its parser for another connection.
    while (rest.length > 0 && !socket.destroyed && !connection.isRefused && !connection.hasLeftHttp) {
      if (mustWait(connection) || isPausedByNode(socket)) {
        socket.pause();
        socket.unshift(rest);
        return;
      }
      rest = rest.subarray(reader.readFrom(rest));
    }
  }

  socket.removeListener('data', parse as (chunk: Buffer) => void);
  socket.on('data', put);
}

interface PieceReader {
  /** Passes the next piece of these bytes on, and gives its size. */
  readFrom(bytes: Buffer): number;
}

/**
 * Every head ends with its piece, and so does every body in chunks, because both end with an empty line. So `head` of the
 * connection is exactly what has arrived of one head when Node reports its request.
 */
function createPieceReader(connection: Connection, parse: (piece: Buffer) => void): PieceReader {
  /** The number of the next bytes that are the body of the request that was read last. */
  let bodyBytes = 0;
  /** The end of the piece before: an empty line may lie in both. */
  let before = '';
  let most = pieceBytes;

  function readBody(bytes: Buffer): number {
    const size = Math.min(bytes.length, bodyBytes);
    bodyBytes -= size;
    parse(size === bytes.length ? bytes : bytes.subarray(0, size));
    return size;
  }

  function readLines(bytes: Buffer): number {
    const text = before + bytes.toString('latin1', 0, most);
    const empty = text.indexOf(emptyLine);
    const end = empty === -1 ? text.length : empty + emptyLine.length;
    const size = end - before.length;
    const wasInBody = isInBody(connection);
    if (!wasInBody) connection.head += text.slice(before.length, end);
    before = empty === -1 ? text.slice(-emptyLine.length + 1) : '';
    const { request } = connection;
    parse(size === bytes.length ? bytes : bytes.subarray(0, size));
    if (empty !== -1) connection.head = '';
    if (connection.request !== request)
      bodyBytes = Number(connection.request?.headers['content-length'] ?? 0);
    most = wasInBody && isInBody(connection) ? Math.min(2 * most, maxBodyPieceBytes) : pieceBytes;
    return size;
  }

  return { readFrom: (bytes) => (bodyBytes > 0 ? readBody(bytes) : readLines(bytes)) };
}

/** Whether the next bytes belong to the request in progress: its body has no length. */
function isInBody({ request, queued }: Connection): boolean {
  return queued === 0 && request?.complete === false;
}

/** Whether so many requests of a connection wait that no more are read from it. */
export function mustWait({ queued }: Connection): boolean {
  return queued >= maxQueued;
}

/** Whether Node waits for the client to read answers. It must get no bytes then, and resumes the socket itself. */
function isPausedByNode(socket: Socket & { readonly _paused?: boolean }): boolean {
  return socket._paused === true;
}
