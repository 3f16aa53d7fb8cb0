import type { ItemStore, ScanRange, TextRow } from '../../engines/item-store.js';
import type { Schedule } from '../../lib/concurrency/scheduled.js';

/** A batch ends with the batch of the engine that makes it so large. */
const enoughCharacters = 128 * 1024;
const maxRows = 1000;

export type TextBatches = AsyncIterable<readonly TextRow[]>;

/**
 * Gives the rows of a range in the order of their keys, up to the row that is the last one at the start. Rows that are
 * written after it do not prolong the scan. Each batch has a scan of its own, which ends before the batch is given.
 * Nothing stays open while the caller works, and each row is as it was when its batch was read.
 */
export async function* textBatches(
  items: ItemStore,
  space: string,
  range: ScanRange,
  schedule: Schedule,
): AsyncGenerator<readonly TextRow[], void, undefined> {
  const { lt: _, ...start } = range;
  let end: string | undefined;
  for await (const rows of items.scanText(space, { ...range, reverse: true, limit: 1 })) end = rows[0]?.key;
  if (end === undefined) return;
  let bounds: ScanRange = { ...start, lte: end, limit: maxRows };
  for (;;) {
    const rows = await schedule(() => readBatch(items.scanText(space, bounds)));
    const last = rows.at(-1)?.key;
    if (last === undefined) return;
    yield rows;
    if (last === end) return;
    const { gte: _, ...behind } = bounds;
    bounds = { ...behind, gt: last };
  }
}

async function readBatch(scan: AsyncIterable<readonly TextRow[]>): Promise<readonly TextRow[]> {
  const batch: TextRow[] = [];
  let characters = 0;
  for await (const rows of scan) {
    for (const row of rows) {
      batch.push(row);
      characters += row.text.length;
    }
    // What the engine has read is not read a second time.
    if (characters >= enoughCharacters) break;
  }
  return batch;
}
