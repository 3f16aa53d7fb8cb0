import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { badField, RequestError } from '../request-error.js';
import { type AnsweringOptions, createAnswering } from './answering.js';
import type { CorsOrigins } from './answers/cors.js';
import { createResponseHead } from './answers/response-head.js';
import { createSend } from './answers/send.js';
import { createConnectionGuard } from './connections/connection-guard.js';
import { startInOrder } from './connections/request-order.js';
import { createFastPath } from './fast-path/fast-path.js';
import { createBufferBudget } from './memory/budgets.js';
import { AwaitedBodies } from './requests/bodies/awaited-bodies.js';
import type { Exchange } from './requests/exchange.js';
import { hostProblem } from './requests/host.js';
import { NodeExchange } from './requests/node-exchange.js';
import { pathOfTarget, targetProblem } from './requests/target.js';
import type { Router } from './routing/router.js';

export interface ListenerOptions extends AnsweringOptions {
  readonly corsOrigins: CorsOrigins;
  /** How long a connection without requests stays open, as the `Keep-Alive` header says it. */
  readonly idleTimeoutMs: number;
  /** The bytes in memory for clients. Requests that need more wait, or are answered 429. */
  readonly maxBufferedBytes: number;
  /** Called with the status when bytes were refused that never became a request. */
  readonly onRefused?: ((status: number) => void) | undefined;
}

/** The part of the requests in progress, and of the connections, that may be such whose bodies the server waits for. */
const awaitedShare = 3 / 4;

/** The handlers of a server's events. */
export type Listener = ReturnType<typeof createListener>;

/** The only expectation that the service knows, which a client may send more than once. */
const onlyContinue = /^100-continue(?:[ \t]*,[ \t]*100-continue)*$/i;

/** The connections: each request of them is answered in order (answering.ts). */
export function createListener(options: ListenerOptions) {
  const { corsOrigins } = options;
  const budget = createBufferBudget(options.maxBufferedBytes);
  const mostAtOnce = Math.min(
    options.maxRequestsInFlight,
    options.maxConnections ?? Number.POSITIVE_INFINITY,
  );
  const awaited = new AwaitedBodies(Math.ceil(mostAtOnce * awaitedShare));
  const responseHead = createResponseHead(options.idleTimeoutMs);
  const send = createSend({ corsOrigins, responseHead, budget });
  const nextRequestId = createRequestIds();
  const guard = createConnectionGuard((target) => problemAt(options.router, target), options.onRefused);
  const { begin, refuse, requestsInFlight } = createAnswering(options, budget);

  /** Starts the exchange when the requests before it on the connection are answered. */
  function acceptInOrder(
    request: IncomingMessage,
    response: ServerResponse,
    start: (exchange: Exchange) => void,
  ): void {
    if (!guard.accepts(request, response)) return;
    startInOrder(request, budget, () => {
      const requestId = nextRequestId(request.headers['x-request-id']);
      start(new NodeExchange(request, response, { requestId, budget, awaited, send }));
    });
  }

  function onExpectation(request: IncomingMessage, response: ServerResponse): void {
    const unknown = badField('Expect', 'unknown_expectation', 'only 100-continue is known');
    acceptInOrder(request, response, (exchange) => {
      // HTTP leaves it to the server whether it refuses what it does not know. S3 does not.
      if (options.gateway?.takes(exchange)) begin(exchange, problemOf(request));
      else refuse(exchange, unknown);
    });
  }

  return {
    /** For `request` and `checkContinue`: `100 Continue` is sent only when a route reads the body. */
    onRequest(request: IncomingMessage, response: ServerResponse) {
      // Node finds `100-continue` also among other expectations.
      if (!onlyContinue.test(request.headers.expect ?? '100-continue')) onExpectation(request, response);
      else acceptInOrder(request, response, (exchange) => begin(exchange, problemOf(request)));
    },
    /** For `checkExpectation`: an `Expect` that the server cannot fulfil. */
    onExpectation,
    onClientError: guard.onClientError,
    onConnect: guard.onConnect,
    /** Requests in progress now. */
    requestsInFlight,
    /** The memory that is in use for clients. */
    buffers: () => budget.state(),
    /** Lets connections begin without Node's own parser. */
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

/** What is wrong with a request of a method that no path has; undefined if the target is none that is understood. */
function problemAt(router: Router, target: string): RequestError | undefined {
  const [path = '', query] = pathOfTarget(target).split(/\?(.*)/, 2);
  try {
    router.match('TRACE', path, query);
  } catch (cause) {
    if (cause instanceof RequestError) return cause;
  }
  return undefined;
}

/** What is wrong with a request that Node's parser accepts, or undefined. */
function problemOf(request: IncomingMessage): string | undefined {
  return targetProblem(request.method, pathOfTarget(request.url ?? '/')) ?? hostProblem(request);
}

const given = /^[\w.:-]{1,128}$/;

/**
 * Makes ids that are unique across restarts and servers: a random prefix, then a counter. A valid id that the request
 * has, for example from a proxy, is kept (docs/http.md#connections-and-request-ids).
 */
function createRequestIds(): (header: string | string[] | undefined) => string {
  const prefix = randomBytes(9).toString('base64url');
  let count = 0;
  return (header) => {
    if (typeof header === 'string' && given.test(header)) return header;
    count++;
    return `${prefix}-${count.toString(36)}`;
  };
}
