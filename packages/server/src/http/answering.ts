import { whenAwake } from '../access/wakefulness.js';
import type { Clock } from '../lib/clock.js';
import type { Log } from '../lib/log.js';
import { Abandoned, RequestError, refused, tooManyBytes, tooManyRequests } from '../request-error.js';
import { refusal } from './answers/answer.js';
import { preflightHeaders } from './answers/cors.js';
import { failureAnswer } from './answers/failure-answer.js';
import { asksForTx, type ReportedTransactions } from './answers/reported-transactions.js';
import type { BufferBudget } from './memory/buffer-budget.js';
import { createRequestLog, type LogRequest } from './request-log.js';
import type { Answer } from './requests/call.js';
import type { Exchange, Sent } from './requests/exchange.js';
import { Place, Places } from './requests/places.js';
import { type Routing, routeRequest } from './routing/route-request.js';

/** A second API of the service, such as that of S3, with the requests that belong to it. */
export interface Gateway {
  /** Whether a request is for it. It is called for every request, so it must be cheap. */
  takes(exchange: Exchange): boolean;
  answer(exchange: Exchange): Answer | Promise<Answer>;
  /** The answer to a request that has failed, or that never reached it because too many are in progress. */
  explain(cause: unknown, exchange: Exchange): Answer;
}

export interface AnsweringOptions extends Routing {
  readonly gateway?: Gateway | undefined;
  /** Requests beyond this number in progress are answered 429. */
  readonly maxRequestsInFlight: number;
  /** The most connections that there can be; absent: any number. */
  readonly maxConnections?: number | undefined;
  /** Whether there is one project at most, which may have all requests and connections. Absent: there is. */
  readonly isForOneProject?: (() => boolean) | undefined;
  /** Counts the values that bodies become. */
  readonly values: BufferBudget;
  readonly clock: Clock;
  /** One line a request (`RequestLine`). */
  readonly log: Log;
  /** Writes the line of a request that was answered; by default, `log` does. */
  readonly logRequest?: LogRequest | undefined;
  /** Called when a request has been answered, with the bytes of the answer's body and the time since its head arrived. */
  readonly onAnswered?: OnAnswered | undefined;
  /** Absent: no answer names a transaction. */
  readonly named?: Pick<ReportedTransactions, 'answer'> | undefined;
  /** Follows each request; undefined costs nothing. */
  readonly trace?: RequestTrace | undefined;
}

export type OnAnswered = (
  exchange: Pick<Exchange, 'method' | 'route' | 'owner' | 'startedMs' | 'name' | 'keyId' | 'target'>,
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

/** Answers requests, whatever connection they came on. */
export interface Answering {
  /** `problem`: what is wrong with the request line or the Host. Node's parser checks neither; the fast path does. */
  begin(exchange: Exchange, problem: string | undefined): void;
  /** Answers with an error, without a look at the rest of the request. */
  refuse(exchange: Exchange, error: RequestError): void;
  /** Requests in progress now. */
  requestsInFlight(): number;
}

/**
 * Every request goes through here: route, key, names, rights, handler, answer, log line. It is written so that a
 * request whose answer is in memory waits for no promise.
 */
export function createAnswering(options: AnsweringOptions, budget: BufferBudget): Answering {
  const { values, clock, log, onAnswered, trace, gateway, named } = options;
  const logSent = createRequestLog(log, options.logRequest);
  const places = new Places({
    maxRequests: options.maxRequestsInFlight,
    maxConnections: options.maxConnections ?? Number.POSITIVE_INFINITY,
    isForOne: options.isForOneProject ?? (() => true),
  });

  function enter(exchange: Exchange): void {
    exchange.place = new Place(places);
  }

  function finish(exchange: Exchange, answer: Answer): void {
    exchange.isAnswered = true;
    const given = admitted(budget, exchange, answer);
    // Nothing is done for it most of the time.
    if (given.isEndless) exchange.place?.leaveProgress();
    const sent = exchange.send(given);
    if (typeof sent === 'number') {
      onSent(exchange, answer.status, { bytes: sent });
    } else {
      void sent.then((result) => {
        if (result.isUnsent) fail(exchange, result.failure);
        else onSent(exchange, answer.status, result);
      });
    }
  }

  /** An answer that cannot be sent, for a header that has what no header may have, must not end the process. */
  function finishOrFail(exchange: Exchange, given: Answer): void {
    try {
      finish(exchange, given);
    } catch (cause) {
      fail(exchange, cause);
    }
  }

  function onSent(exchange: Exchange, status: number, sent: Pick<Sent, 'bytes' | 'failure'>): void {
    exchange.place?.leave();
    exchange.place = undefined;
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
    // Else it would keep the place that the project may not have.
    exchange.isLast = cause instanceof RequestError && cause.problems[0]?.code === 'share_taken';
    finish(exchange, (exchange.explain ?? failureAnswer)(cause));
  }

  function answer(exchange: Exchange, problem: string | undefined): void {
    enter(exchange);
    exchange.values = values;
    exchange.clock = clock;
    exchange.wakefulness = options.wakefulness;
    try {
      const isTaken = gateway?.takes(exchange) === true;
      if (isTaken) exchange.explain = (cause) => gateway.explain(cause, exchange);
      if (places.areTaken) throw tooManyRequests();
      if (problem !== undefined) throw refused('invalid_request', problem);
      if (exchange.method === 'OPTIONS' && !isTaken) {
        const asked = exchange.headers['access-control-request-headers'];
        finish(exchange, { status: 204, headers: preflightHeaders(exchange.target, asked), body: '' });
        return;
      }
      const given = isTaken
        ? whenAwake(options.wakefulness, exchange, () => gateway.answer(exchange))
        : routed(exchange);
      if (given instanceof Promise) {
        given.then(
          (settled) => finishOrFail(exchange, settled),
          (cause) => fail(exchange, cause),
        );
      } else {
        finish(exchange, given);
      }
    } catch (cause) {
      fail(exchange, cause);
    }
  }

  function routed(exchange: Exchange): Answer | Promise<Answer> {
    const handle = routeRequest(options, exchange);
    return named !== undefined && asksForTx(exchange) ? named.answer(exchange, handle) : handle(exchange);
  }

  function refuse(exchange: Exchange, error: RequestError): void {
    enter(exchange);
    finish(exchange, refusal(error));
  }

  const requestsInFlight = () => places.inProgress;
  if (trace === undefined) return { begin: answer, refuse, requestsInFlight };
  return {
    begin: (exchange, problem) => trace.within(exchange, () => answer(exchange, problem)),
    refuse: (exchange, error) => trace.within(exchange, () => refuse(exchange, error)),
    requestsInFlight,
  };
}

/**
 * If the budget has no room for a large answer, it is replaced by a 429 and its memory is freed. The answer to a write
 * is sent in any case, because the write was done.
 */
function admitted(budget: BufferBudget, exchange: Exchange, answer: Answer): Answer {
  const { length: size } = answer.body as { readonly length?: number };
  if (size === undefined || size <= largeAnswerBytes || !isRead(exchange, answer)) return answer;
  const more = size - (exchange.hold?.bytes ?? 0);
  return more <= 0 || budget.hasRoomFor(more, exchange.hold)
    ? answer
    : (exchange.explain ?? failureAnswer)(tooManyBytes());
}

/** Why work ended before its answer. */
function reasonOf({ room, hasAccessEnded, accessEnd }: Exchange, failure: Abandoned): RequestError {
  if (room?.isEnded === true) return tooManyBytes();
  return hasAccessEnded ? accessEnd : failure;
}

/** Whether the request reads: every GET, and Query Items, which is the only POST with a large 200 answer. */
function isRead({ method }: Exchange, { status }: Answer): boolean {
  return method === 'GET' || (method === 'POST' && status === 200);
}
