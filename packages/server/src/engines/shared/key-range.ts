import { compareUtf8 } from '../../lib/utf8-order.js';
import type { ScanRange } from '../item-store.js';

/** A stretch of keys: from `gte` on, up to and without `lt` (undefined: to the end of the space). */
export interface KeyStretch {
  readonly gte: string;
  readonly lt: string | undefined;
}

/**
 * The one stretch that a range's prefix and bounds leave over. A key holds no NUL, so "greater than k" is "from
 * k NUL on", and "up to and with k" is "before k NUL": two bounds are enough for all.
 */
export function keyRange(range: ScanRange): KeyStretch {
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

const lastCodePoint = 0x10ffff;

/** The first string behind all that begin with `prefix`, or undefined when there is none. */
function endOfPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  for (;;) {
    const last = points.pop();
    if (last === undefined) return undefined;
    if (last === lastCodePoint) continue;
    // The order of UTF-8 bytes is that of code points; surrogates are none.
    points.push(last === 0xd7ff ? 0xe000 : last + 1);
    return String.fromCodePoint(...points);
  }
}
