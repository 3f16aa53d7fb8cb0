import type { Store } from '../../engines/store.js';
import type { Clock } from '../../lib/clock.js';
import type { Quarantine } from './quarantine.js';

export interface CheckOptions extends Store {
  readonly clock: Clock;
  /** From this age on, a blob without a row is an orphan: an hour while a server runs, 0 without one. */
  readonly orphanAgeSeconds: number;
  /** Where orphans are moved; without it nothing is repaired, only reported. */
  readonly quarantine?: Quarantine | undefined;
  /**
   * Keeps the bytes of what is deleted until the returned function is called. Absent when no server runs in this
   * process.
   */
  readonly holdGarbage?: (() => () => void) | undefined;
}
