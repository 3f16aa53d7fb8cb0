import type { Grant } from '../access/grant.js';
import type { ItemStore } from '../engines/item-store.js';
import type { Call } from '../http/requests/call.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { createSemaphore } from '../lib/concurrency/semaphore.js';
import { abandoned } from '../request-error.js';
import type { ReadActivity } from './activity.js';
import { bases, type Collection, drives } from './collections.js';
import { countRows } from './count.js';
import { estimateRows } from './estimate.js';
import { type NameQuery, nameLists } from './names.js';

export interface NamePage {
  readonly names: readonly string[];
  /** Whether more names follow the last of these. */
  readonly more: boolean;
}

/** The number of items or files, and their total size. */
export interface Size {
  readonly rows: number;
  readonly bytes: number;
  /** False for an estimate. */
  readonly exact: boolean;
}

/** Who asks for the catalog. */
export interface View {
  /** What the caller may see: of these bases and drives, what begins with this prefix. */
  readonly shown: Pick<Grant, 'bases' | 'drives' | 'prefix'>;
  /** Whether the caller no longer waits. */
  readonly isAbandoned: () => boolean;
}

/** What the operations of the catalog work with. */
export interface CatalogServices {
  readonly catalog: CatalogService;
  /** Undefined if requests are not counted. */
  readonly readActivity: ReadActivity | undefined;
}

/** What a request shows of the catalog. */
export function viewOf(call: Call): View {
  return { shown: call.grant, isAbandoned: () => call.isAbandoned };
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
  stats(project: string, name: string, view: View): Promise<{ readonly base: Size; readonly drive: Size }>;
}

export interface CatalogLimits {
  /** The time in milliseconds for which rows are counted. */
  readonly countMs: number;
  /** The time in milliseconds for which the remaining rows are then estimated. */
  readonly estimateMs: number;
}

const nothing: Size = { rows: 0, bytes: 0, exact: true };
const usualLimits: CatalogLimits = { countMs: 1000, estimateMs: 250 };
/**
 * The maximum number of counts at once, for all clients. Counts share the engine's scans with queries, and each holds
 * about 200 KB of rows.
 */
const countsAtOnce = 2;
const listsAtOnce = 2;
/** The number of bases or drives whose first rows a list reads at once: if the rows are remote, in one round trip. */
const headsAtOnce = 256;
/** The number of them whose rows it then scans at once, because the first item or file of each has expired. */
const scansAtOnce = 4;

export function createCatalogService(
  items: ItemStore,
  clock: Clock,
  limits: CatalogLimits = usualLimits,
): CatalogService {
  const counting = createSemaphore(() => countsAtOnce);
  const listing = createSemaphore(() => listsAtOnce);

  async function holdsAny(
    space: string,
    { prefix, rangeOf, bytesOf }: Collection,
    { shown, isAbandoned }: View,
  ): Promise<boolean> {
    const range = rangeOf({ prefix: prefix + shown.prefix });
    for await (const batch of items.scanText(space, range)) {
      if (isAbandoned()) throw abandoned();
      const now = nowSeconds(clock);
      if (batch.some((row) => bytesOf(row, now) !== undefined)) return true;
    }
    return false;
  }

  async function list(
    collection: Collection,
    project: string,
    query: NameQuery,
    view: View,
  ): Promise<NamePage> {
    const root = collection.spaceOf(project, '');
    // One name more than the limit shows whether more follow.
    const wanted = query.limit + 1;
    const visible = collection.namesOf(view.shown);
    const names: string[] = [];
    for await (const found of nameLists(items, query, {
      visible,
      root,
      atOnce: Math.min(wanted, headsAtOnce),
    })) {
      names.push(...(await listed(found, root, collection, view)));
      if (names.length >= wanted) break;
    }
    return { names: names.slice(0, query.limit), more: names.length >= wanted };
  }

  /** Gives those of the names that hold an item or a file that has not expired. */
  async function listed(
    names: readonly string[],
    root: string,
    collection: Collection,
    view: View,
  ): Promise<readonly string[]> {
    if (view.isAbandoned()) throw abandoned();
    const { prefix, rangeOf } = collection;
    const range = rangeOf({ prefix: prefix + view.shown.prefix });
    const spaces = names.map((name) => root + name);
    const heads = await items.firstRows(spaces, range);
    const now = nowSeconds(clock);
    const scanning = createSemaphore(() => scansAtOnce);
    const isListed = await Promise.all(
      heads.map((head, index) => {
        if (head === undefined) return false;
        // Items and files are due when they expire.
        const isLive = head.dueSeconds === undefined || head.dueSeconds > now;
        return isLive || scanning(() => holdsAny(spaces[index] as string, collection, view));
      }),
    );
    return names.filter((_, index) => isListed[index]);
  }

  async function measure(
    space: string,
    { prefix: ownPrefix, rangeOf, bytesOf }: Collection,
    { shown, isAbandoned }: View,
  ): Promise<Size> {
    const prefix = ownPrefix + shown.prefix;
    const startedMs = performance.now();
    const spentMs = () => performance.now() - startedMs;
    const ofRow: Parameters<typeof countRows>[1] = (row) => bytesOf(row, nowSeconds(clock));
    const counted = await countRows(
      items.scanText(space, rangeOf({ prefix })),
      ofRow,
      () => !isAbandoned() && spentMs() < limits.countMs,
    );
    if (isAbandoned()) throw abandoned();
    if (counted.last === undefined) return { rows: counted.rows, bytes: counted.bytes, exact: true };
    const estimateFromMs = spentMs();
    const behind = await estimateRows(
      { prefix, after: counted.last },
      {
        read: (range) => items.scanText(space, rangeOf(range)),
        bytesOf: ofRow,
        random: Math.random,
        // The next attempt takes as long as all attempts before it together.
        mayGoOn: () => !isAbandoned() && 2 * (spentMs() - estimateFromMs) < limits.estimateMs,
      },
    );
    return {
      rows: counted.rows + Math.round(behind.rows),
      bytes: counted.bytes + Math.round(behind.bytes),
      exact: false,
    };
  }

  return {
    listBases: (project, query, view) => listing(() => list(bases, project, query, view)),
    listDrives: (project, query, view) => listing(() => list(drives, project, query, view)),

    async stats(project, name, view) {
      const sizeOf = async (collection: Collection) =>
        collection.namesOf(view.shown).has(name)
          ? await counting(() => measure(collection.spaceOf(project, name), collection, view))
          : nothing;
      const [base, drive] = await Promise.all([sizeOf(bases), sizeOf(drives)]);
      return { base, drive };
    },
  };
}
