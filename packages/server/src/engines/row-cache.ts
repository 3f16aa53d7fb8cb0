/** What an entry costs besides its bytes: the string of its key, the place in the map, its length. */
const entryOverheadBytes = 120;
const chunkBytes = 1024 * 1024;
const lengthBytes = 4;

/**
 * A bounded cache of hot rows. A read of LevelDB costs 4–6 µs of the event loop, a third of a whole request's; from
 * here it costs a lookup in a map. Two generations instead of a list in the order of use: what is asked for
 * moves to the young one, and when that is full, the old one goes. Rows lie one behind the other in chunks of
 * memory, since a buffer of its own costs a row of 300 bytes as much again, and the garbage collector its time.
 *
 * One process owns the store, so the cache is kept true by its owner: rows enter when they are read, leave before a
 * commit that changes them, and may come back behind it.
 */
export interface RowCache {
  /** A view: its bytes never change, and it keeps a chunk of memory as long as it is held. */
  get(key: string): Buffer | undefined;
  /** A row as it is in the store. */
  add(key: string, value: Buffer): void;
  /** Whether it was there. */
  remove(key: string): boolean;
  clear(): void;
}

/** Chunks are written from their beginning to their end, once. */
interface Generation {
  readonly chunks: Buffer[];
  /** Where a row lies: the place of its length, counted over all chunks. */
  readonly places: Map<string, number>;
  end: number;
}

export function createRowCache(maxBytes: number): RowCache {
  let young = newGeneration();
  let old = newGeneration();
  const maxRowBytes = Math.min(chunkBytes - lengthBytes, maxBytes / 8);

  function add(key: string, value: Buffer): void {
    if (value.length > maxRowBytes) return;
    const used = young.end + (young.places.size + 1) * entryOverheadBytes;
    if (used + value.length > maxBytes / 2) {
      old = young;
      young = newGeneration();
    }
    young.places.set(key, write(young, value));
  }

  return {
    get(key) {
      const place = young.places.get(key);
      if (place !== undefined) return read(young, place);
      const oldPlace = old.places.get(key);
      if (oldPlace === undefined) return undefined;
      const value = read(old, oldPlace);
      old.places.delete(key);
      add(key, value);
      return value;
    },

    add(key, value) {
      old.places.delete(key);
      young.places.delete(key);
      add(key, value);
    },

    remove(key) {
      return young.places.delete(key) || old.places.delete(key);
    },

    clear() {
      young = newGeneration();
      old = newGeneration();
    },
  };
}

function newGeneration(): Generation {
  return { chunks: [], places: new Map(), end: 0 };
}

function write(generation: Generation, value: Buffer): number {
  const { chunks } = generation;
  const size = lengthBytes + value.length;
  if ((generation.end % chunkBytes) + size > chunkBytes || chunks.length * chunkBytes === generation.end) {
    generation.end = chunks.length * chunkBytes;
    chunks.push(Buffer.allocUnsafeSlow(chunkBytes));
  }
  const place = generation.end;
  const chunk = chunks[chunks.length - 1] as Buffer;
  const at = place % chunkBytes;
  chunk.writeUInt32LE(value.length, at);
  chunk.set(value, at + lengthBytes);
  generation.end += size;
  return place;
}

function read({ chunks }: Generation, place: number): Buffer {
  const chunk = chunks[Math.floor(place / chunkBytes)] as Buffer;
  const at = (place % chunkBytes) + lengthBytes;
  return chunk.subarray(at, at + chunk.readUInt32LE(at - lengthBytes));
}
