import type { Operation } from '../../shared/group-commit.js';
import type { KeyPages } from './key-pages.js';
import type { RowCache } from './row-cache.js';

/** What is in memory of the rows, kept in step with every batch that is written. */
export type RowMemory = ReturnType<typeof createRowMemory>;

/** Operations that are written together, one on each row. */
export interface Batch {
  readonly operations: readonly Operation[];
  readonly byKey: ReadonlyMap<string, Operation>;
}

/** Of several operations on a row, such as the counter of a drive to which many upload at once, the last one counts. */
export function asBatch(operations: readonly Operation[]): Batch {
  const byKey = new Map<string, Operation>();
  for (const operation of operations) byKey.set(operation.key, operation);
  return { operations: byKey.size === operations.length ? operations : [...byKey.values()], byKey };
}

const noKeys: ReadonlyMap<string, Operation> = new Map();

export function createRowMemory(cache: RowCache, pages: KeyPages) {
  let inFlight = noKeys;
  /** Its members are called and removed before the epoch changes. */
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
    /** Counts the moments at which what readers see may change: when a batch is handed over, and when it is written. */
    epoch: () => epoch,
    beforeNextEpoch,
    /** Whether the batch that is being written changes the row: then nobody knows whether LevelDB shows it. */
    isInFlight: (id: string) => inFlight.has(id),

    /** Adds a row that was read, unless it is in flight. */
    add(id: string, raw: Buffer): void {
      if (!inFlight.has(id)) cache.add(id, raw);
    },

    /** Writes a batch with `write`. */
    async around({ operations, byKey }: Batch, write: () => Promise<void>): Promise<void> {
      // Until the batch is written, all of its rows are read from LevelDB. With some of them in the cache, a reader could
      // see one row before the batch and another one after it. Rows that were read often enough come back afterwards.
      const hot: Operation[] = [];
      beginEpoch();
      pages.beginWrite(operations);
      inFlight = byKey;
      for (const operation of operations) if (cache.remove(operation.key)) hot.push(operation);
      let isWritten = false;
      try {
        await write();
        isWritten = true;
      } finally {
        inFlight = noKeys;
        beginEpoch();
        pages.endWrite(isWritten);
        for (const operation of hot) {
          if (isWritten && operation.type === 'put') cache.addWritten(operation.key, operation.value);
          else cache.forget(operation.key);
        }
      }
    },
  };
}
