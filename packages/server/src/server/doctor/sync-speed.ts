import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Finding, failed, ok, warning } from '../../lib/finding.js';
import { isSystemError } from '../../lib/folder.js';

const syncs = 100;
const blockBytes = 4096;
/** A write waits for one sync. Disks for servers take less than this. */
const slowSyncMs = 10;
/** Faster than any disk: the sync reaches memory only. */
const impossibleSyncMs = 0.01;

/** Syncs a growing file as often as LevelDB's log is synced by one client that waits for each answer. */
export async function syncSpeed(subject: string, folder: string): Promise<Finding> {
  let temporary: string | undefined;
  try {
    temporary = await mkdtemp(join(folder, '.basedrive-doctor-'));
    return judgeSyncs(subject, timeSyncs(join(temporary, 'sync')));
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    return failed(subject, `${folder} takes no file: ${cause.message}`, 'Make room, or repair the disk.');
  } finally {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  }
}

/** What the times of syncs, in milliseconds, say about the disk. */
export function judgeSyncs(subject: string, times: readonly number[]): Finding {
  const sorted = times.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const slow = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  const found = `a sync takes ${inMs(median)} ms (median of ${sorted.length}), 99 % at most ${inMs(slow)} ms`;
  if (median < impossibleSyncMs) {
    return warning(subject, found, 'No disk is so fast: a power cut may lose acknowledged writes.');
  }
  if (median <= slowSyncMs) return ok(subject, found);
  return warning(subject, found, 'Every write waits for a sync. Use an SSD with a local file system.');
}

/** Without the thread pool: the way through it takes longer than a sync that does nothing. */
function timeSyncs(path: string): readonly number[] {
  const file = openSync(path, 'w', 0o600);
  try {
    const block = Buffer.alloc(blockBytes, 1);
    return Array.from({ length: syncs }, () => {
      writeSync(file, block);
      const began = performance.now();
      fdatasyncSync(file);
      return performance.now() - began;
    });
  } finally {
    closeSync(file);
  }
}

function inMs(ms: number): string {
  return ms.toFixed(ms < 1 ? 3 : 1);
}
