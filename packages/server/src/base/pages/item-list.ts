import { comma } from '../../json/characters.js';
import { pageBytes } from '../limits.js';

/** A list of items that is complete. */
export interface FinishedList {
  readonly count: number;
  /** Gives `before`, the items separated by commas, and `after` as one piece. No items can be added after that. */
  finish(before: string, after: string): Buffer | string;
}

/**
 * A list of items that is written as the bytes of the answer while the items are read. Joining strings at the end would
 * hold each page of a megabyte in memory three times.
 */
export interface ItemList extends FinishedList {
  add(item: string): void;
  finish(before: string, after: string): Buffer;
}

const headRoomBytes = 2048;
/**
 * The sizes of the buffer in bytes. Most pages are small, and most of the others are full. The third size fits a full
 * page with its commas.
 */
const sizes = [16 * 1024, 256 * 1024, pageBytes + 64 * 1024];
/** The maximum number of UTF-8 bytes for one UTF-16 code unit. For long items, the bytes are counted instead. */
const maxBytesPerUnit = 3;
const longUnits = 4096;

/**
 * Where small lists are put together. They are sent as strings (`http/answers/buffered-body.ts`), and a buffer for each of them
 * would be garbage at once: ten items in order take 0.9 × the processor time.
 */
const scratch = Buffer.allocUnsafeSlow(12 * 1024);

/** A list of a few items that are in memory as bytes. */
export function createByteList(items: readonly Buffer[]): FinishedList {
  return {
    count: items.length,
    finish(before, after) {
      let size = Buffer.byteLength(before) + Buffer.byteLength(after) + Math.max(0, items.length - 1);
      for (const { length } of items) size += length;
      const isSmall = size <= scratch.length;
      const bytes = isSmall ? scratch : Buffer.allocUnsafe(size);
      let end = bytes.write(before);
      for (const [n, item] of items.entries()) {
        if (n > 0) bytes[end++] = comma;
        bytes.set(item, end);
        end += item.length;
      }
      bytes.write(after, end);
      return isSmall ? scratch.toString('utf8', 0, size) : bytes;
    },
  };
}

export function createItemList(): ItemList {
  let buffer = Buffer.allocUnsafeSlow(sizes[0] as number);
  let end = headRoomBytes;
  let count = 0;

  function makeRoom(text: string): void {
    const bytes = text.length > longUnits ? Buffer.byteLength(text) : text.length * maxBytesPerUnit;
    const needed = end + bytes + 1;
    if (needed <= buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(sizes.find((size) => size >= needed) ?? 2 * needed);
    buffer.copy(larger, 0, 0, end);
    buffer = larger;
  }

  return {
    get count() {
      return count;
    },

    add(item) {
      makeRoom(item);
      if (count > 0) buffer[end++] = comma;
      end += buffer.write(item, end, 'utf8');
      count++;
    },

    finish(before, after) {
      makeRoom(after);
      end += buffer.write(after, end, 'utf8');
      const size = Buffer.byteLength(before);
      // `before` comes first but is known only now. The buffer has room for it, unless JSON escapes most characters of
      // a key.
      if (size > headRoomBytes)
        return Buffer.concat([Buffer.from(before), buffer.subarray(headRoomBytes, end)]);
      buffer.write(before, headRoomBytes - size, 'utf8');
      return buffer.subarray(headRoomBytes - size, end);
    },
  };
}
