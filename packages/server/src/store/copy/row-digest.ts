import { hash } from 'node:crypto';
import type { ScannedRow } from '../../engines/item-store.js';

/** What a set of rows comes to: two that are equal hold the same rows. */
export interface RowSum {
  readonly rows: number;
  /** Of keys and values. */
  readonly bytes: number;
  /**
   * The SHA-256 of every row (key, value, due mark), added up as eight numbers of 32 bits, in hexadecimal digits:
   * the same in whatever order they were read.
   */
  readonly checksum: string;
}

export interface RowDigest {
  add(rows: readonly ScannedRow[]): void;
  sum(): RowSum;
}

const lanes = 8;
const laneBytes = 4;

export function createRowDigest(): RowDigest {
  // They wrap around.
  const sums = new Uint32Array(lanes);
  let rows = 0;
  let bytes = 0;
  return {
    add(added) {
      for (const row of added) {
        const digest = hash('sha256', encoded(row), 'buffer');
        for (let lane = 0; lane < lanes; lane++) sums[lane]! += digest.readUInt32BE(lane * laneBytes);
        bytes += rowBytes(row);
      }
      rows += added.length;
    },
    sum: () => ({ rows, bytes, checksum: Array.from(sums, (n) => n.toString(16).padStart(8, '0')).join('') }),
  };
}

/** Lengths first: no two different rows come to the same bytes. */
function encoded({ key, value, dueSeconds }: ScannedRow): Buffer {
  const head = Buffer.from(`${Buffer.byteLength(key)} ${value.length} ${dueSeconds ?? ''}\n${key}`);
  return Buffer.concat([head, value]);
}

export function rowBytes({ key, value }: ScannedRow): number {
  return Buffer.byteLength(key) + value.length;
}
