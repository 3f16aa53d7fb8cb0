import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { problemCodes } from '../../problem-codes.js';
import { errorsOf, methodNotAllowed, type Problem, type RequestError } from '../../request-error.js';
import { noSniff, noStore } from '../answers/answer.js';
import { connectionOf, isFinished, whenFinished } from './connection.js';

const requestTimeout = 'ERR_HTTP_REQUEST_TIMEOUT';
/** Node's error code for bytes after a request that announced itself as the last one. */
const bytesAfterLastRequest = 'HPE_CLOSED_CONNECTION';
/** The codes of errors after which nobody reads an answer, or may have the rest of one. */
const lost: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'ERR_TLS_SESSION_ATTACK']);
const badCoding = 'HPE_INVALID_TRANSFER_ENCODING';
/** Codes of this file: Node's parser accepts a coding in HTTP/1.0, and the versions 0.9 and 2.0 in a request line. */
const codingTooEarly = 'CODING_IN_HTTP_1_0';
const badVersion = 'HPE_INVALID_VERSION';
/** Node's error code for a method that it does not know, and for bytes that begin like no request. */
const unknownMethod = 'HPE_INVALID_METHOD';
const refusals: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: { code: 'head_too_large', message: 'The head of the request is too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { code: 'body_too_large', message: 'The chunk extensions are too large' },
  [badCoding]: { code: 'invalid_request', message: 'Transfer-Encoding: only chunked is known' },
  [codingTooEarly]: { code: 'invalid_request', message: 'Transfer-Encoding: HTTP/1.0 has none' },
  ERR_SSL_HTTP_REQUEST: {
    code: 'invalid_request',
    message: 'This port speaks HTTPS: use https:// in the URL',
  },
  [requestTimeout]: { code: 'request_timeout', message: 'The request took too long to arrive' },
};
const malformed: Problem = { code: 'invalid_request', message: 'The request is not HTTP' };
const noTunnels = methodNotAllowed('GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS');
const lingerMs = 1000;

/** A whole request line. Its method is any token of HTTP: what Node knows is less. */
const requestLine = /^(?:\r\n)*[!#$%&'*+.^`|~\w-]+ ([!-~]+) HTTP\/1\.[01]\r\n/;

/**
 * Refuses what must not be processed as a request. The refusal is the last answer on its connection. Requests before
 * a refused one on the same connection are still answered (docs/http.md#errors): the refusal waits until their
 * answers are sent. Otherwise a client would mistake it for the answer to one of them, or find it in the middle of a
 * download. `onRefused` is called with the status of every refusal. `problemAt` says what is wrong with a method that
 * no path has, at this target: there is no such path, or it has others.
 */
export function createConnectionGuard(
  problemAt: (target: string) => RequestError | undefined,
  onRefused?: (status: number) => void,
) {
  function refuseAndTell(socket: Duplex, cause: string | RequestError | undefined): void {
    if (connectionOf(socket).hasLastAnswer) {
      end(socket);
      return;
    }
    const status = refuse(socket, cause);
    if (status !== undefined) onRefused?.(status);
  }

  /** What is answered to bytes that Node's parser has refused with this code. */
  function causeOf(code: string | undefined, head: string): string | RequestError | undefined {
    const target = code === unknownMethod ? requestLine.exec(head)?.[1] : undefined;
    return (target === undefined ? undefined : problemAt(target)) ?? code;
  }

  return {
    /**
     * Call it for every request, in order. If it gives false, ignore the request: two parsers could disagree about where
     * it ends, or its connection has been refused already.
     */
    accepts(request: IncomingMessage, response: ServerResponse) {
      const connection = connectionOf(request.socket);
      if (connection.isRefused || connection.hasLastAnswer) return false;
      const last = connection.response;
      const previous = last !== undefined && !isFinished(last) ? last : undefined;
      const problem = framingProblem(request, connection.head);
      if (problem === undefined) {
        if (tabInConnection.test(connection.head)) response.shouldKeepAlive = false;
        connection.request = request;
        connection.response = response;
        connection.previous = previous;
        return true;
      }
      connection.isRefused = true;
      whenFinished(previous, () => refuseAndTell(request.socket, problem));
      return false;
    },

    /** For a connection on which no request came in time. */
    onFirstRequestTimeout: (socket: Duplex) => refuseAndTell(socket, requestTimeout),

    /** For a connection whose client has closed its side within a request. */
    onCutOff: (socket: Duplex) => refuse(socket, undefined),

    /** For a server's `clientError` event: what Node's parser refuses. */
    onClientError(error: Error & { code?: string }, socket: Duplex) {
      const connection = connectionOf(socket);
      // Bytes that still arrive are reported again. They are discarded, so that the client can read the first refusal.
      if (connection.isRefused && !lost.has(error.code)) return;
      // A client that negotiates TLS again and again could go on while a long answer is sent.
      if (!socket.writable || lost.has(error.code)) {
        socket.destroy();
        return;
      }
      connection.isRefused = true;
      const { request, response, previous } = connection;
      const cause = causeOf(error.code, connection.head);
      if (request === undefined || response === undefined) {
        refuseAndTell(socket, cause);
      } else if (request.complete) {
        whenFinished(response, () => {
          if (error.code === bytesAfterLastRequest) end(socket);
          else refuseAndTell(socket, cause);
        });
      } else {
        // The last request itself is broken. It may have been answered before all of it arrived.
        whenFinished(previous, () => {
          if (response.headersSent) whenFinished(response, () => end(socket));
          else refuseAndTell(socket, error.code);
        });
      }
    },

    /** For a server's `connect` event: the service offers no tunnels. */
    onConnect(_request: IncomingMessage, socket: Duplex) {
      connectionOf(socket).hasLeftHttp = true;
      // Node hands the socket over here: nothing else listens for its errors.
      socket.on('error', () => socket.destroy());
      whenFinished(connectionOf(socket).response, () => refuseAndTell(socket, noTunnels));
    },
  };
}

/** What Node 20 and later versions read in two ways: their values have no tab when they are passed on. */
const tabAfterLength = /\r\ncontent-length:[\t ]*[^\t ][^\r]*\t/i;
const tabInConnection = /\r\n(?:proxy-)?connection:[^\r]*\t/i;
/** A line whose name is empty or has a space. Empty lines may precede the request line, which has spaces. */
const oddName = /(?<=[^\r\n])\r\n(?:[^: \r]* |:)/;

/**
 * The error code if it is not clear where the request ends, else undefined. Node's parser ignores an empty coding, and
 * other parsers may not: only a plain `chunked` is accepted. Node 20 refuses a length with a tab after it. Node 20.19.0
 * accepts `Content-Length : 5` as a field of another name. A reader of HTTP/1.0 knows no coding, so what follows such a head
 * is no body for it (RFC 9112, 6.1).
 */
function framingProblem({ headers, httpVersion }: IncomingMessage, head: string): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return badVersion;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && httpVersion === '1.0') return codingTooEarly;
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return badCoding;
  if (oddName.test(head)) return 'HPE_INVALID_HEADER_TOKEN';
  return tabAfterLength.test(head) ? 'HPE_INVALID_CONTENT_LENGTH' : undefined;
}

/**
 * Sends this error, or the one for this error code of Node, and ends the connection. For bytes that never became a
 * request. Gives the status; undefined if the connection has ended already.
 */
export function refuse(socket: Duplex, cause: string | RequestError | undefined): number | undefined {
  if (!socket.writable) return undefined;
  const { problems, headers } =
    typeof cause === 'object' ? cause : { problems: [refusals[cause ?? ''] ?? malformed], headers: {} };
  const { status } = problemCodes[(problems[0] as Problem).code];
  const body = JSON.stringify(errorsOf(problems));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    noStore.join(': '),
    noSniff.join(': '),
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ];
  for (const [name, value] of Object.entries(headers)) head.push(`${name}: ${value}`);
  end(socket, `${head.join('\r\n')}\r\n\r\n${body}`);
  return status;
}

/**
 * Closes in two steps. If a connection with unread bytes is closed, it is reset, and the client may lose the answer: so
 * what still arrives is read for a moment. Then a client that has not closed its side is cut off.
 */
function end(socket: Duplex, bytes = ''): void {
  // Node has ended it after its last answer.
  if (!socket.writable) return;
  socket.end(bytes, () => {
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  });
}
