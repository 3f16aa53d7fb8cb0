import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface MemoryWatch {
  /** Looks at the buffers that are in use now: those that nobody has any more are collected first. */
  look(): void;
  /** The most that a look has seen beyond what there was at the beginning. */
  mostBytes(): number;
}

export function createMemoryWatch(): MemoryWatch {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  function inUse(): number {
    collect();
    // What the first collection found is counted off by a thread beside it, and surely before the second one.
    collect();
    return process.memoryUsage().arrayBuffers;
  }
  const before = inUse();
  let most = 0;
  return {
    look() {
      most = Math.max(most, inUse() - before);
    },
    mostBytes: () => most,
  };
}
