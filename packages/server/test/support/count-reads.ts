import type { ItemStore } from '../../src/engines/item-store.js';

/** What is read of a store by scans. */
export interface Reads {
  /** Batches that are being read. */
  now: number;
  /** The most that were being read at the same time. */
  most: number;
  batches: number;
  scans: number;
  /** Scans that have begun and not ended. */
  open: number;
  /** The most that were open at the same time. */
  mostOpen: number;
}

/** A store like the given one, and what is read of it by scans. */
export function countReads(items: ItemStore): { readonly store: ItemStore; readonly reads: Reads } {
  const reads: Reads = { now: 0, most: 0, batches: 0, scans: 0, open: 0, mostOpen: 0 };
  async function* counted<Batch>(batches: AsyncIterable<Batch>) {
    reads.scans++;
    reads.mostOpen = Math.max(reads.mostOpen, ++reads.open);
    const iterator = batches[Symbol.asyncIterator]();
    try {
      for (;;) {
        reads.most = Math.max(reads.most, ++reads.now);
        const next = await iterator.next().finally(() => reads.now--);
        if (next.done) return;
        reads.batches++;
        yield next.value;
      }
    } finally {
      await iterator.return?.();
      reads.open--;
    }
  }
  const store: ItemStore = {
    ...items,
    scan: (...given) => counted(items.scan(...given)),
    scanText: (...given) => counted(items.scanText(...given)),
  };
  return { store, reads };
}
