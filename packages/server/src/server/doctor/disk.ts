import { access, constants, mkdtemp, open, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
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
const unfitFileSystems: ReadonlyMap<number, string> = new Map([
  [0x01021994, 'tmpfs, which a restart of the machine empties'],
  [0x858458f6, 'ramfs, which a restart of the machine empties'],
  [0x6969, 'NFS, whose locks and syncs LevelDB cannot rely on'],
  [0xff534d42, 'CIFS, whose locks and syncs LevelDB cannot rely on'],
  [0xfe534d42, 'SMB, whose locks and syncs LevelDB cannot rely on'],
]);

/**
 * What the disk below the data folder is fit for: its file system, its free space, and how long a sync takes. It writes
 * in a temporary folder there, which it removes. A folder that is missing is not created: its nearest parent is used.
 */
export async function disk(dataFolder: string): Promise<readonly Finding[]> {
  const folder = await nearestFolder(resolve(dataFolder));
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch {
    return [failed('data folder', `${folder} is not writable`, 'Give it to the user that runs the server.')];
  }
  const { type, bavail, bsize, blocks } = await statfs(folder);
  return [fileSystem(folder, type), freeSpace(bavail * bsize, blocks * bsize), await syncSpeed(folder)];
}

async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() || dirname(path) === path) return path;
  return await nearestFolder(dirname(path));
}

function fileSystem(folder: string, type: number): Finding {
  // Some systems give the number with its sign.
  const unfit = unfitFileSystems.get(type >>> 0);
  if (unfit === undefined) return ok('data folder', `${folder} is on a local file system`);
  return warning('data folder', `${folder} is on ${unfit}`, 'Choose a --data on a local disk.');
}

function freeSpace(free: number, size: number): Finding {
  const found = `${(free / gib).toFixed(1)} GiB of ${(size / gib).toFixed(1)} GiB`;
  if (free >= littleRoom) return ok('free space', found);
  return warning('free space', found, 'Make room: on a full disk, writes are answered 503.');
}

/** Syncs a growing file as often as LevelDB's log is synced by one client that waits for each answer. */
async function syncSpeed(folder: string): Promise<Finding> {
  const temporary = await mkdtemp(join(folder, '.basedrive-doctor-'));
  try {
    const times = await timeSyncs(join(temporary, 'sync'));
    const median = times[Math.floor(times.length / 2)] ?? 0;
    const slow = times[Math.floor(times.length * 0.99)] ?? 0;
    const found = `a sync takes ${inMs(median)} ms (median of ${syncs}), 99 % at most ${inMs(slow)} ms`;
    if (median < impossibleSyncMs) {
      return warning('disk sync', found, 'No disk is so fast: a power cut may lose acknowledged writes.');
    }
    if (median <= slowSyncMs) return ok('disk sync', found);
    return warning('disk sync', found, 'Every write waits for a sync. Use an SSD with a local file system.');
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
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
