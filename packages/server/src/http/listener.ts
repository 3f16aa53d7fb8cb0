import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { StorageUnavailable } from '../engines/failures.js';
import { badRequest, RequestError, unauthorized } from '../errors.js';
import { errors } from './answer.js';
import { contentLengthOf, readBody, streamBody } from './body.js';
import type { Answer, Call } from './call.js';
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
}

/**
 * Every request goes through here: route, key, names, handler, answer, log line. Written so that a request
 * whose answer is at hand waits for no promise.
 */
export function createListener(options: ListenerOptions): RequestListener {
  const { router, authenticate, corsOrigins, maxRequestsUnderWay, log } = options;
  const nextRequestId = createRequestIds();
  let underWay = 0;

  function finish(
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
    answer: Answer,
  ): void {
    const head = ['X-Request-Id', exchange.requestId, ...corsHeaders(request, corsOrigins)];
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

  return (request, response) => {
    underWay++;
    const exchange: Exchange = {
      requestId: nextRequestId(request.headers['x-request-id']),
      startedMs: performance.now(),
      project: undefined,
      route: undefined,
    };
    try {
      if (underWay > maxRequestsUnderWay) {
        finish(request, response, exchange, tooManyRequests());
        return;
      }
      if (request.method === 'OPTIONS') {
        finish(request, response, exchange, { status: 204, headers: preflightHeaders(), body: '' });
        return;
      }
      const target = splitTarget(request.url ?? '/');
      const match = router.match(request.method ?? 'GET', target.path);
      exchange.route = match.route.pattern;
      const answer = match.handler(callOf(request, exchange, match, target.query));
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
  };

  function callOf(request: IncomingMessage, exchange: Exchange, match: Match, query: string): Call {
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
      body: (maxBytes, tooLarge) => readBody(request, maxBytes, tooLarge),
      stream: (maxBytes, tooLarge) => streamBody(request, maxBytes, tooLarge),
    };
  }
}

/** "any Unicode string of 1–255 UTF-8 bytes without control characters" */
function checkName(name: string): void {
  const bytes = Buffer.byteLength(name);
  if (bytes < 1 || bytes > maxNameBytes) {
    throw badRequest(`name: a base or drive has 1 to ${maxNameBytes} bytes of UTF-8, this one ${bytes}`);
  }
  if (controlCharacters.test(name)) throw badRequest('name: control characters are not allowed');
}

/** Some clients send UTF-8 as it is; Node hands its bytes over as Latin-1 characters. */
function splitTarget(url: string): { path: string; query: string } {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is that of ASCII
  const target = /[^\u0000-\u007f]/.test(url) ? Buffer.from(url, 'latin1').toString('utf8') : url;
  const at = target.indexOf('?');
  return at === -1 ? { path: target, query: '' } : { path: target.slice(0, at), query: target.slice(at + 1) };
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
