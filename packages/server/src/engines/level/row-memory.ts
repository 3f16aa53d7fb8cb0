import type { Operation } from '../shared/group-commit.js';
import type { KeyPages } from './key-pages.js';
import type { RowCache } from './row-cache.js';

/** What is in memory of the rows, kept in step with every batch that is written. */
export interface RowMemory {
  readonly cache: RowCache;
  readonly pages: KeyPages;
  /** Counts the moments at which what readers see may change: when a batch is handed over, and when it is written. */
  epoch(): number;
  /** Its members are called and removed before the epoch changes. */
  readonly beforeNextEpoch: Set<() => void>;
  /** Whether the batch that is being written changes the row: then nobody knows whether LevelDB shows it. */
  isInFlight(id: string): boolean;
  /** Adds a row that was read, unless it is in flight. */
  add(id: string, raw: Buffer): void;
  /** Writes a batch with `write`. */
  around(operations: readonly Operation[], write: () => Promise<void>): Promise<void>;
}

export function createRowMemory(cache: RowCache, pages: KeyPages): RowMemory {
  const inFlight = new Set<string>();
  const beforeNextEpoch = new Set<() => void>();
  let epoch = 0;

  function beginEpoch(): void {
    for (const prepare of beforeNextEpoch) prepare();
    beforeNextEpoch.clear();
    epoch++;
  }

  return {
    cache,
    pages,
    epoch: () => epoch,
    beforeNextEpoch,
    isInFlight: (id) => inFlight.has(id),

    add(id, raw) {
      if (!inFlight.has(id)) cache.add(id, raw);
    },

    async around(operations, write) {
      // Until the batch is written, all of its rows are read from LevelDB. With some of them in the cache, a reader could
      // see one row before the batch and another one after it. Rows that were read often enough come back afterwards.
      const hot = new Set<string>();
      beginEpoch();
      pages.beginWrite(operations);
      for (const { key } of operations) {
        inFlight.add(key);
        if (cache.remove(key)) hot.add(key);
      }
      let isWritten = false;
      try {
        await write();
        isWritten = true;
      } finally {
        inFlight.clear();
        beginEpoch();
        pages.endWrite(isWritten);
      }
      if (hot.size === 0) return;
      // The last operation on a key counts.
      for (const operation of operations.toReversed()) {
        if (hot.delete(operation.key) && operation.type === 'put')
          cache.addWritten(operation.key, operation.value);
      }
    },
  };
}
