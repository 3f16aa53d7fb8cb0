import type { IncomingMessage } from 'node:http';
import { blockBytes, firstBlockBytes } from '../../../lib/block-pool.js';
import { type RequestError, refused, tooManyBytes, tooManyRequests } from '../../../request-error.js';
import { type BufferBudget, type Hold, uncountedBytes } from '../../memory/buffer-budget.js';
import type { Call, StreamUse } from '../call.js';
import type { AwaitedBodies } from './awaited-bodies.js';
import { canReadInBlocks, readInBlocks } from './block-body.js';

export interface BodyOptions {
  /** The announced length in bytes; undefined for a body in chunks. At most `maxBytes`. */
  readonly announced: number | undefined;
  readonly maxBytes: number;
  /** Makes the error for a body that turns out larger than `maxBytes`. */
  readonly tooLarge: () => Error;
  /** Sends `100 Continue` to a client that waits for it. */
  readonly sendContinue: (() => void) | undefined;
  readonly budget: BufferBudget;
  /** What the budget counts for this body; undefined for one that is known to be too small to count. */
  readonly hold: Hold | undefined;
  readonly awaited: AwaitedBodies;
  /** Whose body it is. */
  readonly sender: Pick<Call, 'hasAccessEnded' | 'accessEnd'> & {
    readonly owner: string | undefined;
    /** At the end of the body, resolves when `hasAccessEnded` can be trusted; undefined if it can be now: see `Exchange`. */
    catchUp?(): Promise<void> | undefined;
  };
}

/**
 * A body in memory counts three times its size, because the rows that are written from it and the answer are about as
 * large. With less, the server used 960 MiB under a hundred puts of 10 MB (budget 512 MiB); with this, 830.
 */
export const bufferedBodyFactor = 3;
/**
 * Until this much has arrived, only this is counted: a client that announces much and sends little blocks no others.
 */
const beginningBytes = firstBlockBytes;
const joinedBytes = 64 * 1024;
/** Smaller chunks of a streamed body are joined. */
const minChunkBytes = 4 * 1024;
const empty = Buffer.alloc(0);

/** The client closed the connection before its body was complete. Nobody reads this answer. */
function bodyCutOff(): RequestError {
  return refused('incomplete_body', 'body: ended before its announced length');
}

/**
 * The whole body. Rejects with `tooLarge()`, with a 400 when the client stops early, with a 401 when the key has ended
 * before the body does (docs/http.md#delete-key), with a 410 when the project is deleted before that
 * (docs/http.md#delete-project), and with a 429 when the budget has no room (docs/http.md#memory). Most bodies come in one
 * piece, which is used as it is.
 */
export function readBody(request: IncomingMessage, options: BodyOptions): Promise<Buffer> {
  const { announced, maxBytes, tooLarge, sendContinue, budget, hold, awaited, sender } = options;
  return new Promise((resolve, reject) => {
    const collected = createCollector(announced);
    let isSettled = false;

    /** The connection keeps its last request, with all that the listeners of the request know: the body, too. */
    const settle = () => {
      isSettled = true;
      if (hold !== undefined) hold.onStalled = undefined;
      awaited.done(silent);
      request.removeListener('data', onData).removeListener('end', onEnd);
      request.removeListener('error', onCutOff).removeListener('close', onCutOff).on('error', ignore);
    };
    /** Reads and discards the rest, so that the connection stays open and the client gets its answer. */
    const refuse = (cause: Error) => {
      if (isSettled) return;
      settle();
      request.resume();
      reject(cause);
    };
    const silent = { owner: sender.owner, end: () => refuse(tooManyRequests()) };
    const waitForClient = () => hold?.waitForClient(() => refuse(tooManyBytes()));
    const onData = (chunk: Buffer) => {
      if (collected.size + chunk.length > maxBytes) {
        refuse(tooLarge());
        return;
      }
      collected.add(chunk);
      awaited.wait(silent);
      const { size } = collected;
      if (hold === undefined || size <= uncountedBytes || bufferedBodyFactor * size <= hold.bytes) return;
      if (announced === undefined || size <= beginningBytes) {
        if (!hold.tryGrow(bufferedBodyFactor * size - hold.bytes)) refuse(tooManyBytes());
        return;
      }
      request.pause();
      awaited.done(silent);
      budget.reserve(hold, bufferedBodyFactor * announced - hold.bytes).then(() => {
        if (isSettled) return hold.release();
        collected.expectWhole(announced);
        waitForClient();
        awaited.wait(silent);
        request.resume();
      }, refuse);
    };
    const finish = () => {
      if (sender.hasAccessEnded) reject(sender.accessEnd);
      else resolve(collected.finish());
    };
    const onEnd = () => {
      settle();
      const catchingUp = sender.catchUp?.();
      if (catchingUp === undefined) finish();
      else void catchingUp.then(finish);
    };
    const onCutOff = () => {
      settle();
      reject(bodyCutOff());
    };
    waitForClient();
    awaited.wait(silent);
    sendContinue?.();
    request.on('data', onData).on('end', onEnd).on('error', onCutOff);
    // `close` is emitted after every request, and not again if the client has left already.
    request.on('close', onCutOff);
    if (request.destroyed) onCutOff();
  });
}

/** Nobody waits for the rest of the body any more. */
function ignore(): void {}

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
        block = Buffer.allocUnsafeSlow(Math.min(announced ?? joinedBytes, joinedBytes));
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
    /** Collects the rest in a single block that has room for the whole body. */
    expectWhole(bytes: number): void {
      const whole = Buffer.allocUnsafeSlow(bytes);
      used = this.finish().copy(whole);
      blocks.splice(0, blocks.length, whole);
      block = whole;
      first = undefined;
    },
    finish(): Buffer {
      if (first !== undefined) return first;
      return blocks.length === 1 ? block.subarray(0, used) : Buffer.concat(blocks, size);
    },
  };
}

/**
 * The body as it arrives, with small chunks joined unless `use` says otherwise. The client must wait while the reader
 * asks for no more. Throws what `readBody` rejects with.
 */
export async function* streamBody(
  request: IncomingMessage,
  options: BodyOptions,
  use: StreamUse,
): AsyncGenerator<Buffer> {
  const { announced, maxBytes, tooLarge, sendContinue, budget, hold, awaited, sender } = options;
  let size = 0;
  let joined = empty;
  let used = 0;
  let stalled: RequestError | undefined;
  const end = (cause: RequestError) => {
    stalled ??= cause;
    request.destroy();
  };
  const silent = { owner: sender.owner, end: () => end(tooManyRequests()) };
  const waitForClient = () => {
    hold?.waitForClient(() => end(tooManyBytes()));
    awaited.wait(silent);
  };
  const stopWaiting = () => {
    if (hold !== undefined) hold.onStalled = undefined;
    awaited.done(silent);
  };
  const inBlocks =
    !use.isPrompt && announced !== undefined && announced > beginningBytes && canReadInBlocks(request);
  const missing = (neededBytes: number) =>
    hold === undefined ? 0 : Math.max(0, Math.min(neededBytes, announced ?? maxBytes) - hold.bytes);
  const reserve = async (neededBytes: number) => {
    const more = missing(neededBytes);
    if (hold !== undefined && more > 0) await budget.reserve(hold, more);
  };
  /** All that its reader keeps, and the blocks that are being filled. */
  const allBytes = use.keptBytes + (inBlocks ? 2 * blockBytes : 0);
  const chunks = inBlocks
    ? readInBlocks(request, {
        announced,
        admit: () => hold === undefined || budget.tryReserve(hold, missing(allBytes)),
        onBytes: () => hold?.onStalled !== undefined && waitForClient(),
      })
    : (request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>);
  sendContinue?.();
  try {
    if (inBlocks) await reserve(beginningBytes);
    waitForClient();
    for await (const chunk of chunks) {
      stopWaiting();
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      if (sender.hasAccessEnded) throw sender.accessEnd;
      await reserve(inBlocks || size > beginningBytes ? allBytes : beginningBytes);
      if (used > 0 && used + chunk.length > joined.length) {
        yield joined.subarray(0, used);
        used = 0;
      }
      if (use.isPrompt || inBlocks || (chunk.length >= minChunkBytes && used === 0)) {
        yield chunk;
      } else {
        if (used === 0) joined = Buffer.allocUnsafeSlow(joinedBytes);
        used += chunk.copy(joined, used);
      }
      waitForClient();
    }
    // The end of a body in chunks may come long after its last bytes.
    const catchingUp = sender.catchUp?.();
    if (catchingUp !== undefined) await catchingUp;
    if (sender.hasAccessEnded) throw sender.accessEnd;
    if (used > 0) yield joined.subarray(0, used);
  } catch (cause) {
    if (stalled !== undefined) throw stalled;
    throw request.destroyed && !request.readableEnded ? bodyCutOff() : cause;
  } finally {
    stopWaiting();
  }
  if (!request.complete) throw stalled ?? bodyCutOff();
}
