import type { ItemStore } from '../../engines/item-store.js';
import { limitedKeysSpace } from '../../spaces.js';
import { readKeyRow } from '../key-row.js';
import type { IdMarks } from './id-marks.js';
import type { KeyCache } from './key-cache.js';

const maxAbsent = 10_000;

/** Reads limited keys into memory, each once for all who ask at the same time. */
export function createKeyReading(items: ItemStore, cache: KeyCache, { isMarked }: Pick<IdMarks, 'isMarked'>) {
  const reading = new Map<string, { readonly done: Promise<void>; hasEnded: boolean }>();
  /** Ids that were asked for and have no row: ids are never used again. */
  let absent = new Set<string>();

  async function readRow(id: string, isOne: true | Promise<boolean>): Promise<void> {
    try {
      const value = (await isOne) ? await items.get(limitedKeysSpace, id) : undefined;
      if (value !== undefined && !reading.get(id)?.hasEnded) {
        cache.add(id, readKeyRow(value));
        return;
      }
      if (absent.size >= maxAbsent) absent = new Set();
      absent.add(id);
    } finally {
      reading.delete(id);
    }
  }

  return {
    /** Reads the key with this id; undefined if it is there, or cannot be. Rejects with `StorageUnavailable`. */
    read(id: string) {
      if (cache.get(id) !== undefined || absent.has(id)) return undefined;
      const inProgress = reading.get(id);
      if (inProgress !== undefined) return inProgress.done;
      const isOne = isMarked(id);
      if (isOne === false) return undefined;
      const one = { done: readRow(id, isOne), hasEnded: false };
      reading.set(id, one);
      return one.done;
    },

    /** The ids of the keys that are being read. */
    inProgress: () => reading.keys(),

    /** The key has ended: what is being read of it must not count. */
    noteEnd(id: string) {
      const inProgress = reading.get(id);
      if (inProgress !== undefined) inProgress.hasEnded = true;
    },

    /** Keys that had no row may have one: what was lost may be their end. */
    forgetAbsent() {
      absent = new Set();
    },
  };
}
