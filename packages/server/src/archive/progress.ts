/** How far an export or import is. */
export interface TransferProgress {
  readonly items: number;
  readonly files: number;
  readonly bytes: number;
  /** The share of the bytes, from 0 to 1; undefined while their sum is not known. */
  readonly share: number | undefined;
  readonly seconds: number;
}

/** Counts what an export or import has done, and reports it. */
export interface ProgressCounter {
  /** The sum of the bytes, once it is known. */
  totalBytes: number | undefined;
  add(amount: { readonly items?: number; readonly files?: number; readonly bytes?: number }): void;
  /** The bytes that pass, counted. */
  through(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined>;
  seconds(): number;
}

const reportEveryMs = 100;

export function createProgressCounter(listen: (progress: TransferProgress) => void): ProgressCounter {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  let reportedMs = Number.NEGATIVE_INFINITY;
  let items = 0;
  let files = 0;
  let bytes = 0;
  const counter: ProgressCounter = {
    totalBytes: undefined,
    add(amount) {
      items += amount.items ?? 0;
      files += amount.files ?? 0;
      bytes += amount.bytes ?? 0;
      const now = performance.now();
      if (now - reportedMs < reportEveryMs) return;
      reportedMs = now;
      const { totalBytes } = counter;
      const share = totalBytes === undefined ? undefined : Math.min(1, bytes / Math.max(1, totalBytes));
      listen({ items, files, bytes, share, seconds: seconds() });
    },
    async *through(chunks) {
      for await (const chunk of chunks) {
        counter.add({ bytes: chunk.length });
        yield chunk;
      }
    },
    seconds,
  };
  return counter;
}
