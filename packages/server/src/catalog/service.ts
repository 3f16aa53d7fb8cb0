import type { ItemStore } from '../engines/item-store.js';
import type { Clock } from '../lib/clock.js';
import { createSemaphore } from '../lib/concurrency/semaphore.js';
import type { ActivityReader } from './activity.js';
import { bases, type Collection, drives, trashOf } from './collections.js';
import { listCollection, type NamePage } from './list.js';
import { type CatalogLimits, measure, type Size } from './measure.js';
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
}

const nothing: Size = { rows: 0, bytes: 0, exact: true };
const usualLimits: CatalogLimits = { countMs: 1000, estimateMs: 250 };
/**
 * The maximum number of counts at once, for all clients. Counts share the engine's scans with queries, and each holds
 * about 200 KB of rows.
 */
const countsAtOnce = 2;
const listsAtOnce = 2;

export function createCatalogService(
  items: ItemStore,
  clock: Clock,
  limits: CatalogLimits = usualLimits,
): CatalogService {
  const rows = { items, clock, limits };
  const counting = createSemaphore(() => countsAtOnce);
  const listing = createSemaphore(() => listsAtOnce);

  return {
    listBases: (project, query, view) =>
      listing(() => listCollection(rows, bases, { ...query, project }, view)),
    listDrives: (project, query, view) =>
      listing(() => listCollection(rows, drives, { ...query, project }, view)),

    async stats(project, name, view) {
      const sizeOf = async (collection: Collection, seen: View) =>
        collection.namesOf(seen.shown).has(name)
          ? await counting(() => measure(rows, collection.spaceOf(project, name), collection, seen))
          : nothing;
      const { shown } = view;
      const whole = { ...view, shown: { ...shown, prefix: '' } };
      const [base, drive, trash] = await Promise.all([
        sizeOf(bases, view),
        sizeOf(drives, view),
        sizeOf(trashOf(shown.prefix), whole),
      ]);
      return { base, drive, trash };
    },
  };
}
