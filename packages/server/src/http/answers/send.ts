import type { IncomingMessage, ServerResponse } from 'node:http';
import { connectionOf } from '../connections/connection.js';
import type { BufferBudget } from '../memory/buffer-budget.js';
import { holdAnswer } from '../memory/hold-answer.js';
import type { Answer } from '../requests/call.js';
import type { Sent } from '../requests/exchange.js';
import type { NodeExchange } from '../requests/node-exchange.js';
import { type BufferedBody, bufferedBody } from './buffered-body.js';
import { anyOrigin, type CorsOrigins, corsHeaders } from './cors.js';
import type { ResponseHead } from './response-head.js';
import { isSliced, stream, writeInSlices } from './stream.js';

export interface SendOptions {
  readonly corsOrigins: CorsOrigins;
  readonly responseHead: ResponseHead;
  readonly budget: BufferBudget;
}

/** Where Node keeps a response's head until it is sent before the first bytes. */
interface WithHead {
  _header: string | null;
}

/**
 * Sends answers through Node's responses. A buffered body is sent with its head in one write, a streamed one as fast as
 * the client reads it. If a stream fails midway, the connection ends, and the client sees that bytes are missing.
 */
export function createSend({ corsOrigins, responseHead, budget }: SendOptions) {
  function headOf(exchange: NodeExchange, answer: Answer): string[] {
    const { request, response } = exchange;
    const isForAll = answer.headers.includes(anyOrigin[0]);
    const cors = isForAll ? [] : corsHeaders(request, corsOrigins);
    const head = [...answer.headers, 'X-Request-Id', exchange.requestId, ...cors];
    // Node's parser stops at a request that would change the protocol: what follows it is lost.
    // And a body may still arrive although `100 Continue` was not sent.
    const isLast = request.headers.upgrade !== undefined || exchange.awaitsContinue;
    if (isLast) head.push('Connection', 'close');
    if (isLast || !response.shouldKeepAlive) connectionOf(request.socket).hasLastAnswer = true;
    return head;
  }

  function sendBuffered(exchange: NodeExchange, answer: Answer, body: BufferedBody): number {
    const { request, response } = exchange;
    const { status } = answer;
    const { bytes, encoding, size } = body;
    if (hasPlainHead(exchange) && setHead(response, responseHead(answer, exchange.requestId, size))) {
      response.statusCode = status;
      response.end(bytes, encoding);
      discardRest(request);
      return size;
    }
    const head = headOf(exchange, answer);
    if (status !== 204 && status !== 304) head.push('Content-Length', String(size));
    response.writeHead(status, head);
    if (isCutShort(exchange)) endAfterRest(exchange, body);
    else {
      response.end(bytes, encoding);
      discardRest(request);
    }
    return request.method === 'HEAD' ? 0 : size;
  }

  async function sendSliced(exchange: NodeExchange, answer: Answer, body: BufferedBody): Promise<Sent> {
    const { request, response } = exchange;
    const { size } = body;
    response.writeHead(answer.status, [...headOf(exchange, answer), 'Content-Length', String(size)]);
    await writeInSlices(body, { socket: request.socket, response, budget, exchange });
    response.end();
    discardRest(request);
    return { bytes: size };
  }

  function hasPlainHead({ request, response, awaitsContinue }: NodeExchange): boolean {
    const { origin, upgrade } = request.headers;
    return (
      corsOrigins === '*' &&
      response.shouldKeepAlive &&
      origin === undefined &&
      upgrade === undefined &&
      !awaitsContinue &&
      request.method !== 'HEAD'
    );
  }

  return (exchange: NodeExchange, answer: Answer): number | Promise<Sent> => {
    const { headers, body } = answer;
    const { request, response } = exchange;
    if (typeof body === 'string' || Buffer.isBuffer(body)) {
      const buffered = bufferedBody(body);
      const isInSlices =
        isSliced(request.socket, buffered.size) && request.method !== 'HEAD' && !isCutShort(exchange);
      if (isInSlices) return sendSliced(exchange, answer, buffered);
      const size = sendBuffered(exchange, answer, buffered);
      holdAnswer(budget, exchange, { socket: request.socket, size });
      return size;
    }
    const sendHead = () => response.writeHead(answer.status, headOf(exchange, answer));
    if (request.method === 'HEAD') {
      sendHead().end();
      discardRest(request);
      void body[Symbol.asyncIterator]().return?.();
      return 0;
    }
    const options = { socket: request.socket, response, budget, sendHead, client: exchange };
    return stream({ headers, body, isEndless: answer.isEndless }, options).finally(() => {
      // The body may have been read while the answer was sent.
      exchange.hold?.release();
      discardRest(request);
    });
  };
}

/**
 * Node builds a head and checks it field by field: 2.3 of the 15 µs that a bare answer takes, and more the more fields
 * there are. So the finished head is put where Node keeps its own (`_header`, which has existed since Node's first
 * days). False if there is no such field: then Node builds the head.
 */
function setHead(response: ServerResponse, head: string | undefined): boolean {
  const internals = response as unknown as WithHead;
  if (head === undefined || internals._header !== null) return false;
  internals._header = head;
  return true;
}

const lingerMs = 10_000;

/** Whether the answer is sent before the whole body has arrived, so that it is the last one on the connection. */
function isCutShort({ request, response, awaitsContinue, contentLength }: NodeExchange): boolean {
  const hasBody = (contentLength ?? 0) > 0 || request.headers['transfer-encoding'] !== undefined;
  return hasBody && !request.complete && !response.shouldKeepAlive && !awaitsContinue;
}

/**
 * If a connection with unread bytes is closed, it is reset, and its client may never see the answer. So the whole
 * answer is sent now, and the connection ends when the rest of the body has arrived and was discarded.
 */
function endAfterRest({ request, response }: NodeExchange, { bytes, encoding }: BufferedBody): void {
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMs);
  request.once('end', end);
  request.once('close', end);
  connectionOf(request.socket).isLingering = true;
  response.write(bytes, encoding);
  boundRest(request);
  request.resume();
}

/** Node discards a body that no reader has begun to read. Otherwise the next request would wait for the rest. */
function discardRest(request: IncomingMessage): void {
  boundRest(request);
  if (!request.complete && request.readableFlowing !== null) request.resume();
}

/**
 * Of a body whose request was answered before it had arrived, so much is read and discarded: more than the largest body that a
 * client sends whole before it reads an answer (an item, a part or a small file).
 */
const mostBytes = 32 * 1024 * 1024;
const lookEveryMs = 100;

/**
 * Ends the connection of a request that was answered, once too much more of its body has arrived: nobody wants it
 * (docs/http.md#errors). Until then it is read, because a client that is still sending may not see the answer otherwise.
 */
function boundRest(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  const from = socket.bytesRead;
  const timer = setInterval(look, lookEveryMs).unref();
  socket.once('close', stop);

  function look(): void {
    if (request.complete) stop();
    else if (socket.bytesRead - from > mostBytes) socket.destroy();
  }

  function stop(): void {
    clearInterval(timer);
    socket.removeListener('close', stop);
  }
}
