import { getHeapStatistics } from 'node:v8';
import { memoryBytes, memoryShare } from '../lib/memory.js';

const mib = 1024 * 1024;

/**
 * The bytes that may be taken by the values that bodies become, and by those that stored items become when they are
 * updated (docs/operations.md#memory). They are in the heap: its limit follows the memory, but is never below 256 MiB
 * unless the operator sets it. The largest body takes some 40 MiB, so two or more are read at once only with an
 * ordinary heap.
 */
export function valueLimits(heapBytes = getHeapStatistics().heap_size_limit, memory = memoryBytes()) {
  return {
    ofBodies: Math.min(heapBytes / 4, memoryShare(128 * mib, memory)),
    ofStoredItems: Math.min(heapBytes / 8, memoryShare(64 * mib, memory)),
  };
}
