import type { Socket } from 'node:net';
import type { Sent } from './exchange.js';

/** What a streamed answer is written to: one of Node's responses, or a bare connection. */
export interface Response {
  readonly headersSent: boolean;
  /** `done` is called when the bytes are out, or when there is no way for them any more. */
  write(chunk: Buffer, done: () => void): boolean;
  end(): void;
  destroy(): void;
}

export interface StreamedAnswer {
  readonly body: AsyncIterable<Buffer>;
  readonly socket: Socket;
  readonly response: Response;
  readonly sendHead: () => void;
}

/** Writes a body as fast as the client takes it. Its failure ends the connection, unless nothing went out yet. */
export async function stream({ body, socket, response, sendHead }: StreamedAnswer): Promise<Sent> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      if (socket.destroyed) break;
      // The head waits for the first bytes: a store that is away can then still be said with a status.
      if (!response.headersSent) sendHead();
      bytes += chunk.length;
      await write(socket, response, chunk);
    }
    if (!response.headersSent) sendHead();
    response.end();
    return { bytes };
  } catch (failure) {
    if (!response.headersSent) return { bytes, failure, isUnsent: true };
    response.destroy();
    return { bytes, failure };
  }
}

/**
 * Resolves when the bytes are out of this process, so that their buffer may be used again, or when nobody is left to
 * take them. A response that waits behind others of its connection does not hear of the connection's end, so the
 * socket is asked.
 */
function write(socket: Socket, response: Response, chunk: Buffer): Promise<void> {
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
