import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageUnavailable } from '../../storage-errors.js';
import { type DiskReserve, openReserve, reserveFile } from './disk-reserve.js';

/** How much room the disk has, and who may use the last of it (docs/operations.md#a-full-disk-how-to-get-out). */
export interface DiskRoom {
  /** Whether there is so little that only changes which make room are taken. */
  readonly isShort: boolean;
  /** Whether half of the room is free that there should be. */
  readonly hasHalf: boolean;
  /** Looks at the disk, unless that was done a moment ago. It never rejects. */
  look(): Promise<void>;
  /**
   * Call it when LevelDB is open, so that no other process has the folder: soon the reserve is made, unless it is there.
   * A command that opens the rows for a moment makes none.
   */
  keepReserve(): void;
  /** Call it at each write to the disk: it looks at the disk in the background from time to time. */
  noteWrite(): void;
  /** Call it when the disk has refused a write for want of room. */
  noteFull(): void;
  /**
   * Resolves if there is room to write this many bytes, for which it may give the reserve back. Otherwise it rejects with
   * `StorageUnavailable`.
   */
  make(bytes: number): Promise<void>;
  /** Gives the reserve back. */
  giveBack(): Promise<void>;
  stop(): Promise<void>;
}

export interface DiskRoomDependencies {
  readonly folder: string;
  /** The bytes of rows that are in no table yet. */
  readonly logBytes: () => number;
  /** In milliseconds; default: those of the process. */
  readonly monotonicMs?: () => number;
}

const mib = 1024 * 1024;
/** LevelDB's table in memory, and so its log. */
const maxLogBytes = 12 * mib;
/** Compaction deletes the tables that it merges when it has written all of them: five of level 0, and all of level 1. */
const mergedTables = 5;
const levelOneBytes = 12 * mib;
/** To be opened, LevelDB writes the rows of two logs into tables. Then it compacts, and deletes bring their room back. */
const logsToOpen = 2;
const minReserveBytes = 2 * mib;
/**
 * The reserve shrinks when every look within `shrinkAfterMs` found it `muchTooLarge` times as large as it should be. While
 * much is written, LevelDB has five times as many files before it merges them, every second. A reserve that followed
 * took an upload of 4 KB a fifth of its processor time, and the disk 98 MiB a second.
 */
const muchTooLarge = 2;
const shrinkAfterMs = 60_000;
/** The reserve takes no more of a small disk. */
const partOfDisk = 16;

const reserveAfterMs = 1000;
/** While nobody writes. */
const idleLookEveryMs = 60_000;
const everyMs = 1000;
const everyBytes = mib;
/** How often the tables are counted, many of them seldom: it takes some microseconds for each. */
const countEveryMs = 1000;
const manyBytes = 1024 * mib;
const countManyEveryMs = 60_000;
/** While there is little room. */
const soonMs = 20;
/** Nothing fills a disk faster. */
const bytesPerMs = mib;
/** A quota does not show in the free space. */
const keptShortMs = 1000;

/** What clients read. */
const fullReason = 'the disk is full, and until there is room only requests that delete are done';

export async function watchDiskRoom(dependencies: DiskRoomDependencies): Promise<DiskRoom> {
  const { folder, logBytes, monotonicMs = () => performance.now() } = dependencies;
  const reserve = await openReserve(folder);
  const rows = new RowsSize(folder);
  let isShort = false;
  let hasHalf = true;
  let shortUntilMs = 0;
  let nextLookMs = 0;
  let lookedAtBytes = 0;
  let looking: Promise<void> | undefined;
  let mayKeep = false;
  let fittedMs = monotonicMs();

  const needs = (share: number) =>
    needsOf({ share, rows: rows.bytes, log: logBytes(), reserve: reserve.bytes });

  async function readDisk(): Promise<void> {
    const now = monotonicMs();
    const isToBeCounted = rows.isToBeCounted(now);
    rows.bytes += Math.abs(logBytes() - lookedAtBytes);
    lookedAtBytes = logBytes();
    const { free, share } = await spaceOf(folder);
    // Nobody is refused for a guess.
    const wouldRefuse = () => free < needs(share).needed && rows.bytes < manyBytes;
    if (isToBeCounted || wouldRefuse()) await rows.count(now);
    const { wanted, needed } = needs(share);
    isShort = free < needed || now < shortUntilMs;
    hasHalf = free >= needed / 2;
    nextLookMs = now + Math.min(Math.max((free - needed) / bytesPerMs, soonMs), everyMs);
    if (reserve.bytes <= muchTooLarge * wanted) fittedMs = now;
    const isWrong = reserve.bytes < wanted || now - fittedMs >= shrinkAfterMs;
    if (mayKeep && !isShort && isWrong) void reserve.resizeTo(wanted);
  }

  const isDue = () => monotonicMs() >= nextLookMs || Math.abs(logBytes() - lookedAtBytes) >= everyBytes;

  async function look(): Promise<void> {
    if (looking === undefined && !isDue()) return;
    looking ??= readDisk()
      // The next write tells what is wrong with the disk.
      .catch(() => {})
      .finally(() => {
        looking = undefined;
      });
    await looking;
  }

  let timer: NodeJS.Timeout | undefined;
  await look();

  return {
    get isShort() {
      return isShort;
    },
    get hasHalf() {
      return hasHalf;
    },
    look,
    keepReserve() {
      timer = setTimeout(() => {
        mayKeep = true;
        nextLookMs = 0;
        void look();
        timer = setInterval(look, idleLookEveryMs).unref();
      }, reserveAfterMs).unref();
    },
    noteWrite() {
      if (isDue()) void look();
    },
    noteFull() {
      isShort = true;
      shortUntilMs = monotonicMs() + keptShortMs;
    },
    make: (bytes) => makeRoom(folder, reserve, bytes),
    async giveBack() {
      await reserve.giveBack();
    },
    async stop() {
      clearTimeout(timer);
      mayKeep = false;
      await looking;
      await reserve.stop();
    },
  };
}

/** What LevelDB's files take. Between two counts, what is written is added. */
class RowsSize {
  bytes = 0;
  private nextCountMs = 0;

  constructor(private readonly folder: string) {}

  isToBeCounted(nowMs: number): boolean {
    return nowMs >= this.nextCountMs;
  }

  async count(nowMs: number): Promise<void> {
    this.bytes = await bytesOfRows(this.folder);
    this.nextCountMs = nowMs + (this.bytes < manyBytes ? countEveryMs : countManyEveryMs);
  }
}

/** The bytes of each, and of the share of the disk. */
interface Sizes {
  readonly share: number;
  readonly rows: number;
  readonly log: number;
  readonly reserve: number;
}

/** What the reserve should have, and what has to be free besides it. */
function needsOf({ share, rows, log, reserve }: Sizes): { readonly wanted: number; readonly needed: number } {
  const tableBytes = logLimit(share);
  // No compaction writes more than there is.
  const toCompact = Math.min(rows, mergedTables * tableBytes + levelOneBytes);
  const wanted = Math.min(share, minReserveBytes + Math.min(rows, logsToOpen * tableBytes + toCompact));
  return { wanted, needed: log + toCompact + Math.max(0, wanted - reserve) };
}

async function makeRoom(folder: string, reserve: DiskReserve, bytes: number): Promise<void> {
  if ((await spaceOf(folder)).free >= bytes) return;
  await reserve.giveBack();
  const { free } = await spaceOf(folder);
  if (free < bytes) throw diskFull(folder, bytes - free);
}

/** The error for a change that makes no room while there is too little. */
export function tooLittleRoom(folder: string, cause?: unknown): StorageUnavailable {
  return new StorageUnavailable(`The disk of ${folder} is full`, { cause, reason: fullReason });
}

/** The error for rows that can only be read until this many more bytes are free. */
export function diskFull(folder: string, missingBytes: number, cause?: unknown): StorageUnavailable {
  const missing = Math.max(1, Math.ceil(missingBytes / mib));
  return new StorageUnavailable(`the disk of ${folder} is full, make ${missing} MiB of room on it`, {
    cause,
    reason: `the disk is full; nothing can be written or deleted until ${missing} MiB more of it are free`,
  });
}

/** Whether a disk, or LevelDB, has refused a write for want of room. */
export function isDiskFull(failure: unknown): boolean {
  for (let cause = failure; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') return true;
    if (/No space left on device|quota exceeded/i.test(cause.message)) return true;
  }
  return false;
}

/** The sum of the sizes of LevelDB's files. It may delete a file at any time. */
export async function bytesOfRows(folder: string): Promise<number> {
  const names = (await readdir(folder)).filter((name) => name !== reserveFile);
  return await sumOfSizes(folder, names);
}

/** What LevelDB writes when it is opened: the rows of its logs into tables, and the list of tables anew. */
export async function bytesToOpen(folder: string): Promise<number> {
  const names = (await readdir(folder)).filter(
    (name) => name.endsWith('.log') || name.startsWith('MANIFEST-'),
  );
  return (await sumOfSizes(folder, names)) + mib;
}

async function sumOfSizes(folder: string, names: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * The size of LevelDB's table in memory, and so of its log: less on a small disk, so that the reserve is enough to open
 * LevelDB.
 */
export async function logBytesOn(folder: string): Promise<number> {
  return logLimit((await spaceOf(folder)).share);
}

function logLimit(share: number): number {
  return Math.min(maxLogBytes, Math.floor(share / logsToOpen));
}

async function spaceOf(folder: string): Promise<{ free: number; share: number }> {
  const { bavail, bsize, blocks } = await statfs(folder);
  // Some file systems do not say how large they are.
  if (blocks === 0) return { free: Number.POSITIVE_INFINITY, share: Number.POSITIVE_INFINITY };
  return { free: bavail * bsize, share: Math.floor((blocks * bsize) / partOfDisk) };
}
