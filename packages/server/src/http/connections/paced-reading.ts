import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Connection, connectionOf } from './connection.js';

/** Node's parser gets at most this many bytes of a head at a time. */
const pieceBytes = 1024;
/** Of a body without a length, it gets up to this many bytes: the body may end, and requests follow. */
const maxBodyPieceBytes = 16 * 1024;
/** With this many waiting, no more are read. The piece that is parsed may hold some more. */
const maxQueued = 32;

/** After this many, other connections come first: a body in chunks may have an empty line in every four bytes. */
const mostPieces = 64;

const emptyLine = '\r\n\r\n';

const waiting: (() => void)[] = [];
let isTaken = false;

/**
 * Calls `read`, which lets Node's parser read what a connection has sent, when it is its turn: one connection in each
 * turn of the event loop, and at once if none is reading. So connections that send many requests at once do not keep
 * others waiting, however many they are.
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
  const parsePiece = (piece: Buffer) => void parse.call(socket, piece);
  const parseUnseen = unseenBy(socket, parsePiece);
  const reader = createPieceReader(connection, parsePiece, parseUnseen);

  // After a CONNECT, Node uses its parser for another connection.
  const isIgnored = () => socket.destroyed || connection.isRefused || connection.hasLeftHttp;

  let isBetweenTurns = false;
  const goOn = () => {
    if (isBetweenTurns && !socket.destroyed) socket.resume();
  };

  /** If Node has paused the socket, since nobody reads the body, it resumes it as well. */
  function leaveToOthers(rest: Buffer): void {
    isBetweenTurns = !socket.isPaused();
    socket.pause();
    socket.unshift(rest);
    if (isBetweenTurns) readInTurn(goOn);
  }

  function put(chunk: Buffer): void {
    isBetweenTurns = false;
    let rest = chunk;
    for (let pieces = 0; rest.length > 0 && !isIgnored(); pieces++) {
      if (mustWait(connection) || isPausedByNode(socket)) {
        socket.pause();
        socket.unshift(rest);
        return;
      }
      if (pieces === mostPieces) {
        leaveToOthers(rest);
        return;
      }
      rest = rest.subarray(reader.readFrom(rest));
    }
  }

  if (parseUnseen !== undefined) {
    connection.readBody = (bytes) => (isIgnored() || isPausedByNode(socket) ? 0 : reader.readBody(bytes));
  }
  socket.removeListener('data', parse as (chunk: Buffer) => void);
  socket.on('data', put);
}

interface WithParser {
  readonly parser?:
    | (Record<number, unknown> & { readonly constructor: { readonly kOnBody?: number } })
    | null;
}

/**
 * Lets Node's parser count the bytes of a body without passing them on: it copies what it passes on, and looks for the
 * function that is to get it each time. Undefined if this version of Node works differently.
 */
function unseenBy(
  socket: Socket & WithParser,
  parse: (piece: Buffer) => void,
): ((piece: Buffer) => void) | undefined {
  const { parser } = socket;
  const index = parser?.constructor.kOnBody;
  if (!parser || index === undefined || typeof parser[index] !== 'function') return undefined;
  const onBody = parser[index];
  return (piece) => {
    parser[index] = undefined;
    try {
      parse(piece);
    } finally {
      // Node uses a parser again for another connection.
      parser[index] = onBody;
    }
  };
}

/**
 * Gives bytes that a connection has read, and that are overwritten later, to whoever takes the body in progress. What is no
 * part of that is copied for the stream, as is everything while others wait there.
 */
export function pushRead(socket: Duplex, bytes: Buffer): boolean {
  const { takeBody, readBody } = connectionOf(socket);
  const isNext = takeBody !== undefined && socket.readableFlowing === true && socket.readableLength === 0;
  const taken = isNext ? (readBody?.(bytes) ?? 0) : 0;
  return taken === bytes.length || socket.push(Buffer.from(taken === 0 ? bytes : bytes.subarray(taken)));
}

/**
 * Every head ends with its piece, and so does every body in chunks, because both end with an empty line. So `head` of the
 * connection is exactly what has arrived of one head when Node reports its request.
 */
function createPieceReader(
  connection: Connection,
  parse: (piece: Buffer) => void,
  parseUnseen: ((piece: Buffer) => void) | undefined,
) {
  /** The number of the next bytes that are the body of the request that was read last. */
  let bodyBytes = 0;
  /** The end of the piece before: an empty line may lie in both. */
  let before = '';
  let most = pieceBytes;

  /** What nobody reads is not passed on: a body in chunks of one byte calls for each of them otherwise. */
  function parseBody(piece: Buffer): void {
    const read = isDiscarded(connection) ? (parseUnseen ?? parse) : parse;
    read(piece);
  }

  /** Passes these bytes on as far as they belong to the body of the request that was read last, and gives their number. */
  function readBody(bytes: Buffer): number {
    const size = Math.min(bytes.length, bodyBytes);
    bodyBytes -= size;
    const piece = size === bytes.length ? bytes : bytes.subarray(0, size);
    const { takeBody } = connection;
    if (takeBody === undefined || parseUnseen === undefined) parseBody(piece);
    else {
      takeBody(piece);
      parseUnseen(piece);
    }
    return size;
  }

  function readLines(bytes: Buffer): number {
    const window = bytes.length > most ? bytes.subarray(0, most) : bytes;
    const end = endOfEmptyLine(before, window);
    const size = end ?? window.length;
    const wasInBody = isInBody(connection);
    if (!wasInBody) connection.head += window.toString('latin1', 0, size);
    const last = emptyLine.length - 1;
    before =
      end === undefined ? (before + window.toString('latin1', Math.max(0, size - last))).slice(-last) : '';
    const { request } = connection;
    const piece = size === bytes.length ? bytes : bytes.subarray(0, size);
    if (wasInBody) parseBody(piece);
    else parse(piece);
    if (end !== undefined) connection.head = '';
    if (connection.request !== request)
      bodyBytes = Number(connection.request?.headers['content-length'] ?? 0);
    most = wasInBody && isInBody(connection) ? Math.min(2 * most, maxBodyPieceBytes) : pieceBytes;
    return size;
  }

  /** Passes the next piece of these bytes on, and gives its size. */
  const readFrom = (bytes: Buffer) => (bodyBytes > 0 ? readBody(bytes) : readLines(bytes));
  return { readFrom, readBody };
}

/** Where the first empty line ends in these bytes, which follow those of `before`; undefined if there is none. */
function endOfEmptyLine(before: string, bytes: Buffer): number | undefined {
  if (before !== '') {
    const at = (before + bytes.toString('latin1', 0, emptyLine.length - 1)).indexOf(emptyLine);
    if (at !== -1) return at + emptyLine.length - before.length;
  }
  const at = bytes.indexOf(emptyLine, 0, 'latin1');
  return at === -1 ? undefined : at + emptyLine.length;
}

/** Whether the next bytes belong to the request in progress: its body has no length. */
function isInBody({ request, queued }: Connection): boolean {
  return queued === 0 && request?.complete === false;
}

/** Whether the rest of the body of the last request goes to nobody, since the request was answered without it. */
function isDiscarded({ request, response, takeBody }: Connection): boolean {
  if (request === undefined || takeBody !== undefined || request.listenerCount('data') > 0) return false;
  // Node lets it flow away at the end of the answer if nobody has begun to read it.
  return request.readableFlowing ?? response?.writableEnded === true;
}

/** Whether so many requests of a connection wait that no more are read from it. */
export function mustWait({ queued }: Connection): boolean {
  return queued >= maxQueued;
}

/** Whether Node waits for the client to read answers. It must get no bytes then, and resumes the socket itself. */
function isPausedByNode(socket: Socket & { readonly _paused?: boolean }): boolean {
  return socket._paused === true;
}
