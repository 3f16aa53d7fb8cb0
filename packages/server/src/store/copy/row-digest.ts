import { hash } from 'node:crypto';
import type { ScannedRow } from '../../engines/item-store.js';

/** The checksum of a set of rows: sets with equal sums hold the same rows. */
export interface RowSum {
  readonly rows: number;
  /** Of keys and values. */
  readonly bytes: number;
  /**
   * The sum of the SHA-256 of every row (key, value, due time) as eight numbers of 32 bits, in hexadecimal digits: the
   * same in whatever order the rows were read.
   */
  readonly checksum: string;
}

export type RowDigest = ReturnType<typeof createRowDigest>;

const words = 8;
const wordBytes = 4;

export function createRowDigest() {
  // The numbers wrap around.
  const sums = new Uint32Array(words);
  let rows = 0;
  let bytes = 0;
  return {
    add(added: readonly ScannedRow[]): void {
      for (const row of added) {
        const digest = hash('sha256', encoded(row), 'buffer');
        for (let word = 0; word < words; word++) sums[word]! += digest.readUInt32BE(word * wordBytes);
        bytes += rowBytes(row);
      }
      rows += added.length;
    },
    sum: () => ({ rows, bytes, checksum: Array.from(sums, (n) => n.toString(16).padStart(8, '0')).join('') }),
  };
}

/** Lengths first, so that no two different rows are encoded as the same bytes. */
function encoded({ key, value, dueSeconds }: ScannedRow): Buffer {
  const head = Buffer.from(`${Buffer.byteLength(key)} ${value.length} ${dueSeconds ?? ''}\n${key}`);
  return Buffer.concat([head, value]);
}

export function rowBytes({ key, value }: ScannedRow): number {
  return Buffer.byteLength(key) + value.length;
}
