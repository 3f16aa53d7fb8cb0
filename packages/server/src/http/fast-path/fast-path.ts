import { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ResponseHead } from '../answers/response-head.js';
import type { Exchange } from '../requests/exchange.js';
import { createAnswerBatch } from './answer-batch.js';
import { FastConnection, type FastConnectionOptions } from './fast-connection.js';
import { FastExchange } from './fast-exchange.js';

export interface FastPathOptions
  extends Pick<FastConnectionOptions, 'budget' | 'onFirstRequestTimeout' | 'onCutOff'> {
  readonly responseHead: ResponseHead;
  readonly nextRequestId: (given: string | string[] | undefined) => string;
  /** Answers the request with `send`, now or later. */
  readonly answer: (exchange: Exchange) => void;
}

/** Lets connections of a server begin on the fast path, over TLS as soon as their handshake is finished. */
export type FastPath = (server: Server) => void;

/** The event of a server that Node's HTTP listens to. */
export function connectionEvent(server: Server): 'connection' | 'secureConnection' {
  return server instanceof Server ? 'connection' : 'secureConnection';
}

/**
 * Most requests are small, arrive in one piece, and need nothing special. Node makes streams, a message, a response and
 * a timer for each: 3.4 of the 19 µs that a get took. So a connection begins here: what is certainly one whole simple
 * request is answered on the socket itself. At the first bytes that are anything else, the connection is handed over to
 * Node's own parser, for good. The fast path refuses nothing, so it cannot refuse differently from Node.
 */
export function createFastPath(options: FastPathOptions): FastPath {
  const { responseHead, budget, nextRequestId, answer, onFirstRequestTimeout, onCutOff } = options;
  const writeTogether = createAnswerBatch();
  return (server) => {
    const event = connectionEvent(server);
    const [toNode, ...others] = server.listeners(event);
    // This version of Node works differently: all connections are left to it.
    if (toNode === undefined || others.length > 0) return;
    server.removeAllListeners(event);
    server.on(event, (socket: Socket) => {
      const connection = new FastConnection(socket, {
        firstRequestMs: server.headersTimeout,
        idleMs: server.keepAliveTimeout,
        budget,
        onFirstRequestTimeout,
        onCutOff,
        handOver: () => toNode.call(server, socket),
        onRequest: (request) => {
          const requestId = nextRequestId(request.headers['x-request-id']);
          const { done, end } = connection;
          const parts = { socket, requestId, responseHead, budget, writeTogether, done, end };
          answer(new FastExchange(request, parts));
        },
      });
    });
  };
}
