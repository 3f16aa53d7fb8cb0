import type { IncomingMessage } from 'node:http';
import { RequestError, tooManyBytes } from '../request-error.js';
import { type Hold, uncountedBytes } from './buffer-budget.js';

export interface BodyOptions {
  readonly maxBytes: number;
  /** Makes the error for a body that is announced or turns out larger than `maxBytes`. */
  readonly tooLarge: () => Error;
  /** Sends `100 Continue` to a client that waits for it. */
  readonly sendContinue: (() => void) | undefined;
  /** What the budget counts for this body; undefined for one that is known to be too small to count. */
  readonly hold: Hold | undefined;
}

/** A body in memory is counted twice: what a route makes of it is about as large again. */
export const bufferedBodyFactor = 2;
const blockBytes = 64 * 1024;
/** Smaller chunks of a stream are joined. */
const minChunkBytes = 4 * 1024;
const empty = Buffer.alloc(0);

/** The client closed the connection before its body was complete. Nobody is left to read the answer. */
function bodyCutOff(): RequestError {
  return new RequestError(400, ['body: ended before its announced length']);
}

/** The announced length in bytes, or undefined (chunked). Node has checked that it is a number. */
export function contentLengthOf(request: IncomingMessage): number | undefined {
  const header = request.headers['content-length'];
  return header === undefined ? undefined : Number(header);
}

/**
 * The whole body. Rejects with `tooLarge()`, with a 400 when the client stops early, and with a 429 when the budget
 * has no room (docs/http.md#bodies). Most bodies come in one piece, which is used as it is.
 */
export function readBody(request: IncomingMessage, options: BodyOptions): Promise<Buffer> {
  const { maxBytes, tooLarge, sendContinue, hold } = options;
  return new Promise((resolve, reject) => {
    const announced = contentLengthOf(request);
    const collected = createCollector(announced);
    let isSettled = false;
    // The client may have left while the request waited for room.
    if (request.destroyed) {
      reject(bodyCutOff());
      return;
    }

    /** Reads the rest and discards it, so that the client gets its answer on a connection that goes on. */
    const refuse = (cause: Error) => {
      isSettled = true;
      request.removeListener('data', onData);
      request.resume();
      reject(cause);
    };
    const onData = (chunk: Buffer) => {
      const size = collected.size + chunk.length;
      if (size > maxBytes) refuse(tooLarge());
      else if (announced === undefined && hold !== undefined && !hasRoom(hold, size)) refuse(tooManyBytes());
      else collected.add(chunk);
    };
    hold?.waitForClient(() => refuse(tooManyBytes()));
    sendContinue?.();
    request.on('data', onData);
    request.on('end', () => {
      if (isSettled) return;
      isSettled = true;
      if (hold !== undefined) hold.onStalled = undefined;
      resolve(collected.finish());
    });
    request.on('error', () => reject(bodyCutOff()));
    // It comes after every request.
    request.on('close', () => {
      if (!isSettled) reject(bodyCutOff());
    });
  });
}

function hasRoom(hold: Hold, size: number): boolean {
  if (size <= uncountedBytes) return true;
  return hold.tryGrow(Math.max(0, bufferedBodyFactor * size - hold.bytes));
}

/**
 * Chunks of a body in one buffer. A chunk can be a single byte, and a buffer for each would take a hundred times the
 * memory of its bytes: so from the second on, chunks are copied into blocks.
 */
function createCollector(announced: number | undefined) {
  const blocks: Buffer[] = [];
  let first: Buffer | undefined;
  let block = empty;
  let used = 0;
  let size = 0;

  function append(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (used === block.length) {
        block = Buffer.allocUnsafeSlow(announced ?? blockBytes);
        blocks.push(block);
        used = 0;
      }
      const copied = chunk.copy(block, used, at);
      used += copied;
      at += copied;
    }
  }

  return {
    get size() {
      return size;
    },
    add(chunk: Buffer): void {
      size += chunk.length;
      if (size === chunk.length) {
        first = chunk;
        return;
      }
      if (first !== undefined) append(first);
      first = undefined;
      append(chunk);
    },
    finish(): Buffer {
      if (first !== undefined) return first;
      return blocks.length === 1 ? block.subarray(0, used) : Buffer.concat(blocks, size);
    },
  };
}

/**
 * The body as it comes, in chunks of any size up to 64 KiB, small ones joined. The client is held back while nobody
 * asks for more. Throws what `readBody` rejects with.
 */
export async function* streamBody(request: IncomingMessage, options: BodyOptions): AsyncGenerator<Buffer> {
  const { maxBytes, tooLarge, sendContinue, hold } = options;
  sendContinue?.();
  let size = 0;
  let joined = empty;
  let used = 0;
  let isStalled = false;
  const chunks = request.iterator({ destroyOnReturn: false });
  const waitForClient = () =>
    hold?.waitForClient(() => {
      isStalled = true;
      request.destroy();
    });
  try {
    waitForClient();
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      if (hold !== undefined) hold.onStalled = undefined;
      if (used > 0 && used + chunk.length > joined.length) {
        yield joined.subarray(0, used);
        joined = empty;
        used = 0;
      }
      if (chunk.length >= minChunkBytes && used === 0) {
        yield chunk;
      } else {
        if (used === 0) joined = Buffer.allocUnsafeSlow(blockBytes);
        used += chunk.copy(joined, used);
      }
      waitForClient();
    }
    if (used > 0) yield joined.subarray(0, used);
  } catch (cause) {
    if (isStalled) throw tooManyBytes();
    throw request.destroyed && !request.readableEnded ? bodyCutOff() : cause;
  } finally {
    if (hold !== undefined) hold.onStalled = undefined;
  }
  if (!request.complete) throw bodyCutOff();
}
