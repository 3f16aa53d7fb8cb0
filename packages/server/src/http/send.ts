import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Answer } from './call.js';
import { type CorsOrigins, corsHeaders } from './cors.js';
import type { Exchange } from './exchange.js';
import { createPlainAnswers } from './plain-answer.js';

/** How a streamed answer ended: the bytes of the body that went out, and what cut it off. */
export interface Sent {
  readonly bytes: number;
  readonly failure?: unknown;
  /** Nothing of the answer went out before the failure: another one can be given. */
  readonly isUnsent?: boolean;
}

/**
 * Node joins a string to the head and hands both over in one call; a buffer is a second piece, gathered by the
 * kernel: 3 µs more, a sixth of a small answer. What is larger than its buffer for strings is not faster so.
 */
const maxJoinedBytes = 12 * 1024;

/** Writes an answer; returns the bytes of its body, or, of a streamed one, how it ended once it has. */
export type Send = (exchange: Exchange, answer: Answer) => number | Promise<Sent>;

export interface SendOptions {
  readonly corsOrigins: CorsOrigins;
  /** What a client is told of how long a connection without requests stays open. */
  readonly idleTimeoutMs: number;
}

/**
 * A body at hand goes out with its head in one write; a streamed one as fast as the client takes it. A stream that
 * fails midway ends the connection: the client sees that its length is not reached.
 */
export function createSend({ corsOrigins, idleTimeoutMs }: SendOptions): Send {
  const sendPlainAnswer = createPlainAnswers(idleTimeoutMs);

  function headOf(exchange: Exchange, answer: Answer): string[] {
    const { request } = exchange;
    const cors = corsHeaders(request, corsOrigins);
    const head = [...answer.headers, 'X-Request-Id', exchange.requestId, ...cors];
    // Node's parser stops at a request that would change the protocol: what came behind it is lost.
    // And nobody knows whether the body that was not asked for comes all the same.
    if (request.headers.upgrade !== undefined || exchange.awaitsContinue) head.push('Connection', 'close');
    return head;
  }

  function sendAtHand(exchange: Exchange, answer: Answer, body: Buffer | string): number {
    const { request, response } = exchange;
    const { status } = answer;
    const encoding = typeof body === 'string' ? ('utf8' as const) : ('latin1' as const);
    const size = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const joined = typeof body === 'string' || size > maxJoinedBytes ? body : body.toString('latin1');
    const plain = {
      status,
      headers: answer.headers,
      requestId: exchange.requestId,
      body: joined,
      encoding,
      size,
    };
    if (hasUsualHead(exchange) && sendPlainAnswer(response, plain)) {
      discardRest(request);
      return size;
    }
    const head = headOf(exchange, answer);
    if (status !== 204 && status !== 304) head.push('Content-Length', String(size));
    response.writeHead(status, head);
    if (isCutShort(exchange)) endBehindRest(exchange, joined, encoding);
    else response.end(joined, encoding);
    discardRest(request);
    return request.method === 'HEAD' ? 0 : size;
  }

  function hasUsualHead({ request, awaitsContinue }: Exchange): boolean {
    const { origin, upgrade } = request.headers;
    return (
      corsOrigins === '*' &&
      origin === undefined &&
      upgrade === undefined &&
      !awaitsContinue &&
      request.method !== 'HEAD'
    );
  }

  return (exchange, answer) => {
    const { body } = answer;
    if (typeof body === 'string' || Buffer.isBuffer(body)) return sendAtHand(exchange, answer, body);
    const { request, response } = exchange;
    const sendHead = () => response.writeHead(answer.status, headOf(exchange, answer));
    if (request.method === 'HEAD') {
      sendHead().end();
      discardRest(request);
      void body[Symbol.asyncIterator]().return?.();
      return 0;
    }
    return stream(exchange, body, sendHead).finally(() => discardRest(request));
  };
}

const lingerMs = 10_000;

/** The answer comes before all of the body did, and is the last one of the connection. */
function isCutShort({ request, response, awaitsContinue, contentLength }: Exchange): boolean {
  const hasBody = (contentLength ?? 0) > 0 || request.headers['transfer-encoding'] !== undefined;
  return hasBody && !request.complete && !response.shouldKeepAlive && !awaitsContinue;
}

/**
 * A connection that is closed upon unread bytes is reset, and its client may never see the answer. So the whole answer
 * goes out now, and the connection ends when the rest of the body has come and was thrown away.
 */
function endBehindRest(
  { request, response }: Exchange,
  body: string | Buffer,
  encoding: 'utf8' | 'latin1',
): void {
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMs);
  request.once('end', end);
  request.once('close', end);
  response.write(body, encoding);
  request.resume();
}

/** Node reads on by itself when nobody has begun to; else the next request would wait behind the rest. */
function discardRest(request: IncomingMessage): void {
  if (!request.complete && request.readableFlowing !== null) request.resume();
}

async function stream(
  { request: { socket }, response }: Exchange,
  body: AsyncIterable<Buffer>,
  sendHead: () => void,
): Promise<Sent> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      if (socket.destroyed) break;
      // The head waits for the first bytes: a store that is away can then still be said with a status.
      if (!response.headersSent) sendHead();
      bytes += chunk.length;
      await write(socket, response, chunk);
    }
    if (!response.headersSent) sendHead();
    response.end();
    return { bytes };
  } catch (failure) {
    if (!response.headersSent) return { bytes, failure, isUnsent: true };
    response.destroy();
    return { bytes, failure };
  }
}

/**
 * Resolves when the bytes are out of this process, so that their buffer may be used again, or when nobody is left to
 * take them. A response that waits behind others of its connection does not hear of the connection's end, so the
 * socket is asked.
 */
function write(socket: Socket, response: ServerResponse, chunk: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.removeListener('close', done);
      resolve();
    };
    // One for each response that waits: as many as the client sent requests.
    socket.setMaxListeners(0);
    socket.once('close', done);
    response.write(chunk, done);
  });
}
