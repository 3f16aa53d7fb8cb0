import { onceReady } from '../../../lib/concurrency/once-ready.js';
import type { Steps } from '../../../lib/concurrency/time-slices.js';
import type { Call } from '../call.js';

type Reader = Pick<Call, 'run' | 'valueBytes' | 'freeValues'>;

/**
 * The body of a request, parsed when it is needed. Thousands of requests may wait for their turn: what is large is not kept
 * until then, but parsed again.
 */
export interface RereadableBody<T> {
  /** Parses the body, unless that is still there. Rejects with what is wrong with it. */
  read(): T | Promise<T>;
  /** Forgets what was parsed, and frees its memory, if it is large. Call it before the work waits for its turn. */
  release(): void;
}

/** What has at most this many bytes is kept while it waits. */
const keptBytes = 4096;

export function rereadableBody<T>(call: Reader, steps: () => Steps<T>): RereadableBody<T> {
  let kept: { readonly value: T } | undefined;
  const keep = (value: T): T => {
    kept = { value };
    return value;
  };
  return {
    read() {
      if (kept !== undefined) return kept.value;
      return onceReady(call.run(steps()), keep);
    },
    release() {
      if (call.valueBytes <= keptBytes) return;
      kept = undefined;
      call.freeValues();
    },
  };
}
