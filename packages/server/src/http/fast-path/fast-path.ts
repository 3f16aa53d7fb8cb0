import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Exchange } from '../exchange.js';
import type { ResponseHead } from '../response-head.js';
import { FastConnection } from './fast-connection.js';
import { FastExchange } from './fast-exchange.js';

export interface FastPathOptions {
  readonly responseHead: ResponseHead;
  readonly nextRequestId: (given: string | string[] | undefined) => string;
  /** Answers it, by `send`, now or later. */
  readonly answer: (exchange: Exchange) => void;
  /** Ends a connection that said nothing in its first time. */
  readonly tooLate: (socket: Socket) => void;
}

/** Lets connections of a server begin on the fast path. The server must be one of plain HTTP. */
export type FastPath = (server: Server) => void;

/**
 * Most requests are small, come in one piece, and say nothing special. Node makes streams, a message, a response and a
 * timer for each: 3.4 of the 19 µs that a get took. So a connection begins here: what is surely a whole simple request is
 * answered on the socket itself, and with the first bytes that are anything else the connection goes over to Node's
 * own reader, for good. Nothing is judged here that Node would judge, so nothing can be judged differently.
 */
export function createFastPath({ responseHead, nextRequestId, answer, tooLate }: FastPathOptions): FastPath {
  return (server) => {
    const [toNode, ...others] = server.listeners('connection');
    // Another Node, which does it otherwise: its way is the only one.
    if (toNode === undefined || others.length > 0) return;
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      const connection = new FastConnection(socket, {
        firstRequestMs: server.headersTimeout,
        idleMs: server.keepAliveTimeout,
        tooLate,
        handOver: () => toNode.call(server, socket),
        take: (request) => {
          const requestId = nextRequestId(request.headers['x-request-id']);
          answer(new FastExchange(request, { socket, requestId, responseHead, done: connection.done }));
        },
      });
    });
  };
}
