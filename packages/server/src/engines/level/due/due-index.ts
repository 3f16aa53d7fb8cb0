import type { Operation } from '../../shared/group-commit.js';
import { dueKey, dueMark, dueOf } from '../rows/row-encoding.js';
import { createKeyFilter, type KeyFilter } from './key-filter.js';

/**
 * Keeps one entry in the due index for each row that has a due time, and none for others. A write is blind: it does not
 * know whether the row that it replaces has an entry. A Bloom filter of the rows with an entry answers that, so most
 * writes without a due time over a row without one read nothing.
 */
export type DueIndex = ReturnType<typeof createDueIndex>;

interface Change {
  /** The due time of the row after the operations. */
  readonly due: number | undefined;
  /** Before them. */
  readonly mayHaveEntry: boolean;
}

/**
 * `rowKeys` gives the row keys of all entries, in batches, from a snapshot that includes all operations that
 * `withEntries` returned before the call.
 */
export function createDueIndex(rowKeys: () => AsyncIterable<readonly string[]>) {
  let filter: KeyFilter | undefined;
  /** The next filter, while the entries are read. */
  let next: KeyFilter | undefined;

  function add(key: string): void {
    filter?.add(key);
    next?.add(key);
    // A filter cannot forget rows whose entry was deleted, so it fills up and is built again.
    if (filter?.isFull && next === undefined) learn().catch(() => {});
  }

  /**
   * Learns which rows have an entry, unless that is known; until then, every row may have one. Call it after opening,
   * and again if it failed. Rejects with what `rowKeys` throws.
   */
  async function learn(): Promise<void> {
    if (next !== undefined || filter?.isFull === false) return;
    try {
      let keys = 0;
      do {
        next = createKeyFilter(2 * keys);
        keys = 0;
        for await (const batch of rowKeys()) {
          for (const key of batch) next.add(key);
          keys += batch.length;
        }
      } while (next.isHalfFull);
      filter = next;
    } finally {
      next = undefined;
    }
  }

  return {
    /** The operations on rows, and those on their entries. `read` gives the row that is stored. */
    withEntries(
      operations: readonly Operation[],
      read: (key: string) => Buffer | undefined,
    ): readonly Operation[] {
      const mayHaveEntry = (key: string) => filter?.mayHave(key) !== false;
      /** The rows whose entry may change. */
      const changed = new Map<string, Change>();
      for (const operation of operations) {
        const { key } = operation;
        const due = operation.type === 'put' ? dueOf(operation.value) : undefined;
        if (due === undefined && (!mayHaveEntry(key) || key.startsWith(dueMark))) continue;
        const hadEntry = changed.get(key)?.mayHaveEntry ?? mayHaveEntry(key);
        changed.set(key, { due, mayHaveEntry: hadEntry });
        if (due !== undefined) add(key);
      }
      if (changed.size === 0) return operations;
      const all = [...operations];
      for (const [key, change] of changed) {
        const before = change.mayHaveEntry ? dueOf(read(key)) : undefined;
        if (before === change.due) continue;
        if (before !== undefined) all.push({ type: 'del', key: dueKey(before, key) });
        if (change.due !== undefined) {
          all.push({ type: 'put', key: dueKey(change.due, key), value: Buffer.alloc(0) });
        }
      }
      return all;
    },
    learn,
  };
}
