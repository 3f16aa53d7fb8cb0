/** What an entry costs besides its bytes: the string of its key, its places in the map and the list. */
const entryOverheadBytes = 120;
const maxChunkBytes = 1024 * 1024;
const headBytes = 4;
const lengthMask = 0xff_ffff;

/**
 * A bounded cache of hot rows. A read of LevelDB costs 4–6 µs of the event loop, a third of a whole request's; from
 * here it costs a lookup in a map. Rows lie one behind the other in chunks of memory, since a buffer of its own costs a
 * row of 300 bytes as much again, and the garbage collector its time. The oldest chunk goes first, and of its rows those
 * that were asked for since have a second chance, in the newest (a clock). Nothing moves when it is read.
 *
 * One process owns the store, so the cache is kept true by its owner: rows enter when they are read, leave before a
 * commit that changes them, and may come back behind it.
 */
export interface RowCache {
  /** A view: its bytes never change, and it keeps a chunk of memory as long as it is held. */
  get(key: string): Buffer | undefined;
  /** The same for the store's own needs: nobody has asked for the row. */
  peek(key: string): Buffer | undefined;
  /** A row as it was found in the store. */
  add(key: string, value: Buffer): void;
  /** A row as it was written to the store. */
  addWritten(key: string, value: Buffer): void;
  /** Whether anybody has asked for it since it was written: who writes it again knows by that whether to add it again. */
  remove(key: string): boolean;
}

/** How a row came in, and whether it was asked for since. */
const found = 0;
const asked = 1;
const written = 2;

/** Written from its beginning to its end, once. Each row: its length in three bytes, one of the above, itself. */
interface Chunk {
  readonly bytes: Buffer;
  /** The keys of its rows, in their order. */
  readonly keys: string[];
  end: number;
}

export function createRowCache(maxBytes: number): RowCache {
  const chunkBytes = Math.min(maxChunkBytes, Math.floor(maxBytes / 16));
  /** What is kept of one that goes: it must make room, and moving rows must stay short. */
  const maxKeptBytes = Math.floor(chunkBytes / 4);
  /** A ring, so that a place in it is a small number. */
  const ring: (Chunk | undefined)[] = new Array(Math.ceil(maxBytes / chunkBytes) + 1);
  /** Where a row lies: in which chunk of the ring, and where there. */
  const places = new Map<string, number>();
  let first = 0;
  let count = 0;

  const newest = () => ring[(first + count - 1) % ring.length];
  const chunkAt = (place: number) => ring[Math.floor(place / chunkBytes)] as Chunk;

  function add(key: string, value: Buffer, state: number): void {
    const size = headBytes + value.length;
    if (size > maxKeptBytes) return;
    let chunk = newest();
    while (chunk === undefined || chunk.end + size > chunkBytes) {
      addChunk();
      chunk = newest();
    }
    const at = chunk.end;
    chunk.bytes.writeUInt32LE(value.length, at);
    chunk.bytes[at + 3] = state;
    chunk.bytes.set(value, at + headBytes);
    chunk.keys.push(key);
    chunk.end += size;
    places.set(key, ((first + count - 1) % ring.length) * chunkBytes + at);
  }

  function addChunk(): void {
    ring[(first + count) % ring.length] = { bytes: Buffer.allocUnsafeSlow(chunkBytes), keys: [], end: 0 };
    count++;
    const isOver = () => count * chunkBytes + places.size * entryOverheadBytes > maxBytes;
    while (count > 1 && isOver()) dropOldest();
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
      // Rows that were removed or written again meanwhile are only passed over.
      if (places.get(key) === start + at) {
        places.delete(key);
        const isHot = chunk.bytes[at + 3] === asked;
        if (isHot) keptBytes += headBytes + value.length;
        if (isHot && keptBytes <= maxKeptBytes) add(key, value, found);
      }
      at += headBytes + value.length;
    }
  }

  return {
    get(key) {
      const place = places.get(key);
      if (place === undefined) return undefined;
      const at = place % chunkBytes;
      const chunk = chunkAt(place);
      chunk.bytes[at + 3] = asked;
      return valueAt(chunk, at);
    },

    peek(key) {
      const place = places.get(key);
      return place === undefined ? undefined : valueAt(chunkAt(place), place % chunkBytes);
    },

    add: (key, value) => add(key, value, found),

    addWritten: (key, value) => add(key, value, written),

    remove(key) {
      const place = places.get(key);
      if (place === undefined) return false;
      places.delete(key);
      return chunkAt(place).bytes[(place % chunkBytes) + 3] !== written;
    },
  };
}

function valueAt({ bytes }: Chunk, at: number): Buffer {
  const start = at + headBytes;
  return bytes.subarray(start, start + (bytes.readUInt32LE(at) & lengthMask));
}
