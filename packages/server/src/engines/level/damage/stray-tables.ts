import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openManifest, tableNumber } from './inspect.js';

/**
 * Deletes the tables that a compaction has begun and could not end, because the disk was full. LevelDB itself deletes
 * them when it is opened, for which it needs the room that they take. Call it only while this process has LevelDB's lock
 * and LevelDB writes nothing: neither tables nor the list of tables, in which the end of an edit may be missing. Gives
 * their bytes: a LevelDB that is open keeps their room until it is closed.
 */
export async function deleteStrayTables(folder: string): Promise<number> {
  const { manifest } = await openManifest(folder);
  let bytes = 0;
  if (manifest === undefined || manifest.faults.length > 0) return bytes;
  for (const name of await readdir(folder)) {
    const number = tableNumber(name);
    if (number === undefined || manifest.named.has(number)) continue;
    const file = join(folder, name);
    // LevelDB deletes a table itself that it could not write from its memory.
    bytes += (await stat(file).catch(() => undefined))?.size ?? 0;
    await rm(file, { force: true });
  }
  return bytes;
}

/**
 * Whether LevelDB has failed to write a table. It then writes nothing in the background any more until it is opened
 * again, and no edit of the list of tables waits to be written.
 */
export function hasFailedAtTable(failure: unknown): boolean {
  for (let cause = failure; cause instanceof Error; cause = cause.cause) {
    if (/\d\.ldb: /.test(cause.message)) return true;
  }
  return false;
}
