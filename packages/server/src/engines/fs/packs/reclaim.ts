import { fstat, type Stats } from 'node:fs';
import { type FileHandle, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { repeat } from '../../../lib/concurrency/repeat.js';
import { createSemaphore, type Semaphore } from '../../../lib/concurrency/semaphore.js';
import { isSameFile } from '../same-file.js';
import { writeTogether } from '../write-together.js';
import type { OpenPacks } from './open-packs.js';
import type { PackCatalog } from './pack-catalog.js';
import type { FoundRecords, PackRecord } from './read-records.js';
import { headerOf } from './record.js';
import { writeWithHoles } from './shrink-pack.js';
import { bytesOf, isWorthCopying, type PackBytes, type Room, roomOf } from './worth-copying.js';

/** Gives the room of deleted blobs back to the disk. */
export interface Reclaim {
  /** Notes that a blob was marked as gone. Call it while you have the turn of its pack. */
  noteGone(pack: string, record: PackRecord): void;
  /** Forgets how many bytes of a pack are gone. They are counted again soon, and what is worth it is given back. */
  remeasure(pack: string): void;
  /**
   * Removes the packs without a blob, and writes anew those that are worth it. A pack from which something was deleted less
   * than `restMs` milliseconds ago is left for later, because the rest of it may be deleted soon; but not for longer than
   * a minute. Never rejects.
   */
  run(restMs: number): Promise<void>;
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
  readonly monotonicMs: () => number;
}

const unfinished = '.new';
const packsAtOnce = 8;
const everyMs = 2000;
const usualRestMs = 5000;
const longestRestMs = 60_000;
/** Ends the work on a pack: the server stops, or the file of the pack is another one. */
class Stopped extends Error {}

/**
 * Packs without a blob are removed. Others are written anew, with holes in place of what is gone, when enough of them is
 * gone. A kill at any moment leaves the old file or the new one, and every blob is in both.
 */
export function createReclaim(dependencies: ReclaimDependencies): Reclaim {
  const { folder, catalog, files, inTurn, syncFolder, mayChange, recordsOf, monotonicMs } = dependencies;
  /** The packs that may have something to give back. */
  const candidates = new Map<string, Candidate>();
  /** What was deleted from a pack since its records were read to write it anew. */
  const goneSince = new Map<string, PackRecord[]>();
  const atMostEight = createSemaphore(() => packsAtOnce);
  let isStopped = false;
  /** Whether the unfinished files that a kill has left were removed. */
  let leftoversRemoved = false;
  let running = Promise.resolve();

  function throwIfStopped(): void {
    if (isStopped) throw new Stopped();
  }

  function add(pack: string): Candidate {
    const candidate = { goneBytes: 0, goneAtMs: Number.NEGATIVE_INFINITY, addedMs: monotonicMs() };
    candidates.set(pack, candidate);
    return candidate;
  }

  /** If the work fails, the pack becomes a candidate again with the next delete, or with the daily list of all blobs. */
  async function attempt(pack: string, work: () => Promise<void>): Promise<void> {
    const candidate = candidates.get(pack);
    try {
      if (!leftoversRemoved) await removeUnfinished().catch(() => {});
      await work();
    } catch {
      if (candidates.get(pack) === candidate) candidates.delete(pack);
    }
  }

  /**
   * Counts the bytes of a pack by its records, and removes a pack without a blob. In the turn of the pack, so that each delete is
   * counted once.
   */
  async function measure(pack: string, candidate: Candidate): Promise<void> {
    await inTurn(pack)(async () => {
      const { records, isDamaged } = await recordsOf(pack);
      const bytes = bytesOf(records);
      candidate.bytes = bytes;
      // What cannot be told apart stays as it is.
      if (isDamaged || (bytes.gone === 0 && bytes.live > 0)) candidates.delete(pack);
      else if (bytes.live === 0) await remove(pack);
    });
  }

  /** Call it in the turn of the pack, whose records show that no blob is left. */
  async function remove(pack: string): Promise<void> {
    candidates.delete(pack);
    if (await isInItsPlace(pack)) await unlink(catalog.pathOf(pack));
    files.forget(pack);
    catalog.remove(pack);
  }

  async function tidy(pack: string): Promise<void> {
    const records = await inTurn(pack)(async () => {
      const found = await recordsOf(pack);
      // What is deleted from now on is deleted from the new file, too, and makes it a candidate again.
      candidates.delete(pack);
      if (found.isDamaged) return undefined;
      if (bytesOf(found.records).live > 0) {
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
    for (const parent of new Set((await catalog.all()).map((pack) => dirname(catalog.pathOf(pack)))))
      for (const name of await readdir(parent))
        if (name.endsWith(unfinished)) await unlink(join(parent, name));
    leftoversRemoved = true;
  }

  /** Checks several packs at once: under load, each read of a record waits for the writes and syncs of uploads. */
  async function removeEmpty(): Promise<void> {
    const checks: Promise<void>[] = [];
    for (const [pack, candidate] of candidates) {
      const { bytes, goneBytes } = candidate;
      const mayBeEmpty = bytes === undefined ? goneBytes > 0 : bytes.live === 0;
      if (!mayBeEmpty || !mayChange(pack)) continue;
      checks.push(atMostEight(() => attempt(pack, () => removeIfEmpty(pack, candidate))));
    }
    await Promise.all(checks);
  }

  /** The count of what was deleted only says where to look: the last record of a pack may have been cut off by a kill. */
  async function removeIfEmpty(pack: string, candidate: Candidate): Promise<void> {
    if (isStopped) return;
    candidate.sizeBytes ??= (await stat(catalog.pathOf(pack))).size;
    if (candidate.bytes !== undefined || candidate.goneBytes >= candidate.sizeBytes)
      await measure(pack, candidate);
  }

  /** The next pack that is worth writing anew. */
  async function nextToTidy(room: Room, restMs: number): Promise<string | undefined> {
    for (const [pack, candidate] of [...candidates]) {
      if (isStopped) return undefined;
      if (!mayChange(pack)) continue;
      const hasRested = (sinceMs: number) => {
        const nowMs = monotonicMs();
        return nowMs - candidate.goneAtMs >= restMs || nowMs - sinceMs >= longestRestMs || room.isShort;
      };
      const { bytes: known } = candidate;
      if (known === undefined) {
        if (!hasRested(candidate.addedMs)) continue;
        await attempt(pack, () => measure(pack, candidate));
        if (candidates.get(pack) !== candidate) continue;
      }
      const { bytes } = candidate;
      if (bytes === undefined || !isWorthCopying(bytes, room)) {
        candidate.worthSinceMs = undefined;
        continue;
      }
      candidate.worthSinceMs ??= known === undefined ? candidate.addedMs : monotonicMs();
      if (hasRested(candidate.worthSinceMs)) return pack;
    }
    return undefined;
  }

  async function runOnce(restMs: number): Promise<void> {
    while (candidates.size > 0 && !isStopped) {
      await removeEmpty();
      const room = await roomOf(folder);
      const pack = room && (await nextToTidy(room, restMs));
      if (pack === undefined) return;
      await attempt(pack, () => tidy(pack));
    }
  }

  function run(restMs: number): Promise<void> {
    running = running.then(() => runOnce(restMs));
    return running;
  }

  const stop = repeat(
    () => run(usualRestMs),
    () => everyMs,
  );

  return {
    noteGone(pack, record) {
      goneSince.get(pack)?.push(record);
      const candidate = candidates.get(pack) ?? add(pack);
      candidate.goneAtMs = monotonicMs();
      candidate.goneBytes += record.lengthBytes;
      if (candidate.bytes === undefined) return;
      candidate.bytes.live -= record.lengthBytes;
      candidate.bytes.gone += record.lengthBytes;
    },
    remeasure(pack) {
      const candidate = candidates.get(pack) ?? add(pack);
      candidate.bytes = undefined;
    },
    run,
    async stop() {
      isStopped = true;
      await stop();
      await running;
    },
  };
}

interface Candidate {
  /** What was deleted from it since it became one. */
  goneBytes: number;
  /** When something was deleted from it last. */
  goneAtMs: number;
  /** When it became a candidate. */
  readonly addedMs: number;
  sizeBytes?: number;
  /** Absent until its records are read. */
  bytes?: PackBytes | undefined;
  /** Since when it is worth writing anew; absent while it is not. */
  worthSinceMs?: number | undefined;
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
