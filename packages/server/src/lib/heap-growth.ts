import { getHeapStatistics, setFlagsFromString } from 'node:v8';

const gibibyte = 1024 * 1024 * 1024;

/**
 * Lets the heap of V8 double at most before all garbage is collected. Left to itself, V8 does so if the heap may have less
 * than 2 GiB, and lets a larger one quadruple: 36 MB in use became 142 MB under counts of random ranges.
 */
export function boundHeapGrowth(mostBytes = getHeapStatistics().heap_size_limit): void {
  if (mostBytes >= 2 * gibibyte) setFlagsFromString('--heap-growing-percent=100');
}
