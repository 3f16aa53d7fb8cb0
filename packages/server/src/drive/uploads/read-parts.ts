import type { ItemStore } from '../../engines/item-store.js';
import { createSharedSemaphores, type Semaphore } from '../../lib/concurrency/semaphore.js';
import { isLittleMemory } from '../../lib/memory.js';
import { projectOfSpace } from '../../spaces.js';
import { type PartRow, partKey, partOfKey, partsPrefix, readRow } from '../rows.js';

/** The parts of uploads, of which only a few long lists are in memory at once. */
export interface UploadParts {
  /** Reads all parts of an upload. They may be many until `use` has ended: it gives only what may stay in memory. */
  readAll<T>(
    space: string,
    uploadId: string,
    use: (parts: ReadonlyMap<number, PartRow>) => T | Promise<T>,
  ): Promise<T>;
  /** Reads at most `limit` parts after one, in the same way. */
  readPage<T>(
    space: string,
    uploadId: string,
    page: { readonly after: number; readonly limit: number; readonly use: (parts: PartList) => T },
  ): Promise<T>;
}

export type PartList = readonly (readonly [number, PartRow])[];

/** How many lists with up to 10,000 parts are in memory at once, each with some 10 MB, of all projects and of one. */
const longListsAtOnce = isLittleMemory() ? 2 : 4;
const longListsOfProject = longListsAtOnce / 2;
/** A list of at most this many parts waits for nobody. */
const fewParts = 32;

export function createUploadParts(items: Pick<ItemStore, 'scan'>): UploadParts {
  const longLists = createSharedSemaphores(longListsAtOnce, longListsOfProject);
  const turnsOf = (space: string): Semaphore => longLists(projectOfSpace(space));

  async function read(space: string, uploadId: string, range: { gt?: string; limit?: number }) {
    const found: [number, PartRow][] = [];
    for await (const batch of items.scan(space, { prefix: partsPrefix(uploadId), ...range })) {
      for (const { key, value } of batch) found.push([partOfKey(key), readRow<PartRow>(value)]);
    }
    return found;
  }

  return {
    async readAll(space, uploadId, use) {
      const first = await read(space, uploadId, { limit: fewParts + 1 });
      if (first.length <= fewParts) return await use(new Map(first));
      // What waits keeps nothing: it is read again.
      first.length = 0;
      return await turnsOf(space)(async () => await use(new Map(await read(space, uploadId, {}))));
    },

    readPage: (space, uploadId, { after, limit, use }) =>
      turnsOf(space)(async () => use(await read(space, uploadId, { gt: partKey(uploadId, after), limit }))),
  };
}
