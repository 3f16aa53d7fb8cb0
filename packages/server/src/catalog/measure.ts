import { nowSeconds } from '../lib/clock.js';
import { abandoned } from '../request-error.js';
import type { CatalogRows, Collection } from './collections.js';
import { countRows } from './count.js';
import { estimateRows } from './estimate.js';
import type { View } from './view.js';

/** The number of items or files, and their total size. */
export interface Size {
  readonly rows: number;
  readonly bytes: number;
  /** False for an estimate. */
  readonly exact: boolean;
}

export interface CatalogLimits {
  /** The time in milliseconds for which rows are counted. */
  readonly countMs: number;
  /** The time in milliseconds for which the remaining rows are then estimated. */
  readonly estimateMs: number;
}

/** Counts the rows of a base or a drive, and estimates the rest when that takes too long (docs/http.md#statistics). */
export async function measure(
  { items, clock, limits }: CatalogRows & { readonly limits: CatalogLimits },
  space: string,
  { prefix: ownPrefix, rangeOf, bytesOf }: Collection,
  { shown, isAbandoned }: View,
): Promise<Size> {
  const prefix = ownPrefix + shown.prefix;
  const startedMs = performance.now();
  const spentMs = () => performance.now() - startedMs;
  const ofRow: Parameters<typeof countRows>[1] = (row) => bytesOf(row, nowSeconds(clock));
  const counted = await countRows(
    items.scanText(space, rangeOf({ prefix })),
    ofRow,
    () => !isAbandoned() && spentMs() < limits.countMs,
  );
  if (isAbandoned()) throw abandoned();
  if (counted.last === undefined) return { rows: counted.rows, bytes: counted.bytes, exact: true };
  const estimateFromMs = spentMs();
  const behind = await estimateRows(
    { prefix, after: counted.last },
    {
      read: (range) => items.scanText(space, rangeOf(range)),
      bytesOf: ofRow,
      random: Math.random,
      // The next attempt takes as long as all attempts before it together.
      mayGoOn: () => !isAbandoned() && 2 * (spentMs() - estimateFromMs) < limits.estimateMs,
    },
  );
  return {
    rows: counted.rows + Math.round(behind.rows),
    bytes: counted.bytes + Math.round(behind.bytes),
    exact: false,
  };
}
