import { type FileHandle, readdir, rename, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { repeat } from '../../../lib/concurrency/repeat.js';
import type { Semaphore } from '../../../lib/concurrency/semaphore.js';
import type { OpenPacks } from './open-packs.js';
import { headerOf } from './record.js';
import { writeWithHoles } from './shrink-pack.js';
import type { PackRecord } from './walk-records.js';

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
  readonly files: OpenPacks;
  /** The turn of a pack: what changes it goes one after the other. */
  readonly inTurn: (pack: string) => Semaphore;
  readonly syncFolder: (folder: string) => Promise<void>;
  /** Whether this process may change the file of a pack, and nobody appends to it. */
  readonly mayChange: (pack: string) => boolean;
  readonly recordsOf: (
    pack: string,
  ) => Promise<{ readonly records: readonly PackRecord[]; readonly isDamaged: boolean }>;
  /** Called when a pack is not there any more. */
  readonly onRemoved: (pack: string) => void;
}

const unfinished = '.new';
const everyMs = 5000;
const afterFailureMs = 60_000;
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
  const { folder, files, inTurn, syncFolder, mayChange, recordsOf, onRemoved } = dependencies;
  const waiting = new Set<string>();
  /** What was deleted from a pack since its records were read to write it anew. */
  const goneSince = new Map<string, PackRecord[]>();
  let isStopped = false;
  /** Whether what a kill has cut off was removed. */
  let isClean = false;
  let hasFailed = false;
  let running: Promise<void> | undefined;

  function goOn(): void {
    if (isStopped) throw new Stopped();
  }

  async function tidy(pack: string): Promise<void> {
    goneSince.set(pack, []);
    try {
      const { records, isDamaged } = await recordsOf(pack);
      const bytesOf = (state: PackRecord['state']) =>
        records.reduce((sum, record) => (record.state === state ? sum + record.lengthBytes : sum), 0);
      const [live, gone] = [bytesOf('live'), bytesOf('gone')];
      // What cannot be told apart stays as it is.
      if (isDamaged || gone === 0) return;
      if (live === 0) await remove(pack);
      else if (gone >= (live + gone) * (await worth())) await shrink(pack, records);
    } finally {
      goneSince.delete(pack);
    }
  }

  async function worth(): Promise<number> {
    const { bavail, blocks } = await statfs(folder);
    return bavail < blocks * shortPart ? worthCopyingWhenShort : worthCopying;
  }

  async function remove(pack: string): Promise<void> {
    await inTurn(pack)(() => unlink(join(folder, pack)));
    files.forget(pack);
    onRemoved(pack);
  }

  async function shrink(pack: string, records: readonly PackRecord[]): Promise<void> {
    const path = join(folder, pack);
    const temporary = path + unfinished;
    const copied = new Set(records.filter(({ state }) => state === 'live').map(({ at }) => at));
    try {
      const target = await files.with(pack, (file) => writeWithHoles(file, records, temporary, goOn));
      try {
        await target.datasync();
        await inTurn(pack)(async () => {
          await markGone(
            target,
            (goneSince.get(pack) ?? []).filter(({ at }) => copied.has(at)),
          );
          await rename(temporary, path);
          files.forget(pack);
        });
      } finally {
        await target.close();
      }
      await syncFolder(folder);
    } catch (cause) {
      await unlink(temporary).catch(() => {});
      throw cause;
    }
  }

  async function removeUnfinished(): Promise<void> {
    for (const name of await readdir(folder)) if (name.endsWith(unfinished)) await unlink(join(folder, name));
    isClean = true;
  }

  async function runOnce(): Promise<void> {
    hasFailed = false;
    for (const pack of [...waiting]) {
      if (isStopped) return;
      if (!mayChange(pack)) continue;
      if (!isClean) await removeUnfinished().catch(() => {});
      waiting.delete(pack);
      // It is tried again: the disk may be full, or not there for now.
      await tidy(pack).catch(() => {
        hasFailed = true;
        waiting.add(pack);
      });
    }
  }

  function run(): Promise<void> {
    running ??= runOnce().finally(() => {
      running = undefined;
    });
    return running;
  }

  const stop = repeat(run, () => (hasFailed ? afterFailureMs : everyMs));

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

async function markGone(file: FileHandle, records: readonly PackRecord[]): Promise<void> {
  if (records.length === 0) return;
  for (const record of records) await file.write(headerOf({ ...record, state: 'gone' }), 0, null, record.at);
  await file.datasync();
}
