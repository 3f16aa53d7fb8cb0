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
 *
 * `isAhead`: the next batch is read while the caller has one, so its rows are in memory, too. The store has other threads for
 * that, or another machine: over LevelDB, an export on one connection takes 0.9 × the time.
 */
export async function* textBatches<Batch>(
  { items, space, range }: TextRange,
  schedule: Schedule,
  convert: (rows: readonly TextRow[]) => Batch,
  { isAhead = false }: { readonly isAhead?: boolean } = {},
): AsyncGenerator<Batch, void, undefined> {
  const end = await schedule(() => lastKey({ items, space, range })).catch((cause): typeof beyondDamage => {
    // The last rows are damaged, and no scan goes beyond them.
    if (isDamage(cause)) return beyondDamage;
    throw cause;
  });
  if (end === undefined) return;
  const { lt: _, ...start } = range;
  const bounded: ScanRange = end === beyondDamage ? range : { ...start, lte: end };
  const first: ScanRange = { ...bounded, firstBatch: maxRows, isOneBatch: true };
  const { gte: _gte, ...others } = first;
  const read = (gt?: string) =>
    schedule(() => firstOf(items.scanText(space, gt === undefined ? first : { ...others, gt })));
  let ahead: Promise<readonly TextRow[]> | undefined;
  // A function: a loop would keep the rows while the caller has what was made of them.
  const readNext = async (after?: string) => {
    const rows = await (ahead ?? read(after));
    const last = rows.at(-1)?.key;
    const isLast = last === undefined || last === end;
    ahead = isAhead && !isLast ? read(last) : undefined;
    // A failure is that of the next batch, which is perhaps not wanted.
    ahead?.catch(() => undefined);
    return { last, isLast, batch: convert(rows) };
  };
  try {
    let after: string | undefined;
    for (;;) {
      const { last, isLast, batch } = await readNext(after);
      if (last === undefined) return;
      yield batch;
      if (isLast) return;
      after = last;
    }
  } finally {
    // Whoever ends early leaves no reading behind.
    await ahead?.catch(() => undefined);
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
