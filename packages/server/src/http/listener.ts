import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { StorageUnavailable } from '../engines/storage-errors.js';
import { hasControlCharacter } from '../lib/control-characters.js';
import type { Log } from '../lib/log.js';
import { badRequest, RequestError, unauthorized } from '../request-error.js';
import { errors } from './answer.js';
import type { Answer, Handler } from './call.js';
import { createRefusals } from './client-error.js';
import { type CorsOrigins, preflightHeaders } from './cors.js';
import type { Exchange } from './exchange.js';
import { createFastPath, type FastPath } from './fast-path/fast-path.js';
import { NodeExchange } from './node-exchange.js';
import { createRequestIds } from './request-id.js';
import { createResponseHead } from './response-head.js';
import type { Router } from './router.js';
import { createSend } from './send.js';

export interface ListenerOptions {
  readonly corsOrigins: CorsOrigins;
  /** What a client is told of how long a connection without requests stays open. */
  readonly idleTimeoutMs: number;
  readonly router: Router;
  /** The project whose key it is, or undefined. The same time for any key, an absent one too. */
  readonly authenticate: (apiKey: string | undefined) => string | undefined;
  /** More requests under way than this are answered 429. */
  readonly maxRequestsInFlight: number;
  /** One line a request; never a key, a body or a query string. */
  readonly log: Log;
}

const maxNameBytes = 255;
const retryAfterSeconds = '1';

/** What a server is to do with its events. */
export interface Listener {
  /** For `request`, and for `checkContinue`: a body is asked for only when a route wants it. */
  readonly onRequest: RequestListener;
  /** For `checkExpectation`: an `Expect` that nobody can fulfil. */
  readonly onExpectation: RequestListener;
  readonly onClientError: (error: Error, socket: Duplex) => void;
  readonly onConnect: (request: IncomingMessage, socket: Duplex) => void;
  /** For connections that need not begin with Node's own reader. */
  readonly fastPath: FastPath | undefined;
}

/**
 * Every request goes through here: route, key, names, handler, answer, log line. Written so that a request
 * whose answer is at hand waits for no promise.
 */
export function createListener(options: ListenerOptions): Listener {
  const { router, authenticate, maxRequestsInFlight, log, corsOrigins } = options;
  const responseHead = createResponseHead(options.idleTimeoutMs);
  const send = createSend({ corsOrigins, responseHead });
  const nextRequestId = createRequestIds();
  const refusals = createRefusals();
  let underWay = 0;

  function nodeExchange(request: IncomingMessage, response: ServerResponse): Exchange {
    return new NodeExchange(request, response, nextRequestId(request.headers['x-request-id']), send);
  }

  function finish(exchange: Exchange, answer: Answer): void {
    const sent = exchange.send(answer);
    if (typeof sent === 'number') {
      over(exchange, answer.status, sent);
    } else {
      void sent.then(({ bytes, failure, isUnsent }) => {
        if (isUnsent) fail(exchange, failure);
        else over(exchange, answer.status, bytes, failure);
      });
    }
  }

  /** The answer is out, or cut off. */
  function over(exchange: Exchange, status: number, bytes: number, failure?: unknown): void {
    underWay--;
    const fields = {
      requestId: exchange.requestId,
      method: exchange.method,
      route: exchange.route,
      status,
      durationMs: Math.round((performance.now() - exchange.startedMs) * 1000) / 1000,
      bytes,
      project: exchange.owner,
    };
    if (failure === undefined) log.info(fields, 'request');
    else log.error({ ...fields, err: failure }, 'answer cut off');
  }

  function fail(exchange: Exchange, cause: unknown): void {
    finish(exchange, failureAnswer(cause, exchange, log));
  }

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    if (!refusals.takes(request, response)) return;
    const exchange = nodeExchange(request, response);
    const lacksHost = request.httpVersion === '1.1' && request.headers.host === undefined;
    answer(exchange, lacksHost);
  }

  function answer(exchange: Exchange, lacksHost: boolean): void {
    underWay++;
    try {
      if (underWay > maxRequestsInFlight) {
        finish(exchange, tooManyRequests());
        return;
      }
      if (lacksHost) throw badRequest('Host: must be given');
      if (exchange.method === 'OPTIONS') {
        finish(exchange, { status: 204, headers: preflightHeaders(), body: '' });
        return;
      }
      const given = route(exchange)(exchange);
      if (given instanceof Promise) {
        given.then(
          (settled) => finish(exchange, settled),
          (cause) => fail(exchange, cause),
        );
      } else {
        finish(exchange, given);
      }
    } catch (cause) {
      fail(exchange, cause);
    }
  }

  /** Finds who answers, checks the key, and tells the exchange what the path says. */
  function route(exchange: Exchange): Handler {
    const { method, url, headers } = exchange;
    const at = url.indexOf('?');
    const match = router.match(method, at === -1 ? url : url.slice(0, at));
    if (at !== -1) exchange.queryText = url.slice(at + 1);
    exchange.route = match.route.pattern;
    exchange.params = match.params;
    const { project, name = '' } = match.params;
    if (project !== undefined) {
      // "before the body is read … and alike in all four cases"
      const owner = authenticate(headers['x-api-key'] as string | undefined);
      if (owner === undefined || owner !== project) throw unauthorized();
      exchange.owner = project;
      exchange.project = project;
      checkName(name);
      exchange.name = name;
    }
    return match.handler;
  }

  return {
    onRequest,
    onExpectation(request, response) {
      if (!refusals.takes(request, response)) return;
      underWay++;
      finish(nodeExchange(request, response), errors(417, ['Expect: only 100-continue is known']));
    },
    onClientError: refusals.onClientError,
    onConnect: refusals.onConnect,
    fastPath:
      // Other origins' rules are for Node's way alone, which knows them all.
      corsOrigins === '*'
        ? createFastPath({
            responseHead,
            nextRequestId,
            answer: (exchange) => answer(exchange, false),
            tooLate: refusals.tooLate,
          })
        : undefined,
  };
}

/** "any Unicode string of 1–255 UTF-8 bytes without control characters" */
function checkName(name: string): void {
  const bytes = Buffer.byteLength(name);
  if (bytes < 1 || bytes > maxNameBytes) {
    throw badRequest(`name: a base or drive has 1 to ${maxNameBytes} bytes of UTF-8, this one ${bytes}`);
  }
  if (hasControlCharacter(name)) throw badRequest('name: control characters are not allowed');
}

function failureAnswer(cause: unknown, exchange: Exchange, log: Log): Answer {
  if (cause instanceof RequestError) {
    return errors(cause.status, cause.messages, Object.entries(cause.headers).flat());
  }
  log.error({ requestId: exchange.requestId, route: exchange.route, err: cause }, 'request failed');
  if (cause instanceof StorageUnavailable) {
    // "storage out of space or unreachable: 503 with Retry-After"
    return errors(503, ['Storage is unavailable, try again later'], ['Retry-After', retryAfterSeconds]);
  }
  return errors(500, ['Internal server error']);
}

function tooManyRequests(): Answer {
  return errors(
    429,
    ['Too many requests are under way, try again later'],
    ['Retry-After', retryAfterSeconds],
  );
}
