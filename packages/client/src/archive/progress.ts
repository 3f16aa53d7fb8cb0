import type { ProjectProgress } from './options.js';

/** Counts what an export or import has done, and reports it. */
export interface ProgressCounter {
  /** The sum of the bytes, once it is known. */
  totalBytes: number | undefined;
  add(amount: { readonly items?: number; readonly files?: number; readonly bytes?: number }): void;
  /** The bytes that pass, counted. */
  through(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined>;
  seconds(): number;
  /** Reports the last numbers. */
  end(): void;
}

const reportEveryMs = 100;

/** Counts a transfer. Counting throws the reason of the signal once it is aborted, so that the transfer ends. */
export function createProgressCounter(
  onProgress: ((progress: ProjectProgress) => void) | undefined,
  signal: AbortSignal,
): ProgressCounter {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  let reportedMs = Number.NEGATIVE_INFINITY;
  let items = 0;
  let files = 0;
  let bytes = 0;
  const report = () => {
    const { totalBytes } = counter;
    const share = totalBytes === undefined ? undefined : Math.min(1, bytes / Math.max(1, totalBytes));
    onProgress?.({ items, files, bytes, share, seconds: seconds() });
  };
  const counter: ProgressCounter = {
    totalBytes: undefined,
    add(amount) {
      signal.throwIfAborted();
      items += amount.items ?? 0;
      files += amount.files ?? 0;
      bytes += amount.bytes ?? 0;
      const now = performance.now();
      if (now - reportedMs < reportEveryMs) return;
      reportedMs = now;
      report();
    },
    async *through(chunks) {
      for await (const chunk of chunks) {
        counter.add({ bytes: chunk.length });
        yield chunk;
      }
    },
    seconds,
    end: report,
  };
  return counter;
}
