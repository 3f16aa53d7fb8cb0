import type { IncomingMessage } from 'node:http';
import { RequestError } from '../request-error.js';

const empty = Buffer.alloc(0);

/** The client went away before its body was whole. Nobody is left to read the answer. */
function bodyCutOff(): RequestError {
  return new RequestError(400, ['body: ended before its announced length']);
}

/** What the client announced, or undefined (chunked). Node has checked that it is a number. */
export function contentLengthOf(request: IncomingMessage): number | undefined {
  const header = request.headers['content-length'];
  return header === undefined ? undefined : Number(header);
}

export interface BodyBound {
  readonly maxBytes: number;
  readonly tooLarge: () => Error;
  /** Tells a client that waits for a word to send its body. Not called for one that is announced too large. */
  readonly ask: (() => void) | undefined;
}

/** Most bodies come in one piece: that one is taken as it is. */
export function readBody(request: IncomingMessage, bound: BodyBound): Promise<Buffer> {
  const { maxBytes, tooLarge, ask } = bound;
  return new Promise((resolve, reject) => {
    if ((contentLengthOf(request) ?? 0) > maxBytes) {
      reject(tooLarge());
      return;
    }
    ask?.();
    let first: Buffer | undefined;
    const others: Buffer[] = [];
    let size = 0;
    let isOver = false;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) {
        if (first === undefined) first = chunk;
        else others.push(chunk);
        return;
      }
      // What still comes is read and thrown away, so that the client gets its answer on a whole connection.
      request.removeAllListeners('data');
      request.resume();
      isOver = true;
      reject(tooLarge());
    });
    request.on('end', () => {
      if (isOver) return;
      isOver = true;
      if (first === undefined || others.length > 0) resolve(Buffer.concat([first ?? empty, ...others], size));
      else resolve(first);
    });
    request.on('error', () => reject(bodyCutOff()));
    // It comes behind every request.
    request.on('close', () => {
      if (!isOver) reject(bodyCutOff());
    });
  });
}

/** The body as it comes; the client is held back while nobody asks for more. */
export async function* streamBody(request: IncomingMessage, bound: BodyBound): AsyncGenerator<Buffer> {
  const { maxBytes, tooLarge, ask } = bound;
  if ((contentLengthOf(request) ?? 0) > maxBytes) throw tooLarge();
  ask?.();
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length;
      if (size > maxBytes) throw tooLarge();
      yield chunk as Buffer;
    }
  } catch (cause) {
    throw request.destroyed && !request.complete ? bodyCutOff() : cause;
  }
  if (!request.complete) throw bodyCutOff();
}
