import { access, constants, readFile, realpath, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Finding, failed, ok, warning } from '../../lib/finding.js';
import { isSystemError } from '../../lib/folder.js';
import { type FolderUse, fileSystemFinding, mountOf } from './file-system.js';
import { syncSpeed } from './sync-speed.js';

const gib = 1024 ** 3;
const littleRoom = 2 * gib;

/** A folder of the store. */
export interface StoreFolder {
  readonly use: FolderUse;
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
  const mountinfo = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const { bavail, bsize, blocks } = await statfs(folder);
  return [
    fileSystemFinding(use, folder, mountOf(mountinfo, await realpath(folder))),
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
