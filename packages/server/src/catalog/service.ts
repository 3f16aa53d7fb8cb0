import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ItemStore } from '../engines/item-store.js';
import type { Clock } from '../lib/clock.js';
import { createFairSemaphores } from '../lib/concurrency/semaphore.js';
import { projectOfSpace } from '../spaces.js';
import type { ActivityReader } from './activity.js';
import { bases, type Collection, drives, trashOf } from './collections.js';
import type { Size } from './count.js';
import { createLastCounts } from './last-counts.js';
import { listCollection, type NamePage } from './list.js';
import { measure } from './measure.js';
import type { NameQuery } from './names.js';
import type { View } from './view.js';

/** What the operations of the catalog work with. */
export interface CatalogServices {
  readonly catalog: CatalogService;
  readonly activity: ActivityReader;
}

export interface Stats {
  readonly base: Size;
  readonly drive: Size;
  /** Of the drive. */
  readonly trash: Size;
}

/** The catalog of a project. Each call ends with an error if its client has closed the connection. */
export interface CatalogService {
  /** Gives the bases that have an item that has not expired (docs/http.md#list-bases). */
  listBases(project: string, query: NameQuery, view: View): Promise<NamePage>;
  /** Gives the drives that have a file (docs/http.md#list-drives). */
  listDrives(project: string, query: NameQuery, view: View): Promise<NamePage>;
  /**
   * Gives the sizes of the base and of the drive of this name (docs/http.md#statistics). What the caller may not see is
   * empty.
   */
  stats(project: string, name: string, view: View): Promise<Stats>;
  /**
   * Gives the sizes of these bases, which a list shows, in their order. Those without a counter are counted for a second,
   * all of them together.
   */
  sizesOfBases(project: string, names: readonly string[], view: View): Promise<readonly NamedSize[]>;
  /** The same of drives. */
  sizesOfDrives(project: string, names: readonly string[], view: View): Promise<readonly NamedSize[]>;
  /** Ends the counting in the background. */
  stop(): Promise<void>;
}

export interface NamedSize extends Size {
  readonly name: string;
}

const nothing: Size = { rows: 0, bytes: 0, exact: true };

export interface CatalogOptions {
  /** The time in milliseconds for which the rows of a name are counted that have no counter. */
  readonly countMs?: number;
  /** Begins work that is not urgent: gives what rests after each batch of it. */
  readonly beginRests?: () => () => Promise<void>;
  readonly onError?: (cause: unknown) => void;
  /** Is told of a base or a drive that takes long to count, and has no counter now. */
  readonly onUncounted?: (space: string) => void;
}

const usualCountMs = 1000;
/**
 * The maximum number of counts at once, for all clients. Counts share the engine's scans with queries, and each holds
 * about 200 KB of rows.
 */
const countsAtOnce = 2;
const listsAtOnce = 2;

export function createCatalogService(
  items: ItemStore,
  clock: Clock,
  {
    countMs = usualCountMs,
    beginRests = () => nextTurn,
    onError = () => {},
    onUncounted = () => {},
  }: CatalogOptions = {},
): CatalogService {
  const rows = { items, clock };
  const lastCounts = createLastCounts({ ...rows, beginRests, onError });
  const counting = createFairSemaphores(() => countsAtOnce);
  const listing = createFairSemaphores(() => listsAtOnce);

  async function sizeOf(collection: Collection, space: string, view: View, ms: number): Promise<Size> {
    return await counting(projectOfSpace(space))(() =>
      measure({ ...rows, countMs: ms, lastCounts, onUncounted }, space, collection, view),
    );
  }

  async function sizes(collection: Collection, project: string, names: readonly string[], view: View) {
    const untilMs = performance.now() + countMs;
    const sized: NamedSize[] = [];
    for (const name of names) {
      const leftMs = Math.max(untilMs - performance.now(), 0);
      const size = await sizeOf(collection, collection.spaceOf(project, name), view, leftMs);
      sized.push({ name, ...size });
    }
    return sized;
  }

  return {
    listBases: (project, query, view) =>
      listing(project)(() => listCollection(rows, bases, { ...query, project }, view)),
    listDrives: (project, query, view) =>
      listing(project)(() => listCollection(rows, drives, { ...query, project }, view)),
    sizesOfBases: (project, names, view) => sizes(bases, project, names, view),
    sizesOfDrives: (project, names, view) => sizes(drives, project, names, view),

    async stats(project, name, view) {
      const visible = async (collection: Collection, seen: View) =>
        collection.namesOf(seen.shown).has(name)
          ? await sizeOf(collection, collection.spaceOf(project, name), seen, countMs)
          : nothing;
      const { shown } = view;
      const whole = { ...view, shown: { ...shown, prefix: '' } };
      const [base, drive, trash] = await Promise.all([
        visible(bases, view),
        visible(drives, view),
        visible(trashOf(shown.prefix), whole),
      ]);
      return { base, drive, trash };
    },

    stop: lastCounts.stop,
  };
}
