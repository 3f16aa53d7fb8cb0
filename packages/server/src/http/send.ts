import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Answer } from './call.js';

/** Called once: the bytes of the body that went out, and what cut a streamed one off. */
export type Sent = (bytes: number, failure?: unknown) => void;

/**
 * Writes an answer. A body at hand goes out with its head in one write; a streamed one as fast as the client
 * takes it. A stream that fails midway ends the connection: the client sees that its length is not reached.
 */
export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  head: readonly string[],
  answer: Answer,
  sent: Sent,
): void {
  const { status, headers, body } = answer;
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    const size = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const length = status === 204 || status === 304 ? [] : ['Content-Length', String(size)];
    response.writeHead(status, [...headers, ...length, ...head]);
    response.end(body);
    discardRest(request);
    sent(request.method === 'HEAD' ? 0 : size);
    return;
  }
  response.writeHead(status, [...headers, ...head]);
  if (request.method === 'HEAD') {
    response.end();
    discardRest(request);
    void body[Symbol.asyncIterator]().return?.();
    sent(0);
    return;
  }
  void stream(request.socket, response, body, sent).finally(() => discardRest(request));
}

/** Node reads on by itself only when nobody has begun to; else the next request would wait behind the rest. */
function discardRest(request: IncomingMessage): void {
  if (!request.complete) request.resume();
}

async function stream(
  socket: Socket,
  response: ServerResponse,
  body: AsyncIterable<Buffer>,
  sent: Sent,
): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      if (socket.destroyed) break;
      bytes += chunk.length;
      await write(socket, response, chunk);
    }
    response.end();
    sent(bytes);
  } catch (failure) {
    response.destroy();
    sent(bytes, failure);
  }
}

/**
 * Resolves when the bytes are out of this process, so that their buffer may be used again, or when nobody is left to
 * take them. A response that waits behind others of its connection does not hear of the connection's end, so the
 * socket is asked.
 */
function write(socket: Socket, response: ServerResponse, chunk: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.removeListener('close', done);
      resolve();
    };
    // One for each response that waits: as many as the client sent requests.
    socket.setMaxListeners(0);
    socket.once('close', done);
    response.write(chunk, done);
  });
}
