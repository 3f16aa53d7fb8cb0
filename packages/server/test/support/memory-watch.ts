import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface MemoryWatch {
  /** Measures the buffers that are in use, after a garbage collection. */
  sample(): void;
  /** The largest sample, beyond what was in use at the beginning. */
  peakBytes(): number;
}

export function createMemoryWatch(): MemoryWatch {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  function inUse(): number {
    collect();
    // A background thread frees the buffers of the first collection, at the latest before the second one.
    collect();
    return process.memoryUsage().arrayBuffers;
  }
  const before = inUse();
  let peak = 0;
  return {
    sample() {
      peak = Math.max(peak, inUse() - before);
    },
    peakBytes: () => peak,
  };
}
