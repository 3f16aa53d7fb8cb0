import { PageError } from '../api/errors.js';

/** A file that is being written. */
export interface SaveTarget {
  open(): Promise<void>;
  /** Writes bytes after the others. They may change once it has resolved. */
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** All bytes are there: the file appears. */
  close(): Promise<void>;
  /** Deletes what was written. */
  drop(): Promise<void>;
}

/** Each write to a disk takes milliseconds, and a zip of small files has chunks of some bytes. */
const blockBytes = 1024 * 1024;

/**
 * Writes a stream to a file, in blocks. What goes wrong with the file is a `PageError`; what goes wrong with the stream
 * is the reason of the rejection, as it is. After a failure or the signal, nothing is left of the file.
 */
export async function writeAll(
  bytes: ReadableStream<Uint8Array<ArrayBuffer>>,
  target: SaveTarget,
  signal: AbortSignal,
): Promise<void> {
  const reader = bytes.getReader();
  const cancel = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', cancel);
  const block = new Uint8Array(blockBytes);
  let filled = 0;
  try {
    signal.throwIfAborted();
    await told(target.open());
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      let chunk = next.value;
      while (chunk.byteLength > 0) {
        const part = chunk.subarray(0, blockBytes - filled);
        block.set(part, filled);
        filled += part.byteLength;
        chunk = chunk.subarray(part.byteLength);
        if (filled < blockBytes) continue;
        await told(target.write(block));
        filled = 0;
      }
    }
    // A stream that was cancelled ends as if it were complete.
    signal.throwIfAborted();
    if (filled > 0) await told(target.write(block.subarray(0, filled)));
    await told(target.close());
  } catch (cause) {
    cancel();
    await target.drop().catch(() => {});
    throw cause;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

async function told(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (cause) {
    throw cause instanceof PageError ? cause : new PageError(problemOf(cause));
  }
}

function problemOf(cause: unknown): string {
  const { name, message } = cause as Error;
  if (name === 'QuotaExceededError' || name === 'RangeError')
    return 'There is no room for the file: the disk is full, or the browser gives this page no more of it.';
  return `The file cannot be written: ${message}`;
}
