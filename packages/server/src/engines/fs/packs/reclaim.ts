import { fstat, type Stats } from 'node:fs';
import { type FileHandle, readdir, rename, stat, statfs, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { repeat } from '../../../lib/concurrency/repeat.js';
import type { Semaphore } from '../../../lib/concurrency/semaphore.js';
import { isSameFile } from '../same-file.js';
import { writeTogether } from '../write-together.js';
import type { OpenPacks } from './open-packs.js';
import type { PackCatalog } from './pack-catalog.js';
import type { FoundRecords, PackRecord } from './read-records.js';
import { headerOf, type RecordState } from './record.js';
import { writeWithHoles } from './shrink-pack.js';

/** Gives the room of deleted blobs back to the disk. */
export interface Reclaim {
  /** Notes that a blob was marked as gone. Call it in the turn of its pack. */
  noteGone(pack: string, record: PackRecord): void;
  /** Has a pack looked at soon. */
  look(pack: string): void;
  /** Looks at every pack that it should look at. Never rejects. */
  run(): Promise<void>;
  /** Resolves when the work in progress has ended, which is soon. */
  stop(): Promise<void>;
}

export interface ReclaimDependencies {
  readonly folder: string;
  readonly catalog: PackCatalog;
  readonly files: OpenPacks;
  /** The turn of a pack: what changes it goes one after the other. */
  readonly inTurn: (pack: string) => Semaphore;
  readonly syncFolder: (folder: string) => Promise<void>;
  /** Whether this process may change the file of a pack, and nobody appends to it. */
  readonly mayChange: (pack: string) => boolean;
  readonly recordsOf: (pack: string) => Promise<FoundRecords>;
}

const unfinished = '.new';
const everyMs = 5000;
/** A pack is written anew when half of its room is not needed: so all that is ever copied is less than what is deleted. */
const worthCopying = 1 / 2;
/** The same while less than a tenth of the disk is free. */
const worthCopyingWhenShort = 1 / 16;
const shortPart = 1 / 10;

class Stopped extends Error {}

/**
 * Packs without a blob are removed. Others are written anew, with holes in place of what is gone, when enough of them is
 * gone. A kill at any moment leaves the old file or the new one, and every blob is in both.
 */
export function createReclaim(dependencies: ReclaimDependencies): Reclaim {
  const { folder, catalog, files, inTurn, syncFolder, mayChange, recordsOf } = dependencies;
  /** Packs to look at. */
  const waiting = new Set<string>();
  /** Packs that were not worth copying, or for which there was no room: they may be when the disk becomes short. */
  const later = new Map<string, PackBytes>();
  /** What was deleted from a pack since its records were read to write it anew. */
  const goneSince = new Map<string, PackRecord[]>();
  let isStopped = false;
  /** Whether what a kill has cut off was removed. */
  let isClean = false;
  let running: Promise<void> | undefined;

  function goOn(): void {
    if (isStopped) throw new Stopped();
  }

  async function tidy(pack: string, room: Room): Promise<void> {
    goneSince.set(pack, []);
    try {
      const { records, isDamaged } = await recordsOf(pack);
      // What cannot be told apart stays as it is.
      if (isDamaged) return;
      const bytes = { live: bytesOf('live', records), gone: bytesOf('gone', records) };
      if (bytes.live === 0) await remove(pack);
      else if (isWorthCopying(bytes, room)) await shrink(pack, records);
      else if (bytes.gone > 0) later.set(pack, bytes);
    } finally {
      goneSince.delete(pack);
    }
  }

  async function remove(pack: string): Promise<void> {
    const path = catalog.pathOf(pack);
    await inTurn(pack)(async () => {
      if (await isInItsPlace(pack)) await unlink(path);
    });
    files.forget(pack);
    catalog.remove(pack);
  }

  async function shrink(pack: string, records: readonly PackRecord[]): Promise<void> {
    const path = catalog.pathOf(pack);
    const temporary = path + unfinished;
    const copied = new Set(records.filter(({ state }) => state === 'live').map(({ at }) => at));
    try {
      const target = await files.with(pack, (file) => writeWithHoles(file, records, temporary, goOn));
      try {
        await inTurn(pack)(async () => {
          await markGone(
            target,
            (goneSince.get(pack) ?? []).filter(({ at }) => copied.has(at)),
          );
          if (!(await isInItsPlace(pack))) throw new Stopped();
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

  async function removeUnfinished(): Promise<void> {
    for (const name of await readdir(catalog.own.folder))
      if (name.endsWith(unfinished)) await unlink(join(catalog.own.folder, name));
    isClean = true;
  }

  async function runOnce(): Promise<void> {
    if (waiting.size + later.size === 0) return;
    const room = await roomOf(folder);
    if (room === undefined) return;
    for (const [pack, bytes] of later) if (isWorthCopying(bytes, room)) waiting.add(pack);
    for (const pack of [...waiting]) {
      if (isStopped) return;
      if (!mayChange(pack)) continue;
      if (!isClean) await removeUnfinished().catch(() => {});
      waiting.delete(pack);
      later.delete(pack);
      // What fails is looked at again after the next delete, or the daily list of all blobs.
      await tidy(pack, room).catch(() => {});
    }
  }

  function run(): Promise<void> {
    running ??= runOnce().finally(() => {
      running = undefined;
    });
    return running;
  }

  const stop = repeat(run, () => everyMs);

  return {
    noteGone(pack, record) {
      waiting.add(pack);
      goneSince.get(pack)?.push(record);
    },
    look: (pack) => void waiting.add(pack),
    run,
    async stop() {
      isStopped = true;
      await stop();
      await running;
    },
  };
}

/** The bytes of a pack. */
interface PackBytes {
  readonly live: number;
  readonly gone: number;
}

function bytesOf(state: RecordState, records: readonly PackRecord[]): number {
  return records.reduce((sum, record) => (record.state === state ? sum + record.lengthBytes : sum), 0);
}

/** Half of the room that is free is left to others. */
function isWorthCopying({ live, gone }: PackBytes, { freeBytes, worthCopying: part }: Room): boolean {
  return gone >= (live + gone) * part && live * 2 < freeBytes;
}

function statOf(file: number): Promise<Stats> {
  return new Promise((resolve, reject) => {
    fstat(file, (failure, found) => (failure === null ? resolve(found) : reject(failure)));
  });
}

interface Room {
  readonly freeBytes: number;
  /** The part of a pack that must be gone. */
  readonly worthCopying: number;
}

/** Undefined if the disk cannot be asked. */
async function roomOf(folder: string): Promise<Room | undefined> {
  const found = await statfs(folder).catch(() => undefined);
  if (found === undefined) return undefined;
  const isShort = found.bavail < found.blocks * shortPart;
  return {
    freeBytes: found.bavail * found.bsize,
    worthCopying: isShort ? worthCopyingWhenShort : worthCopying,
  };
}

async function markGone(file: FileHandle, records: readonly PackRecord[]): Promise<void> {
  if (records.length === 0) return;
  for (const record of records)
    await writeTogether(file, [headerOf({ ...record, state: 'gone' })], record.at);
  await file.datasync();
}
