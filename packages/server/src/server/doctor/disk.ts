import { access, constants, mkdtemp, open, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isSystemError } from '../../lib/folder.js';
import { type Finding, failed, ok, warning } from './finding.js';

const gib = 1024 ** 3;
const syncs = 100;
const blockBytes = 4096;
/** A write waits for one sync. Disks for servers take less than this. */
const slowSyncMs = 10;
/** Faster than any disk: the sync reaches memory only. */
const impossibleSyncMs = 0.005;
const littleRoom = 2 * gib;

/** File systems by the number in their `statfs`, with what is wrong with them. */
const volatile: ReadonlyMap<number, string> = new Map([
  [0x01021994, 'tmpfs, which a restart of the machine empties'],
  [0x858458f6, 'ramfs, which a restart of the machine empties'],
]);
const unfitForRows: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS, whose locks and syncs LevelDB cannot rely on'],
  [0xff534d42, 'CIFS, whose locks and syncs LevelDB cannot rely on'],
  [0xfe534d42, 'SMB, whose locks and syncs LevelDB cannot rely on'],
]);

/** A folder of the store. */
export interface StoreFolder {
  /** What it is for: the whole data folder, or the bytes only, which several machines may share. */
  readonly use: 'data' | 'bytes';
  readonly path: string;
}

/**
 * What the disk below a folder is fit for: its file system, its free space, and how long a sync takes. It writes in a
 * temporary folder there, which it removes. A folder that is missing is not created: its nearest parent is used.
 */
export async function disk({ use, path }: StoreFolder): Promise<readonly Finding[]> {
  const folder = await nearestFolder(resolve(path));
  const subject = `${use} folder`;
  const before = use === 'data' ? '' : `${use} `;
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    if (isSystemError(cause) && cause.code === 'EROFS')
      return [failed(subject, `${folder} is on a read-only file system`, 'Mount it to be written.')];
    return [failed(subject, `${folder} is not writable`, 'Give it to the user that runs the server.')];
  }
  const { type, bavail, bsize, blocks } = await statfs(folder);
  // Some systems give the number with its sign.
  const number = type >>> 0;
  const unfit = volatile.get(number) ?? (use === 'data' ? unfitForRows.get(number) : undefined);
  return [
    unfit === undefined
      ? ok(subject, `${folder} is on a ${use === 'data' ? 'local file system' : 'disk'}`)
      : warning(subject, `${folder} is on ${unfit}`, 'Choose a folder on a local disk.'),
    freeSpace(`${before}free space`, bavail * bsize, blocks * bsize),
    await syncSpeed(`${before}disk sync`, folder),
  ];
}

async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() || dirname(path) === path) return path;
  return await nearestFolder(dirname(path));
}

function freeSpace(subject: string, free: number, size: number): Finding {
  const found = `${(free / gib).toFixed(1)} GiB of ${(size / gib).toFixed(1)} GiB`;
  if (free >= littleRoom) return ok(subject, found);
  return warning(subject, found, 'Make room: on a full disk, writes are answered 503.');
}

/** Syncs a growing file as often as LevelDB's log is synced by one client that waits for each answer. */
async function syncSpeed(subject: string, folder: string): Promise<Finding> {
  let temporary: string | undefined;
  try {
    temporary = await mkdtemp(join(folder, '.basedrive-doctor-'));
    return judged(subject, await timeSyncs(join(temporary, 'sync')));
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    return failed(subject, `${folder} takes no file: ${cause.message}`, 'Make room, or repair the disk.');
  } finally {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  }
}

function judged(subject: string, times: readonly number[]): Finding {
  const median = times[Math.floor(times.length / 2)] ?? 0;
  const slow = times[Math.floor(times.length * 0.99)] ?? 0;
  const found = `a sync takes ${inMs(median)} ms (median of ${syncs}), 99 % at most ${inMs(slow)} ms`;
  if (median < impossibleSyncMs) {
    return warning(subject, found, 'No disk is so fast: a power cut may lose acknowledged writes.');
  }
  if (median <= slowSyncMs) return ok(subject, found);
  return warning(subject, found, 'Every write waits for a sync. Use an SSD with a local file system.');
}

async function timeSyncs(path: string): Promise<readonly number[]> {
  const file = await open(path, 'w', 0o600);
  try {
    const block = Buffer.alloc(blockBytes, 1);
    const times: number[] = [];
    for (let count = 0; count < syncs; count++) {
      await file.write(block);
      const began = performance.now();
      await file.datasync();
      times.push(performance.now() - began);
    }
    return times.sort((a, b) => a - b);
  } finally {
    await file.close();
  }
}

function inMs(ms: number): string {
  return ms.toFixed(ms < 1 ? 3 : 1);
}
