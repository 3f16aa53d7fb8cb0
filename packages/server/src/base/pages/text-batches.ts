import type { ItemStore, ScanRange, TextRow } from '../../engines/item-store.js';
import type { Schedule } from '../../lib/concurrency/scheduled.js';

/** A batch ends with the batch of the engine that makes it so large. */
const enoughCharacters = 128 * 1024;
const maxRows = 1000;

/** The rows of a range of keys in a space. */
export interface TextRange {
  readonly items: ItemStore;
  readonly space: string;
  readonly range: ScanRange;
}

/**
 * Gives the rows of a range in the order of their keys, up to the row that is the last one at the start, as what
 * `convert` makes of them. Rows that are written after it do not prolong the scan. Each batch has a scan of its own,
 * which ends before the batch is given. Nothing else stays in memory while the caller works, and each row is as it was
 * when its batch was read.
 */
export async function* textBatches<Batch>(
  { items, space, range }: TextRange,
  schedule: Schedule,
  convert: (rows: readonly TextRow[]) => Batch,
): AsyncGenerator<Batch, void, undefined> {
  const { lt: _, ...start } = range;
  const end = await schedule(() => lastKey({ items, space, range }));
  if (end === undefined) return;
  // Most batches are what the engine gives at first.
  let bounds: ScanRange = { ...start, lte: end, limit: maxRows, firstBatch: maxRows };
  // A function: a loop would keep the rows while the caller has what was made of them.
  const readNext = async () => {
    const rows = await schedule(() => readBatch(items.scanText(space, bounds)));
    return { last: rows.at(-1)?.key, batch: convert(rows) };
  };
  for (;;) {
    const { last, batch } = await readNext();
    if (last === undefined) return;
    yield batch;
    if (last === end) return;
    const { gte: _, ...others } = bounds;
    bounds = { ...others, gt: last };
  }
}

async function lastKey({ items, space, range }: TextRange): Promise<string | undefined> {
  for await (const rows of items.scanText(space, { ...range, reverse: true, limit: 1 })) return rows[0]?.key;
  return undefined;
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
    if (characters >= enoughCharacters || batch.length === maxRows) break;
  }
  return batch;
}
