import type { CacheCounts } from '../../lib/cache-counts.js';

/** The memory of an entry besides its bytes: the string of its key, its places in the map and the list. */
const entryOverheadBytes = 120;
const maxChunkBytes = 1024 * 1024;
const headBytes = 4;
const lengthMask = 0xff_ffff;

/**
 * A bounded cache of hot rows. A read of LevelDB takes 4–6 µs of the event loop, a third of a whole request; a read of
 * the cache is a lookup in a map. Rows are stored one after the other in chunks of memory: a buffer for each row of 300
 * bytes would take twice the memory and much time of the garbage collector. The oldest chunk is dropped first; those of
 * its rows that were read since move to the newest chunk (the clock algorithm). Reading moves nothing.
 *
 * One process owns the store, so the cache is never stale: a row enters when it is read, leaves before a commit that
 * changes it, and may come back after the commit.
 */
export interface RowCache {
  /** A view, whose bytes never change. It keeps its whole chunk in memory. */
  get(key: string): Buffer | undefined;
  /** The same, without counting as a read. */
  peek(key: string): Buffer | undefined;
  /** Adds a row that was read from the store. */
  add(key: string, value: Buffer): void;
  /** Adds a row that was written to the store. */
  addWritten(key: string, value: Buffer): void;
  /**
   * Removes a row. Gives whether it was read since it was written, so that it is worth adding again: then call `addWritten`
   * or `forget`.
   */
  remove(key: string): boolean;
  /** Call it for a row that was removed and is not added again. */
  forget(key: string): void;
  counts(): CacheCounts;
}

/** How a row entered, and whether it was read since. */
const found = 0;
const readAgain = 1;
const written = 2;

/**
 * The place of a row that was removed and is to be added again. To delete a key from a map of 100,000 and to set it again
 * takes 0.85 µs, because deleted keys keep their room until all others are hashed anew; to set it twice takes 0.54.
 */
const removed = -1;

/** Filled once, from its beginning to its end. For each row: its length in three bytes, one of the above, its bytes. */
interface Chunk {
  readonly bytes: Buffer;
  /** The keys of its rows, in their order. */
  readonly keys: string[];
  end: number;
}

export function createRowCache(maxBytes: number): RowCache {
  const chunkBytes = Math.min(maxChunkBytes, Math.floor(maxBytes / 16));
  /** How much of a dropped chunk is kept: dropping must free memory, and moving rows must not take long. */
  const maxKeptBytes = Math.floor(chunkBytes / 4);
  /** A ring of chunks, so that the place of a row is a small number. */
  const ring: (Chunk | undefined)[] = new Array(Math.ceil(maxBytes / chunkBytes) + 1);
  /** The place of each row: its chunk in the ring and its offset there, as one number. */
  const places = new Map<string, number>();
  let first = 0;
  let count = 0;
  let hits = 0;
  let misses = 0;

  const newest = () => ring[(first + count - 1) % ring.length];
  const takenBytes = () => count * chunkBytes + places.size * entryOverheadBytes;
  const chunkAt = (place: number) => ring[Math.floor(place / chunkBytes)] as Chunk;

  function placeOf(key: string): number | undefined {
    const place = places.get(key);
    return place === removed ? undefined : place;
  }

  function add(key: string, value: Buffer, state: number): void {
    const size = headBytes + value.length;
    if (size > maxKeptBytes) {
      places.delete(key);
      return;
    }
    let chunk = newest();
    while (chunk === undefined || chunk.end + size > chunkBytes) {
      addChunk();
      chunk = newest();
    }
    places.set(key, ((first + count - 1) % ring.length) * chunkBytes + chunk.end);
    append(chunk, key, value, state);
  }

  function addChunk(): void {
    ring[(first + count) % ring.length] = { bytes: Buffer.allocUnsafeSlow(chunkBytes), keys: [], end: 0 };
    count++;
    while (count > 1 && takenBytes() > maxBytes) dropOldest();
  }

  function dropOldest(): void {
    const chunk = ring[first] as Chunk;
    const start = first * chunkBytes;
    ring[first] = undefined;
    first = (first + 1) % ring.length;
    count--;
    let at = 0;
    let keptBytes = 0;
    for (const key of chunk.keys) {
      const value = valueAt(chunk, at);
      // A row that was removed or written again in the meantime is skipped.
      if (places.get(key) === start + at) {
        places.delete(key);
        const isHot = chunk.bytes[at + 3] === readAgain;
        if (isHot) keptBytes += headBytes + value.length;
        if (isHot && keptBytes <= maxKeptBytes) add(key, value, found);
      }
      at += headBytes + value.length;
    }
  }

  return {
    get(key) {
      const place = placeOf(key);
      if (place === undefined) {
        misses++;
        return undefined;
      }
      hits++;
      const at = place % chunkBytes;
      const chunk = chunkAt(place);
      chunk.bytes[at + 3] = readAgain;
      return valueAt(chunk, at);
    },

    peek(key) {
      const place = placeOf(key);
      return place === undefined ? undefined : valueAt(chunkAt(place), place % chunkBytes);
    },

    add: (key, value) => add(key, value, found),

    addWritten: (key, value) => add(key, value, written),

    remove(key) {
      const place = placeOf(key);
      if (place === undefined) return false;
      const isHot = chunkAt(place).bytes[(place % chunkBytes) + 3] !== written;
      if (isHot) places.set(key, removed);
      else places.delete(key);
      return isHot;
    },

    forget(key) {
      places.delete(key);
    },

    counts: () => ({ hits, misses, bytes: takenBytes() }),
  };
}

function append(chunk: Chunk, key: string, value: Buffer, state: number): void {
  const { bytes, keys, end } = chunk;
  bytes.writeUInt32LE(value.length, end);
  bytes[end + 3] = state;
  bytes.set(value, end + headBytes);
  keys.push(key);
  chunk.end += headBytes + value.length;
}

function valueAt({ bytes }: Chunk, at: number): Buffer {
  const start = at + headBytes;
  return bytes.subarray(start, start + (bytes.readUInt32LE(at) & lengthMask));
}
