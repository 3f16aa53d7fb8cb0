/** What an entry costs besides its bytes: the string of its key, the view, the place in the map. */
const entryOverheadBytes = 250;

/**
 * A bounded cache of hot rows. A read of LevelDB costs 4–6 µs of the event loop, a third of a whole request's; from
 * here it costs a lookup in a map. Two generations instead of a list in the order of use: what is asked for
 * moves to the young one, and when that is full, the old one goes.
 *
 * One process owns the store, so the cache is kept true by its owner: rows enter when they are read, leave before a
 * commit that changes them, and may come back behind it.
 */
export interface RowCache {
  get(key: string): Buffer | undefined;
  /** A row as it is in the store. */
  add(key: string, value: Buffer): void;
  /** Whether it was there. */
  remove(key: string): boolean;
  clear(): void;
}

export function createRowCache(maxBytes: number): RowCache {
  let young = new Map<string, Buffer>();
  let old = new Map<string, Buffer>();
  let youngBytes = 0;

  function add(key: string, value: Buffer): void {
    const size = entryOverheadBytes + value.length;
    if (size > maxBytes / 8) return;
    youngBytes += size;
    if (youngBytes > maxBytes / 2) {
      old = young;
      young = new Map();
      youngBytes = size;
    }
    young.set(key, value);
  }

  /** Takes a row out of both generations; true when it was in one. */
  function take(key: string): boolean {
    const value = young.get(key);
    if (value === undefined) return old.delete(key);
    youngBytes -= entryOverheadBytes + value.length;
    return young.delete(key);
  }

  return {
    get(key) {
      const value = young.get(key);
      if (value !== undefined) return value;
      const aged = old.get(key);
      if (aged === undefined) return undefined;
      old.delete(key);
      add(key, aged);
      return aged;
    },

    add(key, value) {
      take(key);
      add(key, value);
    },

    remove: take,

    clear() {
      young = new Map();
      old = new Map();
      youngBytes = 0;
    },
  };
}
