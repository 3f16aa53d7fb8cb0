import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { randomText } from '../../lib/random-text.js';
import { isAlive } from './process-alive.js';

/** Characters that make the names of an export unlike all others. */
const uniqueLength = 8;
const unfinished = /^\.(\d+)-[a-z\d]{8}(?=\.(?:partial|entries)$)/;
/** What comes after the names of the archives in those that this process has given. */
const given = new Set<string>();

/**
 * Gives the names that the files of an export to an archive have until it is complete, which no other export has. What
 * killed exports to this archive have left is removed: the names have the numbers of their processes.
 */
export async function nameUnfinished(path: string): Promise<{ archive: string; entries: string }> {
  const suffix = `.${process.pid}-${randomText(uniqueLength)}`;
  given.add(suffix);
  await removeLeft(path);
  return { archive: `${path}${suffix}.partial`, entries: `${path}${suffix}.entries` };
}

async function removeLeft(path: string): Promise<void> {
  const folder = dirname(path);
  // Whether the folder can be used shows when the archive is made.
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(basename(path))) continue;
    const [suffix, id] = unfinished.exec(name.slice(basename(path).length)) ?? [];
    if (suffix === undefined || isWritten(suffix, Number(id))) continue;
    await rm(join(folder, name), { force: true }).catch(() => {});
  }
}

/** A process before this one may have had its number, as in a container. */
function isWritten(suffix: string, id: number): boolean {
  return id === process.pid ? given.has(suffix) : isAlive(id);
}
