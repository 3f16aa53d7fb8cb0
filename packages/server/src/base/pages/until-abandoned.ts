import type { Room } from '../../lib/concurrency/time-slices.js';
import { abandoned } from '../../request-error.js';

/** A room for work of little memory, which ends when the client leaves. */
export function untilAbandoned(isAbandoned: () => boolean): Room {
  return {
    grow: () => undefined,
    check() {
      if (isAbandoned()) throw abandoned();
    },
  };
}
