/** The lower bound of the first bucket. A shorter time counts as if it were in that bucket. */
const leastMs = 0.01;
/** A bucket ends 15 % above its beginning, so its middle is at most 7.2 % from any time in it. */
const bucketsPerDoubling = 5;
/** The number of buckets of times. The last one ends at 22 minutes. */
export const buckets = 27 * bucketsPerDoubling;

/** The bucket of a time in milliseconds. */
export function bucketOf(ms: number): number {
  if (!(ms > leastMs)) return 0;
  return Math.min(Math.floor(Math.log2(ms / leastMs) * bucketsPerDoubling), buckets - 1);
}

/** The times that 50 and 99 of 100 requests took at most, in milliseconds; nothing without requests. */
export function timesOf(
  times: Float64Array,
  requests: number,
): { readonly p50_ms?: number; readonly p99_ms?: number } {
  if (requests === 0) return {};
  return { p50_ms: percentile(times, requests, 50), p99_ms: percentile(times, requests, 99) };
}

/** The middle of the bucket with the time that this many of 100 requests took at most, in milliseconds. */
function percentile(times: Float64Array, requests: number, percent: number): number {
  let left = Math.ceil((requests * percent) / 100);
  const bucket = times.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return Number((leastMs * 2 ** ((bucket + 0.5) / bucketsPerDoubling)).toPrecision(3));
}
