import type { TextRow } from '../engines/item-store.js';
import { runInSlices, type Steps } from '../lib/concurrency/time-slices.js';

/** A number of rows, and the sum of their sizes. */
export interface Count {
  readonly rows: number;
  readonly bytes: number;
}

/** The number of items or files, and their total size. Absent: nobody has counted them yet. */
export interface Size extends Partial<Count> {
  /** Whether it is what there is now. */
  readonly exact: boolean;
  /** If not: the second at which it was counted, since 1970 UTC. */
  readonly asOfSeconds?: number | undefined;
}

/** Gives the size of a row in bytes; undefined for a row that is not counted. */
export type BytesOf = (row: TextRow) => number | undefined;

export interface PartialCount extends Count {
  /** The last key that was read if more rows may follow; undefined if all rows are counted. */
  readonly last: string | undefined;
}

/** The number of rows between two points at which other work may run. */
const rowsPerStep = 32;

/** Counts rows until all are counted, or until `mayGoOn`, which is called after each batch, gives false. */
export async function countRows(
  batches: AsyncIterable<readonly TextRow[]>,
  bytesOf: BytesOf,
  mayGoOn: () => boolean,
): Promise<PartialCount> {
  let rows = 0;
  let bytes = 0;
  function* countBatch(batch: readonly TextRow[]): Steps<void> {
    for (const [index, row] of batch.entries()) {
      if (index % rowsPerStep === rowsPerStep - 1) yield;
      const counted = bytesOf(row);
      if (counted === undefined) continue;
      rows++;
      bytes += counted;
    }
  }
  for await (const batch of batches) {
    await runInSlices(countBatch(batch));
    if (!mayGoOn()) return { rows, bytes, last: batch.at(-1)?.key };
  }
  return { rows, bytes, last: undefined };
}
