import type { IncomingMessage } from 'node:http';
import { blockBytes, firstBlockBytes, lend, takeBlock } from '../../../lib/block-pool.js';
import { connectionOf } from '../../connections/connection.js';

export interface BlockBodyOptions {
  readonly announced: number;
  /** Whether there is room for more than the first block. Otherwise no more is read until that was taken. */
  readonly admit: () => boolean;
  /** Called when bytes arrive. */
  readonly onBytes: () => unknown;
}

/** Whether more of the body will arrive, and can be read past Node's parser. */
export function canReadInBlocks(request: IncomingMessage): boolean {
  const connection = connectionOf(request.socket);
  return !request.complete && connection.request === request && connection.readBody !== undefined;
}

/**
 * The rest of a body in blocks (`lib/block-pool.ts`): the bytes are copied there from the buffer into which the socket was
 * read. Node's parser would copy each piece into new memory, after the socket had done the same, and pass it on by
 * way of a stream and a promise. Ends early if the connection does.
 */
export async function* readInBlocks(
  request: IncomingMessage,
  { announced, admit, onBytes }: BlockBodyOptions,
): AsyncGenerator<Buffer> {
  const connection = connectionOf(request.socket);
  const filled: Buffer[] = [];
  let block: Buffer | undefined = takeBlock(firstBlockBytes);
  let used = 0;
  let arrived = 0;
  let isFirst = true;
  let isPaused = false;
  let hasEnded = false;
  let wake: (() => void) | undefined;

  function take(bytes: Buffer): void {
    onBytes();
    for (let at = 0; at < bytes.length; ) {
      block ??= takeBlock(blockBytes);
      const copied = bytes.copy(block, used, at);
      at += copied;
      used += copied;
      arrived += copied;
      if (used === block.length || arrived === announced) pass(block);
    }
  }

  function pass(full: Buffer): void {
    filled.push(lend(full.subarray(0, used)));
    block = undefined;
    used = 0;
    // While its reader is busy, a full block is enough.
    const mustPause = isFirst ? !admit() : wake === undefined;
    isFirst = false;
    if (arrived === announced) end();
    else if (mustPause && !isPaused) {
      isPaused = true;
      request.socket.pause();
    }
    wake?.();
  }

  function end(): void {
    hasEnded = true;
    connection.takeBody = undefined;
    wake?.();
  }

  function resume(): void {
    if (!isPaused) return;
    isPaused = false;
    request.socket.resume();
  }

  const buffered = request.read() as Buffer | null;
  if (buffered !== null) take(buffered);
  request.on('error', end).on('close', end);
  // The client may have left already.
  if (request.destroyed) end();
  if (!hasEnded) connection.takeBody = take;
  request.resume();
  try {
    for (;;) {
      const next = filled.shift();
      if (next !== undefined) {
        yield next;
        continue;
      }
      if (hasEnded) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        resume();
      });
      wake = undefined;
    }
  } finally {
    // What still arrives is discarded, so that the connection stays open and the client gets its answer.
    connection.takeBody = undefined;
    resume();
    // The connection keeps its last request, with all that the listeners of the request know.
    request.removeListener('error', end).removeListener('close', end).on('error', ignore);
  }
}

/** Nobody waits for the rest of the body any more. */
function ignore(): void {}
