import type { ItemStore } from '../engines/item-store.js';
import { orphansSpace } from '../spaces.js';
import { createIdSet, type IdSet } from './id-set.js';

/** How many orphans wait at the most. The others are found by the next search. */
export const maxWaiting = 50_000;

/** After the keys of the rows of ids, which are digits. */
const waitedKey = 'waited';
const idBytes = 16;
const idsPerRow = 5000;

/**
 * Blobs that had no row when they were found, and how long they have waited since. They are rows, so that a restart, or another
 * server, goes on. The time is that in which a server has watched them, by a clock that nobody sets.
 */
export function createWaitingOrphans(items: ItemStore) {
  return {
    /** Lets these wait, at most `maxWaiting`, from now on. */
    async put(ids: readonly string[]): Promise<void> {
      const puts = [waitedRow(0)];
      for (let at = 0; at < ids.length; at += idsPerRow) {
        const value = Buffer.from(ids.slice(at, at + idsPerRow).join(''), 'hex');
        puts.push({ key: String(at / idsPerRow).padStart(2, '0'), value });
      }
      await items.transact(orphansSpace, [], () => ({ puts, makesRoom: true, result: undefined }));
    },

    /** Adds to the time that they have waited. Gives the sum; undefined if none wait. */
    async wait(ms: number): Promise<number | undefined> {
      if ((await items.get(orphansSpace, waitedKey)) === undefined) return undefined;
      return await items.transact(orphansSpace, [waitedKey], ([row]) => {
        if (row === undefined) return { result: undefined };
        const waitedMs = Number(row.toString()) + ms;
        return { puts: [waitedRow(waitedMs)], makesRoom: true, result: waitedMs };
      });
    },

    /** Both are of the same moment: another server may put others. Undefined if none wait. */
    async read(): Promise<{ readonly ids: IdSet; readonly waitedMs: number } | undefined> {
      const ids = createIdSet(maxWaiting);
      let waitedMs: number | undefined;
      for await (const rows of items.scan(orphansSpace)) {
        for (const { key, value } of rows) {
          if (key === waitedKey) waitedMs = Number(value.toString());
          else for (let at = 0; at < value.length; at += idBytes) ids.add(idAt(value, at));
        }
      }
      return waitedMs === undefined ? undefined : { ids, waitedMs };
    },

    async clear(): Promise<void> {
      const deletes: string[] = [];
      for await (const rows of items.scan(orphansSpace)) deletes.push(...rows.map(({ key }) => key));
      await items.transact(orphansSpace, [], () => ({ deletes, result: undefined }));
    },
  };
}

function waitedRow(ms: number) {
  return { key: waitedKey, value: Buffer.from(String(Math.floor(ms))) };
}

function idAt(value: Buffer, at: number): string {
  return value.toString('hex', at, at + idBytes);
}
