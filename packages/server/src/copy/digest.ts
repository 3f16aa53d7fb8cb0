import { createHash } from 'node:crypto';
import type { ScannedRow } from '../engines/item-store.js';

/** What a set of rows comes to: two that are equal hold the same rows. */
export interface RowSum {
  readonly rows: number;
  /** Of keys and values. */
  readonly bytes: number;
  /** SHA-256 over key, value and due mark of every row in key order, in hexadecimal digits. */
  readonly sha256: string;
}

export interface RowDigest {
  /** Rows come in key order. */
  add(row: ScannedRow): void;
  sum(): RowSum;
}

export function createRowDigest(): RowDigest {
  const hash = createHash('sha256');
  let rows = 0;
  let bytes = 0;
  return {
    add(row) {
      const { key, value, dueSeconds } = row;
      // Lengths first: no two different rows come to the same bytes.
      hash.update(`${Buffer.byteLength(key)} ${value.length} ${dueSeconds ?? ''}\n${key}`);
      hash.update(value);
      rows++;
      bytes += rowBytes(row);
    },
    sum: () => ({ rows, bytes, sha256: hash.copy().digest('hex') }),
  };
}

export function rowBytes({ key, value }: ScannedRow): number {
  return Buffer.byteLength(key) + value.length;
}
