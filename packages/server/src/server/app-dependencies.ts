import type { Wakefulness } from '../access/wakefulness.js';
import type { Settings } from '../config/settings.js';
import type { BlobStore } from '../engines/blob-store.js';
import type { OnDamage } from '../engines/engine.js';
import type { ItemStore } from '../engines/item-store.js';
import type { StoredLog } from '../feed/stored-log.js';
import type { OnSent } from '../hooks/delivery.js';
import type { OnAnswered, RequestTrace } from '../http/answering.js';
import type { LogRequest } from '../http/request-log.js';
import type { KeyRing } from '../keys/key-ring.js';
import type { Clock } from '../lib/clock.js';
import type { Log } from '../lib/log.js';
import type { OnHandled } from '../maintenance/maintenance.js';
import type { ProjectRegistry } from '../projects/project-registry.js';
import type { OnOrphansDeleted, OnSearched } from '../store/orphan-sweep.js';

export interface AppDependencies {
  readonly items: ItemStore;
  readonly blobs: BlobStore;
  readonly keys: KeyRing;
  readonly projects: ProjectRegistry;
  /** The key of the operator; undefined: requests cannot administer projects. */
  readonly adminKey?: string | undefined;
  /** The log of changes; undefined if none is kept. */
  readonly changes?: StoredLog | undefined;
  readonly settings: Settings;
  /** The folder of the built console; undefined if it is not served. */
  readonly consoleFolder?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Writes the lines of requests; by default, `log` does. */
  readonly logRequest?: LogRequest | undefined;
  readonly observer?: AppObserver | undefined;
  /** Is given damaged rows and files; what it was given before, too. */
  readonly onDamage?: OnDamage | undefined;
  /** Follows the requests, except those of the owner's commands. */
  readonly trace?: RequestTrace | undefined;
  /** Absent: no other server changes keys and projects. */
  readonly wakefulness?: Wakefulness | undefined;
}

/** Is told what happens, for metrics. */
export interface AppObserver {
  readonly onAnswered: OnAnswered;
  readonly onRefused: (status: number) => void;
  readonly onHandled: OnHandled;
  readonly onSearched: OnSearched;
  readonly onOrphansDeleted: OnOrphansDeleted;
  readonly onSent: OnSent;
}
