import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { admit } from '../access/admit.js';
import type { Grant } from '../access/grant.js';
import { RowsDamaged, StorageUnavailable } from '../engines/storage-errors.js';
import type { Clock } from '../lib/clock.js';
import type { Log } from '../lib/log.js';
import {
  Abandoned,
  badField,
  RequestError,
  refused,
  tooManyBytes,
  tooManyRequests,
  unauthorized,
} from '../request-error.js';
import { errors, refusal } from './answers/answer.js';
import { type CorsOrigins, preflightHeaders } from './answers/cors.js';
import { createResponseHead } from './answers/response-head.js';
import { createSend } from './answers/send.js';
import { createConnectionGuard } from './connections/connection-guard.js';
import { startInOrder } from './connections/request-order.js';
import { createFastPath, type FastPath } from './fast-path/fast-path.js';
import { createBufferBudget } from './memory/budgets.js';
import type { BufferBudget, BufferState } from './memory/buffer-budget.js';
import { createRequestLog, type LogRequest } from './request-log.js';
import type { Answer, Handler } from './requests/call.js';
import type { Exchange, Sent } from './requests/exchange.js';
import { hostProblem } from './requests/host.js';
import { NodeExchange } from './requests/node-exchange.js';
import { createRequestIds } from './requests/request-id.js';
import { collectionNameProblem } from './routing/collection-name.js';
import type { Router } from './routing/router.js';

export interface ListenerOptions {
  readonly corsOrigins: CorsOrigins;
  /** How long a connection without requests stays open, as the `Keep-Alive` header says it. */
  readonly idleTimeoutMs: number;
  readonly router: Router;
  /** What the key may do; undefined if it is not valid. It takes the same time for every wrong or absent key. */
  readonly authenticate: (apiKey: string | undefined) => Grant | undefined;
  /** Requests beyond this number in progress are answered 429. */
  readonly maxRequestsInFlight: number;
  /** The bytes in memory for clients. Requests that need more wait, or are answered 429. */
  readonly maxBufferedBytes: number;
  /** Counts the values that bodies become. */
  readonly values: BufferBudget;
  readonly clock: Clock;
  /** One line a request (`RequestLine`). */
  readonly log: Log;
  /** Writes the line of a request that was answered; by default, `log` does. */
  readonly logRequest?: LogRequest | undefined;
  /** Called when a request has been answered, with the bytes of the answer's body and the time since its head arrived. */
  readonly onAnswered?: OnAnswered | undefined;
  /** Follows each request; undefined costs nothing. */
  readonly trace?: RequestTrace | undefined;
  /** Called with the status when bytes were refused that never became a request. */
  readonly onRefused?: ((status: number) => void) | undefined;
}

export type OnAnswered = (
  exchange: Pick<Exchange, 'method' | 'route' | 'owner' | 'startedMs'>,
  status: number,
  bytes: number,
  durationMs: number,
) => void;

/** Follows the work of a request. */
export interface RequestTrace {
  /** Does the work of a request, which may go on when it returns, in an asynchronous context of its own. */
  within(exchange: Exchange, work: () => void): void;
  /** Called in this context when the request has been answered. `failure`: what cut the answer off. */
  answered(exchange: Exchange, status: number, sent: Pick<Sent, 'bytes' | 'failure'>): void;
}

/** A smaller answer is sent whether there is room or not: most of it fits into the socket buffers of the kernel. */
const largeAnswerBytes = 64 * 1024;

/** The handlers of a server's events. */
export interface Listener {
  /** For `request` and `checkContinue`: `100 Continue` is sent only when a route reads the body. */
  readonly onRequest: RequestListener;
  /** For `checkExpectation`: an `Expect` that the server cannot fulfil. */
  readonly onExpectation: RequestListener;
  readonly onClientError: (error: Error, socket: Duplex) => void;
  readonly onConnect: (request: IncomingMessage, socket: Duplex) => void;
  /** Requests in progress now. */
  readonly requestsInFlight: () => number;
  /** The memory that is in use for clients. */
  readonly buffers: () => BufferState;
  /** Lets connections begin without Node's own parser. */
  readonly fastPath: FastPath | undefined;
}

/**
 * Every request goes through here: route, key, names, rights, handler, answer, log line. It is written so that a
 * request whose answer is in memory waits for no promise.
 */
export function createListener(options: ListenerOptions): Listener {
  const { router, authenticate, maxRequestsInFlight, values, clock, log, corsOrigins, onAnswered, trace } =
    options;
  const budget = createBufferBudget(options.maxBufferedBytes);
  const responseHead = createResponseHead(options.idleTimeoutMs);
  const send = createSend({ corsOrigins, responseHead, budget });
  const nextRequestId = createRequestIds();
  const logSent = createRequestLog(log, options.logRequest);
  const guard = createConnectionGuard(options.onRefused);
  let inFlight = 0;

  function finish(exchange: Exchange, answer: Answer): void {
    exchange.isAnswered = true;
    const sent = exchange.send(admitted(exchange, answer));
    if (typeof sent === 'number') {
      onSent(exchange, answer.status, { bytes: sent });
    } else {
      void sent.then((result) => {
        if (result.isUnsent) fail(exchange, result.failure);
        else onSent(exchange, answer.status, result);
      });
    }
  }

  function onSent(exchange: Exchange, status: number, sent: Pick<Sent, 'bytes' | 'failure'>): void {
    inFlight--;
    exchange.room?.release();
    const durationMs = performance.now() - exchange.startedMs;
    onAnswered?.(exchange, status, sent.bytes, durationMs);
    trace?.answered(exchange, status, sent);
    logSent(exchange, status, durationMs, sent);
  }

  function fail(exchange: Exchange, failure: unknown): void {
    const cause = failure instanceof Abandoned ? reasonOf(exchange, failure) : failure;
    if (!(cause instanceof RequestError)) {
      log.error({ requestId: exchange.requestId, route: exchange.route, err: cause }, 'request failed');
    }
    finish(exchange, failureAnswer(cause));
  }

  /**
   * If the budget has no room for a large answer, it is replaced by a 429 and its memory is freed. The answer to a
   * write is sent in any case, because the write was done.
   */
  function admitted(exchange: Exchange, answer: Answer): Answer {
    const { length: size } = answer.body as { readonly length?: number };
    if (size === undefined || size <= largeAnswerBytes || !isRead(exchange, answer)) return answer;
    const more = size - (exchange.hold?.bytes ?? 0);
    return more <= 0 || budget.hasRoomFor(more, exchange.hold) ? answer : failureAnswer(tooManyBytes());
  }

  /** `problem`: what is wrong with the request line or the Host. Node's parser checks neither; the fast path does. */
  function answer(exchange: Exchange, problem: string | undefined): void {
    inFlight++;
    exchange.values = values;
    exchange.clock = clock;
    try {
      if (inFlight > maxRequestsInFlight) throw tooManyRequests();
      if (problem !== undefined) throw refused('invalid_request', problem);
      if (exchange.method === 'OPTIONS') {
        finish(exchange, { status: 204, headers: preflightHeaders(exchange.target), body: '' });
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

  const begin: typeof answer =
    trace === undefined
      ? answer
      : (exchange, problem) => trace.within(exchange, () => answer(exchange, problem));

  /** Finds the handler, checks the key and its rights, and sets the fields of the exchange that come from the path. */
  function route(exchange: Exchange): Handler {
    const { method, target, headers } = exchange;
    const at = target.indexOf('?');
    if (at !== -1) exchange.queryText = target.slice(at + 1);
    const path = at === -1 ? target : target.slice(0, at);
    const { pattern, params, right, handle } = router.match(method, path, exchange.queryText, headers);
    exchange.route = pattern;
    exchange.params = params;
    const { project, name } = params;
    if (right.rank > 0) {
      // Before the body is read, and the same for every wrong key (docs/http.md#keys).
      const grant = authenticate(headers['x-api-key'] as string | undefined);
      if (grant === undefined || grant.project !== project) throw unauthorized();
      exchange.grant = grant;
      // The text of the grant, not the equal one of the path: maps find the same text again without reading it.
      exchange.owner = grant.project;
      exchange.project = grant.project;
      // A path of the project itself has no name.
      if (name !== undefined) {
        const nameProblem = collectionNameProblem(name);
        if (nameProblem !== undefined) throw badField('name', nameProblem.code, nameProblem.rule);
        exchange.name = name;
      }
      admit(grant, right, exchange);
    }
    return handle;
  }

  /** Starts the exchange when the requests before it on the connection are answered. */
  function acceptInOrder(
    request: IncomingMessage,
    response: ServerResponse,
    start: (exchange: Exchange) => void,
  ): void {
    if (!guard.accepts(request, response)) return;
    startInOrder(request, budget, () => {
      const requestId = nextRequestId(request.headers['x-request-id']);
      start(new NodeExchange(request, response, { requestId, budget, send }));
    });
  }

  return {
    onRequest(request, response) {
      acceptInOrder(request, response, (exchange) => begin(exchange, problemOf(request)));
    },
    onExpectation(request, response) {
      acceptInOrder(request, response, (exchange) => {
        const refuse = () => {
          inFlight++;
          finish(exchange, refusal(badField('Expect', 'unknown_expectation', 'only 100-continue is known')));
        };
        if (trace === undefined) refuse();
        else trace.within(exchange, refuse);
      });
    },
    onClientError: guard.onClientError,
    onConnect: guard.onConnect,
    requestsInFlight: () => inFlight,
    buffers: () => budget.state(),
    fastPath:
      // The answers for a list of origins depend on the request: only Node's path makes them.
      corsOrigins === '*'
        ? createFastPath({
            responseHead,
            budget,
            nextRequestId,
            answer: (exchange) => begin(exchange, undefined),
            onFirstRequestTimeout: guard.onFirstRequestTimeout,
            onCutOff: guard.onCutOff,
          })
        : undefined,
  };
}

/** What is wrong with a request that Node's parser accepts, or undefined. */
function problemOf(request: IncomingMessage): string | undefined {
  if (request.url?.includes('#')) return 'path: a fragment (#) is not sent to a server';
  return hostProblem(request);
}

/** Why work ended before its answer. */
function reasonOf({ room, hasKeyEnded }: Exchange, failure: Abandoned): RequestError {
  if (room?.isEnded === true) return tooManyBytes();
  return hasKeyEnded ? unauthorized() : failure;
}

/** Whether the request reads: every GET, and Query Items, which is the only POST with a large 200 answer. */
function isRead({ method }: Exchange, { status }: Answer): boolean {
  return method === 'GET' || (method === 'POST' && status === 200);
}

/** The answer to a failure (docs/http.md#errors). It reveals nothing of the cause except what the caller did wrong. */
function failureAnswer(cause: unknown): Answer {
  if (cause instanceof RequestError) return refusal(cause);
  if (cause instanceof StorageUnavailable) {
    const because = cause.reason === undefined ? '' : `: ${cause.reason}`;
    const message = `Storage is unavailable, try again later${because}`;
    return errors([{ code: 'storage_unavailable', message }], ['Retry-After', '1']);
  }
  const message = cause instanceof RowsDamaged ? 'Stored data is damaged' : 'Internal server error';
  return errors([{ code: cause instanceof RowsDamaged ? 'damaged_data' : 'internal_error', message }]);
}
