import type { ScanRange } from '../item-store.js';

/** The batches of a scan: all, or the first that has any rows. */
export function batchesOf<Row>(
  batches: AsyncIterable<readonly Row[]>,
  { isOneBatch }: ScanRange,
): AsyncIterable<readonly Row[]> {
  return isOneBatch ? firstOf(batches) : batches;
}

async function* firstOf<Row>(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield batch;
    return;
  }
}
