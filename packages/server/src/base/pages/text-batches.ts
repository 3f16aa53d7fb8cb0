import type { ItemStore, ScanRange, TextRow } from '../../engines/item-store.js';
import { isDamage } from '../../engines/storage-errors.js';
import type { Schedule } from '../../lib/concurrency/scheduled.js';

const maxRows = 1000;
const beyondDamage = Symbol('beyond damage');

/** The rows of a range of keys in a space. */
export interface TextRange {
  readonly items: ItemStore;
  readonly space: string;
  readonly range: ScanRange;
}

/**
 * Gives the rows of a range in the order of their keys, up to the row that is the last one at the start, as what
 * `convert` makes of them. Rows that are written after it do not prolong the scan. If that
 * row is damaged, it gives those before the damage, and then throws `RowsDamaged`. Each batch has a scan of its own,
 * which ends before the batch is given. Nothing else stays in memory while the caller works, and each row is as it was
 * when its batch was read.
 */
export async function* textBatches<Batch>(
  { items, space, range }: TextRange,
  schedule: Schedule,
  convert: (rows: readonly TextRow[]) => Batch,
): AsyncGenerator<Batch, void, undefined> {
  const end = await schedule(() => lastKey({ items, space, range })).catch((cause): typeof beyondDamage => {
    // The last rows are damaged, and no scan goes beyond them.
    if (isDamage(cause)) return beyondDamage;
    throw cause;
  });
  if (end === undefined) return;
  const { lt: _, ...start } = range;
  const bounded: ScanRange = end === beyondDamage ? range : { ...start, lte: end };
  let bounds: ScanRange = { ...bounded, firstBatch: maxRows, isOneBatch: true };
  // A function: a loop would keep the rows while the caller has what was made of them.
  const readNext = async () => {
    const rows = await schedule(() => firstOf(items.scanText(space, bounds)));
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
  const last = { ...range, reverse: true, limit: 1, isOneBatch: true };
  return (await firstOf(items.scanText(space, last)))[0]?.key;
}

async function firstOf(scan: AsyncIterable<readonly TextRow[]>): Promise<readonly TextRow[]> {
  for await (const rows of scan) return rows;
  return [];
}
