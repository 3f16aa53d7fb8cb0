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
  add(rows: readonly ScannedRow[]): void;
  sum(): RowSum;
}

export function createRowDigest(): RowDigest {
  const hash = createHash('sha256');
  let rows = 0;
  let bytes = 0;
  return {
    add(added) {
      const chunks: Buffer[] = [];
      for (const { key, value, dueSeconds } of added) {
        const keyBytes = Buffer.byteLength(key);
        // Lengths first: no two different rows come to the same bytes.
        chunks.push(Buffer.from(`${keyBytes} ${value.length} ${dueSeconds ?? ''}\n${key}`), value);
        bytes += keyBytes + value.length;
      }
      // One call for all: each costs more than the bytes of a small row.
      hash.update(Buffer.concat(chunks));
      rows += added.length;
    },
    sum: () => ({ rows, bytes, sha256: hash.copy().digest('hex') }),
  };
}

export function rowBytes({ key, value }: ScannedRow): number {
  return Buffer.byteLength(key) + value.length;
}
