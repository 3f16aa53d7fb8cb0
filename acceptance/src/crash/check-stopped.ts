import { createDecipheriv } from 'node:crypto';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkStore, isOrphan } from '../server-process.js';

/** A kill, and since when the requests were in flight that it cut off; in milliseconds since 1970. */
export interface Kill {
  readonly inFlightSinceMs: number;
  readonly killedMs: number;
}

/** File systems date a write by a clock that stands still for some milliseconds. */
const clockStepMs = 20;

/**
 * Checks the store of a stopped server. Returns what is wrong, and the number of blobs without a row. A request that a
 * kill cuts off may leave its blob without a row; maintenance removes it in time. Any other such blob is wrong: it has
 * lost its name, and nobody would know of its bytes.
 */
export async function checkStopped(
  folder: string,
  kills: readonly Kill[],
): Promise<{ readonly losses: readonly string[]; readonly orphans: number }> {
  const problems = await checkStore(['--data', folder]);
  let orphans = 0;
  const losses: string[] = [];
  for (const found of problems) {
    const { where, key, problem } = found;
    if (isOrphan(found)) orphans++;
    if (isOrphan(found) && wasInFlight(await writtenMs(folder, key), kills)) continue;
    losses.push(`check: ${where} ${key}: ${problem}`);
  }
  return { losses, orphans };
}

function wasInFlight(atMs: number, kills: readonly Kill[]): boolean {
  return kills.some(
    ({ inFlightSinceMs, killedMs }) =>
      atMs >= inFlightSinceMs - clockStepMs && atMs <= killedMs + clockStepMs,
  );
}

/** When a blob was written, in a pack or a file of its own (docs/operations.md#packs). */
async function writtenMs(folder: string, id: string): Promise<number> {
  for (const key of await readdir(join(folder, 'blobs/packs')).catch(() => [])) {
    const decipher = createDecipheriv('aes-128-ecb', Buffer.from(key, 'hex'), null).setAutoPadding(false);
    const place = decipher.update(Buffer.from(id, 'hex'));
    const pack = await open(join(folder, 'blobs/packs', key, place.toString('hex', 0, 8))).catch(
      () => undefined,
    );
    if (pack === undefined) continue;
    const { buffer } = await pack.read({ length: 64, position: place.readUInt32BE(8) * 4096 });
    await pack.close();
    return buffer.readDoubleLE(48);
  }
  return (await stat(join(folder, 'blobs', id.slice(0, 2), id))).mtimeMs;
}
