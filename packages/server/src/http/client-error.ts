import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { connectionFor } from './connection.js';

const takesTooLong = 'ERR_HTTP_REQUEST_TIMEOUT';
const answers: Readonly<Record<string, { status: number; message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The head of the request is too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The chunk extensions are too large' },
  TRANSFER_ENCODING: { status: 400, message: 'Transfer-Encoding: only chunked is known' },
  CONNECT: { status: 405, message: 'Method not allowed' },
  [takesTooLong]: { status: 408, message: 'The request took too long to arrive' },
};
const malformed = { status: 400, message: 'The request is not HTTP' };
const lingerMs = 1000;
/** Bytes behind a request that said it was the last one. */
const behindTheLast = 'HPE_CLOSED_CONNECTION';

export interface Refusals {
  /**
   * To be asked before every request. False: it is not to be done, because two readers could disagree where it
   * ends, or because its connection was refused already. It is answered here, if at all.
   */
  takes(request: IncomingMessage, response: ServerResponse): boolean;
  /** For a connection that said nothing in its first time. */
  readonly tooLate: (socket: Duplex) => void;
  /** For a server's `clientError`. */
  readonly onClientError: (error: Error & { code?: string }, socket: Duplex) => void;
  /** For a server's `connect`: a tunnel is nothing that this service has. */
  readonly onConnect: (request: IncomingMessage, socket: Duplex) => void;
}

/**
 * What Node's parser refuses never becomes a request: it is answered here, and the connection ends. Requests
 * before it on the same connection keep their answers: the refusal waits until they are out, else a client would
 * take it for the answer to one of them, or find it in the middle of a download.
 */
export function createRefusals(): Refusals {
  return {
    takes(request, response) {
      const connection = connectionFor(request.socket);
      if (connection.isRefused) return false;
      const previous = connection.response;
      const before = previous !== undefined && !isOver(previous) ? previous : undefined;
      if (hasClearEnd(request)) {
        connection.request = request;
        connection.response = response;
        connection.before = before;
        return true;
      }
      connection.isRefused = true;
      whenOver(before, () => refuse(request.socket, 'TRANSFER_ENCODING'));
      return false;
    },

    tooLate: (socket) => refuse(socket, takesTooLong),

    onClientError(error, socket) {
      const connection = connectionFor(socket);
      // Bytes that still come are refused again: read and thrown away, so that the first refusal can be read.
      if (connection.isRefused && error.code !== 'ECONNRESET') return;
      if (!socket.writable || error.code === 'ECONNRESET') {
        socket.destroy();
        return;
      }
      connection.isRefused = true;
      const { request, response, before } = connection;
      if (request === undefined || response === undefined) {
        refuse(socket, error.code);
      } else if (request.complete) {
        whenOver(response, () => {
          if (error.code === behindTheLast) end(socket);
          else refuse(socket, error.code);
        });
      } else {
        // It is the last request itself that is broken. It may have had its answer before all of it came.
        whenOver(before, () => {
          if (response.headersSent) whenOver(response, () => end(socket));
          else refuse(socket, error.code);
        });
      }
    },

    onConnect(_request, socket) {
      // Node lets go of the socket here: nobody else listens for its errors.
      socket.on('error', () => socket.destroy());
      whenOver(connectionFor(socket).response, () => refuse(socket, 'CONNECT'));
    },
  };
}

/** Node's parser takes an empty coding for none, and others may not: whatever is no plain `chunked` is refused. */
function hasClearEnd(request: IncomingMessage): boolean {
  const coding = request.headers['transfer-encoding'];
  return coding === undefined || coding.toLowerCase() === 'chunked';
}

function isOver(response: ServerResponse): boolean {
  return response.writableFinished || response.destroyed;
}

function whenOver(response: ServerResponse | undefined, then: () => void): void {
  if (response === undefined || isOver(response)) then();
  else response.once('close', then);
}

function refuse(socket: Duplex, code: string | undefined): void {
  if (!socket.writable) return;
  const { status, message } = answers[code ?? ''] ?? malformed;
  const body = JSON.stringify({ errors: [message] });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
    ...(status === 405 ? ['Allow: GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS'] : []),
  ];
  end(socket, `${head.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * Closes in two steps: what still comes is taken for a moment, since a connection that is closed upon unread bytes
 * is reset, and its client may lose the answer. A client that does not close its side is not waited for.
 */
function end(socket: Duplex, bytes = ''): void {
  socket.end(bytes, () => {
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  });
}
