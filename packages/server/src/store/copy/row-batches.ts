import { rowInCopy } from '../../base/indexes/row-in-copy.js';
import type { ItemStore, ScannedRow, ScanRange } from '../../engines/item-store.js';
import { baseSpaces } from '../../spaces.js';

/** Limits of a batch, so that its comparison does not delay requests. */
const maxBatchRows = 256;
const maxBatchBytes = 256 * 1024;

/**
 * The rows of a space, or of a range of it, in key order, with their due times. Each batch is read completely before it
 * is given, so that no snapshot and no connection is held while blobs are copied for hours. Therefore only the rows of
 * one batch are from the same snapshot.
 */
export async function* rowBatches(
  items: Pick<ItemStore, 'scan'>,
  space: string,
  range: ScanRange = {},
): AsyncGenerator<readonly ScannedRow[]> {
  let after: string | undefined;
  for (;;) {
    const { rows, isLast } = await readBatch(
      items,
      space,
      after === undefined ? range : { ...range, gt: after },
    );
    if (rows.length > 0) yield rows;
    if (isLast) return;
    after = rows.at(-1)?.key;
    // Requests that arrived in the meantime are answered first.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The same, but as a copy has them: without the entries of indexes, which the destination's server makes again. */
export async function* copiedBatches(
  items: Pick<ItemStore, 'scan'>,
  space: string,
): AsyncGenerator<readonly ScannedRow[]> {
  const isBase = space.startsWith(baseSpaces);
  for await (const batch of rowBatches(items, space)) {
    const rows = isBase ? batch.map(rowInCopy).filter((row) => row !== undefined) : batch;
    if (rows.length > 0) yield rows;
  }
}

async function readBatch(items: Pick<ItemStore, 'scan'>, space: string, range: ScanRange) {
  const rows: ScannedRow[] = [];
  let bytes = 0;
  for await (const batch of items.scan(space, { ...range, limit: maxBatchRows, withDue: true })) {
    rows.push(...batch);
    for (const { value } of batch) bytes += value.length;
    if (bytes >= maxBatchBytes) return { rows, isLast: false };
  }
  return { rows, isLast: rows.length < maxBatchRows };
}

/** One row as it is now, with its due time. */
export async function readScanned(
  items: ItemStore,
  space: string,
  key: string,
): Promise<ScannedRow | undefined> {
  for await (const [row] of items.scan(space, { gte: key, lte: key, limit: 1, withDue: true })) return row;
  return undefined;
}

/** Whether two rows with the same key are equal. */
export function isSameRow(a: ScannedRow, b: ScannedRow): boolean {
  return a.dueSeconds === b.dueSeconds && a.value.equals(b.value);
}
