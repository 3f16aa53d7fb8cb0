import { fstat, type Stats } from 'node:fs';
import { type FileHandle, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Semaphore } from '../../../lib/concurrency/semaphore.js';
import { isSameFile } from '../../../lib/folder.js';
import { writeTogether } from '../write-together.js';
import type { OpenPacks } from './open-packs.js';
import type { PackCatalog } from './pack-catalog.js';
import type { FoundRecords, PackRecord } from './read-records.js';
import { headerOf } from './record.js';
import { writeWithHoles } from './shrink-pack.js';
import { bytesOf } from './worth-copying.js';

/**
 * Removes the files of packs, and writes them anew with holes in place of what is gone. A kill at any moment leaves the old
 * file or the new one, and every blob is in both.
 */
export type PackRewriter = ReturnType<typeof createPackRewriter>;

export interface PackRewriterDependencies {
  readonly catalog: PackCatalog;
  readonly files: OpenPacks;
  /** The turn of a pack: what changes it goes one after the other. */
  readonly inTurn: (pack: string) => Semaphore;
  readonly syncFolder: (folder: string) => Promise<void>;
  readonly recordsOf: (pack: string) => Promise<FoundRecords>;
  /** Called between the steps of a copy: what it throws ends the copy. */
  readonly throwIfStopped: () => void;
}

const unfinished = '.new';

export function createPackRewriter(dependencies: PackRewriterDependencies) {
  const { catalog, files, inTurn, syncFolder, recordsOf, throwIfStopped } = dependencies;
  /** What was deleted from a pack since its records were read to write it anew. */
  const goneSince = new Map<string, PackRecord[]>();

  /** Removes a pack. Call it in the turn of the pack, whose records show that no blob is left. */
  async function remove(pack: string): Promise<void> {
    if (await isInItsPlace(pack)) await unlink(catalog.pathOf(pack));
    files.forget(pack);
    catalog.remove(pack);
  }

  async function shrink(pack: string, records: readonly PackRecord[]): Promise<void> {
    const path = catalog.pathOf(pack);
    const temporary = path + unfinished;
    const copied = new Set(records.filter(({ state }) => state === 'live').map(({ at }) => at));
    try {
      const target = await files.with(pack, (file) =>
        writeWithHoles(file, records, temporary, throwIfStopped),
      );
      try {
        await inTurn(pack)(async () => {
          await markGone(
            target,
            (goneSince.get(pack) ?? []).filter(({ at }) => copied.has(at)),
          );
          if (!(await isInItsPlace(pack))) throw new Error(`The file of the pack ${pack} is another one`);
          await rename(temporary, path);
          files.forget(pack);
        });
      } finally {
        await target.close();
      }
      await syncFolder(dirname(path));
    } catch (cause) {
      await unlink(temporary).catch(() => {});
      throw cause;
    }
  }

  /** Whether the file that was read is the one in the folder: somebody may have put another folder there. */
  async function isInItsPlace(pack: string): Promise<boolean> {
    const [read, found] = await Promise.all([files.with(pack, statOf), stat(catalog.pathOf(pack))]);
    if (!isSameFile(read, found)) files.forget(pack);
    return isSameFile(read, found);
  }

  return {
    remove,

    /** Notes that a blob was marked as gone. Call it while you have the turn of its pack. */
    noteGone(pack: string, record: PackRecord): void {
      goneSince.get(pack)?.push(record);
    },

    /**
     * Writes a pack anew, or removes it if no blob is left. A damaged one stays as it is. Calls `onRead` when its records are
     * read: what is deleted from then on may leave room in the new file.
     */
    async rewrite(pack: string, onRead: () => void): Promise<void> {
      const records = await inTurn(pack)(async () => {
        const found = await recordsOf(pack);
        onRead();
        if (found.isDamaged) return undefined;
        if (bytesOf(found.records).live > 0) {
          // What is deleted from now on is deleted from the new file, too.
          goneSince.set(pack, []);
          return found.records;
        }
        await remove(pack);
        return undefined;
      });
      if (records === undefined) return;
      try {
        await shrink(pack, records);
      } finally {
        goneSince.delete(pack);
      }
    },

    /** Removes the unfinished files that a kill has left. */
    async removeUnfinished(): Promise<void> {
      for (const parent of new Set((await catalog.all()).map((pack) => dirname(catalog.pathOf(pack)))))
        for (const name of await readdir(parent))
          if (name.endsWith(unfinished)) await unlink(join(parent, name));
    },
  };
}

function statOf(file: number): Promise<Stats> {
  return new Promise((resolve, reject) => {
    fstat(file, (failure, found) => (failure === null ? resolve(found) : reject(failure)));
  });
}

async function markGone(file: FileHandle, records: readonly PackRecord[]): Promise<void> {
  if (records.length === 0) return;
  for (const record of records)
    await writeTogether(file, [headerOf({ ...record, state: 'gone' })], record.at);
  await file.datasync();
}
