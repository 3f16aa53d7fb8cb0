import type { ItemStore } from '../engines/item-store.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { createSemaphore } from '../lib/semaphore.js';
import { abandoned } from '../request-error.js';
import { bases, type Collection, drives } from './collections.js';
import { countRows } from './count.js';
import { estimateRows } from './estimate.js';

export interface NameQuery {
  /** Only names that begin with this text; empty for all names. */
  readonly prefix: string;
  /** Only names after this one; empty to begin with the first name. */
  readonly last: string;
  /** The maximum number of names, 1 or more. */
  readonly limit: number;
}

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

type IsAbandoned = () => boolean;

/** The catalog of a project. Each call ends with an error if its client has closed the connection. */
export interface CatalogService {
  /** Gives the bases that have an item that has not expired (docs/http.md#list-bases). */
  listBases(project: string, query: NameQuery, isAbandoned: IsAbandoned): Promise<NamePage>;
  /** Gives the drives that have a file (docs/http.md#list-drives). */
  listDrives(project: string, query: NameQuery, isAbandoned: IsAbandoned): Promise<NamePage>;
  /** Gives the sizes of the base and of the drive of this name (docs/http.md#statistics). */
  stats(
    project: string,
    name: string,
    isAbandoned: IsAbandoned,
  ): Promise<{ readonly base: Size; readonly drive: Size }>;
}

export interface CatalogLimits {
  /** The time in milliseconds for which rows are counted. */
  readonly countMs: number;
  /** The time in milliseconds for which the remaining rows are then estimated. */
  readonly estimateMs: number;
}

const usualLimits: CatalogLimits = { countMs: 1000, estimateMs: 250 };
/**
 * The maximum number of counts at once, for all clients. Counts share the engine's scans with queries, and each holds
 * about 200 KB of rows.
 */
const countsAtOnce = 2;
const listsAtOnce = 2;
/** The number of bases or drives that a list checks at once. If the rows are remote, each check is a round trip. */
const looksAtOnce = 4;

export function createCatalogService(
  items: ItemStore,
  clock: Clock,
  limits: CatalogLimits = usualLimits,
): CatalogService {
  const counting = createSemaphore(() => countsAtOnce);
  const listing = createSemaphore(() => listsAtOnce);

  async function holdsAny(
    space: string,
    { prefix, bytesOf }: Collection,
    isAbandoned: IsAbandoned,
  ): Promise<boolean> {
    // The first row is enough, except for expired items that are not deleted yet.
    for await (const batch of items.scanText(space, { prefix, firstBatch: 1 })) {
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
    isAbandoned: IsAbandoned,
  ): Promise<NamePage> {
    const root = collection.spaceOf(project, '');
    const after = query.last === '' ? undefined : root + query.last;
    // One name more than the limit shows whether more follow.
    const wanted = query.limit + 1;
    const names: string[] = [];
    let found: string[] = [];

    async function keepListed(): Promise<void> {
      if (isAbandoned()) throw abandoned();
      const isListed = await Promise.all(found.map((space) => holdsAny(space, collection, isAbandoned)));
      names.push(...found.filter((_, index) => isListed[index]).map((space) => space.slice(root.length)));
      found = [];
    }

    for await (const space of items.spaces(root + query.prefix, after)) {
      if (names.length === wanted) break;
      found.push(space);
      if (found.length === Math.min(looksAtOnce, wanted - names.length)) await keepListed();
    }
    await keepListed();
    return { names: names.slice(0, query.limit), more: names.length === wanted };
  }

  async function measure(
    space: string,
    { prefix, bytesOf }: Collection,
    isAbandoned: IsAbandoned,
  ): Promise<Size> {
    const startedMs = performance.now();
    const spentMs = () => performance.now() - startedMs;
    const ofRow: Parameters<typeof countRows>[1] = (row) => bytesOf(row, nowSeconds(clock));
    const counted = await countRows(
      items.scanText(space, { prefix }),
      ofRow,
      () => !isAbandoned() && spentMs() < limits.countMs,
    );
    if (isAbandoned()) throw abandoned();
    if (counted.last === undefined) return { rows: counted.rows, bytes: counted.bytes, exact: true };
    const estimateFromMs = spentMs();
    const behind = await estimateRows(
      { prefix, after: counted.last },
      {
        read: (range) => items.scanText(space, range),
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
    listBases: (project, query, isAbandoned) => listing(() => list(bases, project, query, isAbandoned)),
    listDrives: (project, query, isAbandoned) => listing(() => list(drives, project, query, isAbandoned)),

    async stats(project, name, isAbandoned) {
      const sizeOf = (collection: Collection) =>
        counting(() => measure(collection.spaceOf(project, name), collection, isAbandoned));
      const [base, drive] = await Promise.all([sizeOf(bases), sizeOf(drives)]);
      return { base, drive };
    },
  };
}
