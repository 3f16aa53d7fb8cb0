import { getHeapStatistics } from 'node:v8';
import { garbageCollector } from '../lib/garbage-collector.js';
import { isLittleMemory, memoryBytes } from '../lib/memory.js';

/** How often the buffers are looked at: while they grow, and while nothing happens. A look takes 2 to 6 µs. */
const busyMs = 10;
const idleMs = 50;

/**
 * With little memory: frees buffers that nobody uses any more before they fill it. Left to itself, V8 begins to look for
 * them when 64 MiB of buffers have come since it looked last, and more come until it has found them: enough to be
 * killed in a container of 256 MiB. Gives the function that ends it. With more memory, it does nothing.
 */
export function reclaimBuffers(memory = memoryBytes()): () => void {
  if (!isLittleMemory(memory)) return () => {};
  const collect = garbageCollector();
  /** Below this, nothing is worth a pause. */
  const usualBytes = memory / 4;
  const stepBytes = memory / 16;
  /** The least since V8 collected all garbage last. */
  let leastBytes = Number.POSITIVE_INFINITY;
  let lastBytes = 0;
  let hasCollectedYoung = false;
  let timer = setTimeout(look, idleMs).unref();

  function look(): void {
    const bytes = getHeapStatistics().external_memory;
    leastBytes = Math.min(leastBytes, bytes);
    const isMuch = bytes > Math.max(usualBytes, leastBytes + stepBytes);
    // Nearly all of them are young: bytes from sockets and files. To find these takes little time.
    if (isMuch && !hasCollectedYoung) collect({ type: 'minor' });
    else if (isMuch) {
      collect();
      leastBytes = getHeapStatistics().external_memory;
    }
    hasCollectedYoung = isMuch && !hasCollectedYoung;
    timer = setTimeout(look, isMuch || bytes !== lastBytes ? busyMs : idleMs).unref();
    lastBytes = bytes;
  }

  return () => clearTimeout(timer);
}
