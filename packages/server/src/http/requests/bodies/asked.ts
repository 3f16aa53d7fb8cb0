import { onceReady } from '../../../lib/concurrency/once-ready.js';
import type { Steps } from '../../../lib/concurrency/time-slices.js';
import type { Call } from '../call.js';

type Reader = Pick<Call, 'run' | 'valueBytes' | 'freeValues'>;

/** What a client asks for, as its body says it. Thousands may wait for their turn: what is large is not kept until then. */
export interface Asked<T> {
  /** Reads the body, unless what was read is still there. Rejects with what is wrong with it. */
  read(): T | Promise<T>;
  /** Forgets what was read, and frees its memory, if it is large. Call it before the work waits for its turn. */
  rest(): void;
}

/** What has at most this many bytes is kept while it waits. */
const keptBytes = 4096;

export function asked<T>(call: Reader, steps: () => Steps<T>): Asked<T> {
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
    rest() {
      if (call.valueBytes <= keptBytes) return;
      kept = undefined;
      call.freeValues();
    },
  };
}
