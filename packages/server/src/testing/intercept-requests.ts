import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { parseInPieces } from '../http/connections/paced-reading.js';
import { problemCodes } from '../problem-codes.js';
import type { Faults, Hit } from './faults.js';

export interface InterceptorDependencies {
  readonly faults: Faults;
  /** The HTTP server of the world at this moment. */
  readonly current: () => Server;
  /** Answers the requests below `/_test/`. */
  readonly control: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

const requestEvents = ['request', 'checkContinue', 'checkExpectation'] as const;

/** Passes requests to the service, with the faults that apply to them. Those below `/_test/` do not reach it. */
export function interceptRequests(
  server: Server,
  { faults, current, control }: InterceptorDependencies,
): void {
  for (const event of requestEvents) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      const [path = ''] = (request.url ?? '').split('?');
      if (path === '/_test' || path.startsWith('/_test/')) {
        void control(request, response);
        return;
      }
      const serve = () => current().emit(event, request, response);
      const hit = faults.take(request.method ?? '', path);
      if (hit === undefined) serve();
      else if (hit.latencyMs === 0) strike(hit, request, response, serve);
      else setTimeout(() => strike(hit, request, response, serve), hit.latencyMs);
    });
  }
  // The service decides some things by the text of a head, which only such a connection keeps.
  server.on('connection', parseInPieces);
  server.on('clientError', (cause, socket) => current().emit('clientError', cause, socket));
  server.on('connect', (request, socket, head) => current().emit('connect', request, socket, head));
}

function strike(
  { status, cut }: Hit,
  request: IncomingMessage,
  response: ServerResponse,
  serve: () => void,
): void {
  if (cut === 'request') request.socket.destroy();
  else if (status !== undefined) answerInstead(request, response, status);
  else {
    if (cut === 'answer') cutAtAnswer(request.socket);
    serve();
  }
}

function answerInstead(request: IncomingMessage, response: ServerResponse, status: number): void {
  const body = JSON.stringify({
    errors: [`Injected by a test: ${status}`],
    codes: [{ code: codeOf(status) }],
  });
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': randomUUID(),
    ...(status === 503 || status === 429 ? { 'Retry-After': '1' } : {}),
  });
  response.end(body);
  request.resume();
}

/** The first code of the status. */
function codeOf(status: number): string {
  const [code = 'internal_error'] =
    Object.entries(problemCodes).find(([, problem]) => problem.status === status) ?? [];
  return code;
}

/** The connection ends at the first byte that is to be sent on it. */
function cutAtAnswer(socket: Socket): void {
  socket.write = () => {
    socket.destroy();
    return false;
  };
}
