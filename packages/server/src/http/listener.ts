import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { StorageUnavailable } from '../engines/failures.js';
import { badRequest, RequestError, unauthorized } from '../errors.js';
import { errors } from './answer.js';
import { contentLengthOf, readBody, streamBody } from './body.js';
import type { Answer, Call } from './call.js';
import { createRefusals } from './client-error.js';
import { type CorsOrigins, corsHeaders, preflightHeaders } from './cors.js';
import { parseQueryString } from './query-string.js';
import { createRequestIds } from './request-id.js';
import type { Match, Router } from './router.js';
import { sendAnswer } from './send.js';

export interface RequestLog {
  /** One line a request; never a key, a body or a query string. */
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface ListenerOptions {
  readonly router: Router;
  /** The project whose key it is, or undefined. The same time for any key, an absent one too. */
  readonly authenticate: (apiKey: string | undefined) => string | undefined;
  readonly corsOrigins: CorsOrigins;
  /** More requests under way than this are answered 429. */
  readonly maxRequestsUnderWay: number;
  readonly log: RequestLog;
}

const maxNameBytes = 255;
const retryAfterSeconds = '1';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controlCharacters = /[\u0000-\u001f\u007f-\u009f]/;

/** What the listener knows of a request, for its log line. */
interface Exchange {
  readonly requestId: string;
  readonly startedMs: number;
  project: string | undefined;
  route: string | undefined;
  /** The client waits for a word before it sends its body (`Expect: 100-continue`). */
  awaitsContinue: boolean;
}

/** What a server is to do with its events. */
export interface Listener {
  /** For `request`, and for `checkContinue`: a body is asked for only when a route wants it. */
  readonly onRequest: RequestListener;
  /** For `checkExpectation`: an `Expect` that nobody can fulfil. */
  readonly onExpectation: RequestListener;
  readonly onClientError: (error: Error, socket: Duplex) => void;
  readonly onConnect: (request: IncomingMessage, socket: Duplex) => void;
}

/**
 * Every request goes through here: route, key, names, handler, answer, log line. Written so that a request
 * whose answer is at hand waits for no promise.
 */
export function createListener(options: ListenerOptions): Listener {
  const { router, authenticate, corsOrigins, maxRequestsUnderWay, log } = options;
  const nextRequestId = createRequestIds();
  const refusals = createRefusals();
  let underWay = 0;

  function begin(request: IncomingMessage): Exchange {
    underWay++;
    return {
      requestId: nextRequestId(request.headers['x-request-id']),
      startedMs: performance.now(),
      project: undefined,
      route: undefined,
      awaitsContinue: request.headers.expect !== undefined,
    };
  }

  function finish(
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
    answer: Answer,
  ): void {
    const head = ['X-Request-Id', exchange.requestId, ...corsHeaders(request, corsOrigins)];
    // Node's parser stops at a request that would change the protocol: what came behind it is lost.
    if (request.headers.upgrade !== undefined) head.push('Connection', 'close');
    // Nobody knows whether the body that was not asked for comes all the same.
    if (exchange.awaitsContinue) head.push('Connection', 'close');
    sendAnswer(request, response, head, answer, (bytes, failure) => {
      underWay--;
      const fields = {
        requestId: exchange.requestId,
        method: request.method,
        route: exchange.route,
        status: answer.status,
        durationMs: Math.round((performance.now() - exchange.startedMs) * 1000) / 1000,
        bytes,
        project: exchange.project,
      };
      if (failure === undefined) log.info(fields, 'request');
      else log.error({ ...fields, err: failure }, 'answer cut off');
    });
  }

  function fail(
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
    cause: unknown,
  ): void {
    finish(request, response, exchange, failureAnswer(cause, exchange, log));
  }

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    if (!refusals.takes(request, response)) return;
    const exchange = begin(request);
    try {
      if (underWay > maxRequestsUnderWay) {
        finish(request, response, exchange, tooManyRequests());
        return;
      }
      if (request.headers.host === undefined && request.httpVersion === '1.1') {
        throw badRequest('Host: must be given');
      }
      if (request.method === 'OPTIONS') {
        finish(request, response, exchange, { status: 204, headers: preflightHeaders(), body: '' });
        return;
      }
      const { path, query } = splitTarget(request.url ?? '/');
      const match = router.match(request.method ?? 'GET', path);
      exchange.route = match.route.pattern;
      const answer = match.handler(callOf(request, response, exchange, { match, query }));
      if (answer instanceof Promise) {
        answer.then(
          (settled) => finish(request, response, exchange, settled),
          (cause) => fail(request, response, exchange, cause),
        );
      } else {
        finish(request, response, exchange, answer);
      }
    } catch (cause) {
      fail(request, response, exchange, cause);
    }
  }

  function callOf(
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
    target: Target,
  ): Call {
    const { match, query } = target;
    const { project = '', name = '' } = match.params;
    if (match.params.project !== undefined) {
      // "before the body is read … and alike in all four cases"
      const owner = authenticate(request.headers['x-api-key'] as string | undefined);
      if (owner === undefined || owner !== project) throw unauthorized();
      exchange.project = project;
      checkName(name);
    }
    return {
      project,
      name,
      params: match.params,
      query: parseQueryString(query),
      headers: request.headers,
      contentLength: contentLengthOf(request),
      body: (maxBytes, tooLarge) => readBody(request, { maxBytes, tooLarge, ask }),
      stream: (maxBytes, tooLarge) => streamBody(request, { maxBytes, tooLarge, ask }),
    };

    function ask(): void {
      if (!exchange.awaitsContinue) return;
      exchange.awaitsContinue = false;
      response.writeContinue();
    }
  }

  return {
    onRequest,
    onExpectation(request, response) {
      if (!refusals.takes(request, response)) return;
      finish(request, response, begin(request), errors(417, ['Expect: only 100-continue is known']));
    },
    onClientError: refusals.onClientError,
    onConnect: refusals.onConnect,
  };
}

interface Target {
  readonly match: Match;
  readonly query: string;
}

/** "any Unicode string of 1–255 UTF-8 bytes without control characters" */
function checkName(name: string): void {
  const bytes = Buffer.byteLength(name);
  if (bytes < 1 || bytes > maxNameBytes) {
    throw badRequest(`name: a base or drive has 1 to ${maxNameBytes} bytes of UTF-8, this one ${bytes}`);
  }
  if (controlCharacters.test(name)) throw badRequest('name: control characters are not allowed');
}

/** The parser has refused what is not ASCII. */
function splitTarget(url: string): { path: string; query: string } {
  const at = url.indexOf('?');
  return at === -1 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
}

function failureAnswer(cause: unknown, exchange: Exchange, log: RequestLog): Answer {
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
