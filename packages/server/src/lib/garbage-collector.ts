import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects all garbage before it returns, or the young garbage alone. Buffers are then freed soon, on another thread. */
export type CollectGarbage = (options?: { readonly type: 'minor' }) => void;

/** V8's own function. Node gives it to programs only if it was started with a flag. */
export function garbageCollector(): CollectGarbage {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as CollectGarbage;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
