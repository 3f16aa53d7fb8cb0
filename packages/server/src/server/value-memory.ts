import { getHeapStatistics } from 'node:v8';

const mib = 1024 * 1024;

/**
 * The bytes that may be taken by the values that bodies become, and by those that stored items become when they are
 * updated. They are in the heap, whose limit follows the memory of the machine or its container (docs/operations.md#memory). The
 * largest body takes some 40 MiB, so two or more are read at once only with an ordinary heap.
 */
export function valueMemory(heapBytes = getHeapStatistics().heap_size_limit) {
  return {
    ofBodies: Math.min(heapBytes / 4, 128 * mib),
    ofStoredItems: Math.min(heapBytes / 8, 64 * mib),
  };
}
