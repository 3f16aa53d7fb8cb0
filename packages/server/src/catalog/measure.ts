import { readCounter } from '../engines/counter.js';
import { nowSeconds } from '../lib/clock.js';
import { abandoned } from '../request-error.js';
import type { CatalogRows, Collection, View } from './collections.js';
import { type BytesOf, countRows, type Size } from './count.js';
import type { LastCounts } from './last-counts.js';

export interface MeasureOptions extends CatalogRows {
  /** The time in milliseconds for which rows are counted. */
  readonly countMs: number;
  readonly lastCounts: LastCounts;
  /** Is told of a base or a drive that takes long to count, and has no counter now. */
  readonly onUncounted: (space: string) => void;
}

/**
 * The size of a base or a drive, never estimated (docs/http.md#statistics): what its counter says; without one, what is
 * counted now, in a second; else what was counted last, and it is counted again in the background.
 */
export async function measure(
  options: MeasureOptions,
  space: string,
  collection: Collection,
  { shown, isAbandoned }: View,
): Promise<Size> {
  const { items, clock, countMs, lastCounts, onUncounted } = options;
  const { counter, rangeOf, bytesOf } = collection;
  const isWhole = shown.prefix === '' && counter !== undefined;
  if (isWhole) {
    const counted =
      (await countedSize(options, space, collection)) ?? (await lastCounts.of(space, collection));
    if (counted !== undefined) return counted;
  }
  const untilMs = performance.now() + countMs;
  const ofRow: BytesOf = (row) => bytesOf(row, nowSeconds(clock));
  const { rows, bytes, last } = await countRows(
    items.scanText(space, { ...rangeOf({ prefix: collection.prefix + shown.prefix }), isLong: true }),
    ofRow,
    () => !isAbandoned() && performance.now() < untilMs,
  );
  if (isAbandoned()) throw abandoned();
  if (last === undefined) return { rows, bytes, exact: true };
  if (isWhole) {
    onUncounted(space);
    lastCounts.renew(space, collection);
  }
  return { exact: false };
}

/** With more rows that are due and not handled yet, of all bases and drives, the counter is not asked. */
const maxDue = 10_000;

/** What the counter says, without what has expired and is not removed yet. Undefined without a counter. */
async function countedSize(
  { items, clock }: CatalogRows,
  space: string,
  { counter = '', prefix, rangeOf, bytesOf }: Collection,
): Promise<Size | undefined> {
  // Most bases have no counter, and need no snapshot for that.
  if ((await items.get(space, counter)) === undefined) return undefined;
  const snapshot = await items.snapshot(space);
  try {
    const state = await readCounter(snapshot, counter);
    const now = nowSeconds(clock);
    const due = state?.isWhole ? await snapshot.dueKeys(now, maxDue) : undefined;
    if (state === undefined || due === undefined) return undefined;
    let { rows, bytes } = state.sum;
    const { gte = '' } = rangeOf({ prefix });
    const keys = due.filter((key) => key.startsWith(prefix) && key >= gte);
    const texts = keys.length === 0 ? [] : await snapshot.texts(keys);
    for (const [n, key] of keys.entries()) {
      const text = texts[n];
      if (text === undefined) continue;
      const row = { key, text, bytes: Buffer.byteLength(text) };
      if (bytesOf(row, now) !== undefined) continue;
      rows--;
      bytes -= bytesOf(row, Number.NEGATIVE_INFINITY) ?? 0;
    }
    return { rows, bytes, exact: true };
  } finally {
    await snapshot.close();
  }
}
