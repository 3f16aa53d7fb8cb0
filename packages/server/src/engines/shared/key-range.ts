import { compareUtf8, endOfPrefix } from '../../lib/text/utf8-order.js';
import type { ScanRange } from '../item-store.js';

/** Keys from `gte` on that are before `lt`; without `lt`, to the end of the space. */
export interface KeyRange {
  readonly gte: string;
  readonly lt: string | undefined;
}

/**
 * The keys that a prefix and all bounds of a scan allow. No string is between k and k NUL, so "greater than k" is "from
 * k NUL on", and "up to k" is "before k NUL": two bounds are enough.
 */
export function keyRange(range: ScanRange): KeyRange {
  const { prefix = '', gt, gte, lt, lte } = range;
  const lower = [prefix, gte, gt === undefined ? undefined : `${gt}\0`];
  const upper = [endOfPrefix(prefix), lt, lte === undefined ? undefined : `${lte}\0`];
  return {
    gte: lower.reduce(later) ?? '',
    lt: upper.reduce(earlier),
  };
}

function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareUtf8(a, b) < 0 ? b : a;
}

function earlier(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareUtf8(a, b) < 0 ? a : b;
}
