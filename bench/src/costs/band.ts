import { median } from '../results/measurement.js';

export interface Band {
  readonly median: number;
  readonly from: number;
  readonly to: number;
}

/** The chance that the true median lies below the band, and as much that it lies above. */
const chanceOnEachSide = 0.025;

/**
 * The median of the rounds, and the band in which the true one lies with 95 %, whatever their distribution is. With
 * fewer than six rounds, no band is so sure: it has all of them.
 */
export function bandOfMedian(values: readonly number[]): Band {
  const sorted = values.toSorted((a, b) => a - b);
  const { length } = sorted;
  // Each round lies below the true median with a chance of one half, so their number is a count of tossed coins.
  let outside = 0;
  let chance = 0.5 ** length;
  let sum = chance;
  while (sum <= chanceOnEachSide) {
    outside++;
    chance *= (length - outside + 1) / outside;
    sum += chance;
  }
  // `outside` values may be left out only if fewer than that many would lie there by chance.
  const at = Math.max(0, outside - 1);
  return { median: median(sorted), from: sorted[at]!, to: sorted[length - 1 - at]! };
}
