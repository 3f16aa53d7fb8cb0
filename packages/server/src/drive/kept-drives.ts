import type { Change } from '../engines/item-store.js';
import { nowSeconds } from '../lib/clock.js';
import { driveSpace } from '../spaces.js';
import type { DriveContext } from './context.js';
import { listEntries } from './files/list-entries.js';
import { jsonRow, type KeptRow, keptKey, readRow } from './rows.js';

/** A drive exists when it has a file, the marker of a folder, or when it is kept also without any. */
export interface KeptDrives {
  /**
   * Keeps the drive also while it is empty. Gives false if it was kept before: then its `location` stays as it was.
   */
  keep(project: string, drive: string, location?: string): Promise<boolean>;
  /** Keeps the drive also while it is empty, and says where it is, also of one that was kept before. */
  locate(project: string, drive: string, location: string): Promise<void>;
  /** The drive exists only while it has a file. */
  release(project: string, drive: string): Promise<void>;
  isKept(project: string, drive: string): Promise<boolean>;
  /** What `keep` or `locate` was told; undefined without it, and of a drive that is not kept. */
  locationOf(project: string, drive: string): Promise<string | undefined>;
  /**
   * Since when the drive exists, in milliseconds since 1970 UTC; undefined if there is no such drive. For whoever sees only
   * the names that begin with `within`, one without such a name does not exist.
   */
  sinceMs(project: string, drive: string, within?: string): Promise<number | undefined>;
  /** Ends a drive that is empty. A file that is put in the meantime stays. */
  drop(project: string, drive: string): Promise<'dropped' | 'absent' | 'not empty'>;
}

export function createKeptDrives({ items, clock }: Pick<DriveContext, 'items' | 'clock'>): KeptDrives {
  async function read(project: string, drive: string): Promise<KeptRow | undefined> {
    const row = await items.get(driveSpace(project, drive), keptKey);
    return row && readRow<KeptRow>(row);
  }

  /** When the first of its files was written: nothing says when the drive began. */
  async function filesSince(space: string, within = ''): Promise<number | undefined> {
    const now = nowSeconds(clock);
    const query = { prefix: '', within, after: '', delimiter: '', limit: 1, nowSeconds: now };
    const [first] = (await listEntries(items, space, query)).entries;
    return first?.file?.modifiedMs;
  }

  return {
    keep: (project, drive, location) =>
      items.transact(driveSpace(project, drive), [keptKey], ([row]): Change<boolean> => {
        if (row !== undefined) return { result: false };
        return { puts: [jsonRow<KeptRow>(keptKey, { sinceMs: clock(), location })], result: true };
      }),

    async locate(project, drive, location) {
      await items.transact(driveSpace(project, drive), [keptKey], ([row]): Change<undefined> => {
        const sinceMs = row === undefined ? clock() : readRow<KeptRow>(row).sinceMs;
        return { puts: [jsonRow<KeptRow>(keptKey, { sinceMs, location })], result: undefined };
      });
    },

    async release(project, drive) {
      await items.transact(driveSpace(project, drive), [keptKey], ([row]): Change<undefined> => {
        return { deletes: row === undefined ? [] : [keptKey], result: undefined };
      });
    },

    isKept: async (project, drive) => (await read(project, drive)) !== undefined,

    locationOf: async (project, drive) => (await read(project, drive))?.location,

    async sinceMs(project, drive, within = '') {
      const row = await read(project, drive);
      if (row !== undefined && within === '') return row.sinceMs;
      const filesMs = await filesSince(driveSpace(project, drive), within);
      return filesMs && (row?.sinceMs ?? filesMs);
    },

    async drop(project, drive) {
      const space = driveSpace(project, drive);
      if ((await filesSince(space)) !== undefined) return 'not empty';
      return await items.transact(space, [keptKey], ([row]): Change<'dropped' | 'absent'> => {
        return row === undefined ? { result: 'absent' } : { deletes: [keptKey], result: 'dropped' };
      });
    },
  };
}
