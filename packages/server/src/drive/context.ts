import type { Store } from '../engines/store.js';
import type { Clock } from '../lib/clock.js';
import type { Ledgers } from '../quotas/ledgers.js';
import type { CountedFiles } from './counted-files.js';

/** What the operations on files work with. */
export interface DriveContext extends Store {
  readonly items: CountedFiles;
  /** What the projects with a quota store. */
  readonly ledgers: Ledgers;
  readonly clock: Clock;
  /** The maximum size of files and parts that are stored in a row. */
  readonly inlineFileBytes: number;
  /**
   * Gives the time from which bytes may be deleted that lose their name now, in whole seconds since 1970 UTC. It holds
   * for parts too, although no download reads them: a copy of the rows that was made a moment ago may name them
   * (docs/operations.md#backup-of-rows-in-postgresql).
   */
  readonly garbageDue: () => number;
  /** For how many seconds the trash of a drive without settings keeps files; 0: there is none. */
  readonly trashSeconds: number;
  /** Called after something became garbage. */
  readonly wakeMaintenance: () => void;
}
