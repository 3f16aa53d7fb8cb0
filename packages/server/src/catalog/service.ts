import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ItemStore } from '../engines/item-store.js';
import type { Clock } from '../lib/clock.js';
import { createFairSemaphores } from '../lib/concurrency/semaphore.js';
import { projectOfSpace } from '../spaces.js';
import type { ActivityReader } from './activity.js';
import { type Collection, type CollectionName, collections, trashOf, type View } from './collections.js';
import type { Size } from './count.js';
import { createLastCounts } from './last-counts.js';
import { listCollection, type NamePage } from './list.js';
import { measure } from './measure.js';
import type { NameQuery } from './names.js';

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
  /**
   * Gives the bases that have an item that has not expired (docs/http.md#list-bases), or the drives that have a file
   * (docs/http.md#list-drives).
   */
  list(of: CollectionName, project: string, query: NameQuery, view: View): Promise<NamePage>;
  /**
   * Gives the sizes of the base and of the drive of this name (docs/http.md#statistics). What the caller may not see is
   * empty.
   */
  stats(project: string, name: string, view: View): Promise<Stats>;
  /**
   * Gives the sizes of these bases or drives, which a list shows, in their order. Those without a counter are counted for a
   * second, all of them together.
   */
  sizes(
    of: CollectionName,
    project: string,
    names: readonly string[],
    view: View,
  ): Promise<readonly NamedSize[]>;
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
  options: CatalogOptions = {},
): CatalogService {
  const { countMs = usualCountMs, beginRests = () => nextTurn } = options;
  const { onError = () => {}, onUncounted = () => {} } = options;
  const rows = { items, clock };
  const lastCounts = createLastCounts({ ...rows, beginRests, onError });
  const counting = createFairSemaphores(() => countsAtOnce);
  const listing = createFairSemaphores(() => listsAtOnce);

  async function sizeOf(collection: Collection, space: string, view: View, ms: number): Promise<Size> {
    return await counting(projectOfSpace(space))(() =>
      measure({ ...rows, countMs: ms, lastCounts, onUncounted }, space, collection, view),
    );
  }

  return {
    list: (of, project, query, view) =>
      listing(project)(() => listCollection(rows, collections[of], { ...query, project }, view)),

    async sizes(of, project, names, view) {
      const untilMs = performance.now() + countMs;
      const sized: NamedSize[] = [];
      for (const name of names) {
        const leftMs = Math.max(untilMs - performance.now(), 0);
        const size = await sizeOf(collections[of], collections[of].spaceOf(project, name), view, leftMs);
        sized.push({ name, ...size });
      }
      return sized;
    },

    async stats(project, name, view) {
      const visible = async (collection: Collection, seen: View) =>
        collection.namesOf(seen.shown).has(name)
          ? await sizeOf(collection, collection.spaceOf(project, name), seen, countMs)
          : nothing;
      const { shown } = view;
      const whole = { ...view, shown: { ...shown, prefix: '' } };
      const [base, drive, trash] = await Promise.all([
        visible(collections.bases, view),
        visible(collections.drives, view),
        visible(trashOf(shown.prefix), whole),
      ]);
      return { base, drive, trash };
    },

    stop: lastCounts.stop,
  };
}
