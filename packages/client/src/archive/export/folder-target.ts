import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { BasedriveError, invalid } from '../../http/error.js';
import { folded } from '../../safe-segment.js';
import { createDigest, type Digest, digestOf } from '../digest.js';
import { createHashSet, type HashSet } from '../layout/hash-set.js';
import { manifestPath, manifestText } from '../layout/manifest.js';
import { isSystemError } from '../system-error.js';
import { createEntrySpool } from './entry-spool.js';
import { lockFolder } from './folder-lock.js';
import { type Journal, type JournalEntry, openJournal } from './journal.js';
import { type Fate, settle } from './settle.js';
import { exists, syncFile, syncFolder } from './stable-storage.js';
import type { ExportTarget } from './target.js';

/** Holds what an export needs to go on after an interruption. It is gone when the export is complete. */
const partialFolder = 'basedrive.partial';
const filesAtOnce = 4;
/** A file is where a folder is to be, or the reverse. */
const obstacleCodes = new Set(['EEXIST', 'EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'EPERM']);

/**
 * Exports to a folder, which must be empty, missing, or hold an export of this project that was interrupted: then the
 * files that it has already are not read again. What earlier runs have written and the project no longer has is removed;
 * files of others stay. Throws code `conflict` if it holds anything else, or another export is writing to it, and
 * `invalid` if it cannot be used.
 */
export async function openFolderTarget(given: string, project: string): Promise<ExportTarget> {
  const folder = resolve(given);
  const partial = join(folder, partialFolder);
  const unlock = await claim(folder, partial, project);
  try {
    return await openClaimed(folder, partial, unlock);
  } catch (cause) {
    await unlock();
    throw cause;
  }
}

/** A folder that this export alone writes to. */
interface ClaimedFolder {
  readonly folder: string;
  readonly journal: Journal;
  /** The paths that it has, by `nameOf`. */
  readonly written: HashSet;
  readonly nameOf: (path: string) => string;
}

async function openClaimed(
  folder: string,
  partial: string,
  unlock: () => Promise<void>,
): Promise<ExportTarget> {
  // On such a file system, a file may keep a name that an earlier run gave it.
  const ignoresCase = await exists(join(folder, partialFolder.toUpperCase()));
  const nameOf = (path: string) => (ignoresCase ? folded(path) : path);
  const journal = await openJournal(join(partial, 'journal'), nameOf);
  const entries = join(partial, 'entries');
  await rm(entries, { force: true });
  const spool = await createEntrySpool(entries);
  const written = createHashSet();
  const claimed: ClaimedFolder = { folder, journal, written, nameOf };

  return {
    filesAtOnce,

    async writeBase(path, chunks) {
      const temporary = join(partial, 'base');
      await rm(temporary, { force: true });
      const digest = createDigest();
      await append(temporary, digest.through(chunks));
      await place(claimed, temporary, path);
      return digest.end();
    },

    async writeFile(path, { file, read }) {
      const known = journal.earlier.get(path);
      if (known?.etag === file.etag && (await isIntact(join(folder, path), known))) {
        written.add(nameOf(path));
        return { size: known.size, sha256: known.sha256, isReused: true };
      }
      // Two files never have the same ETag, so a part of a download belongs to this file.
      const temporary = join(partial, createHash('sha256').update(`${path} ${file.etag}`).digest('hex'));
      const digest = createDigest();
      const present = (await sizeOf(temporary)) ?? 0;
      if (present > 0) for await (const _ of digest.through(createReadStream(temporary)));
      await append(temporary, digest.through(read(present)));
      await place(claimed, temporary, path);
      const found = digest.end();
      await journal.add({ path, etag: file.etag, ...found });
      return { ...found, isReused: false };
    },

    addEntry: spool.add,

    async finish(lists) {
      for (const top of ['bases', 'drives']) await settle(folder, top, fateIn(claimed));
      const temporary = join(partial, manifestPath);
      await rm(temporary, { force: true });
      await append(temporary, manifestText(spool.lines(), lists));
      await syncFile(temporary);
      await syncFolder(folder);
      await rename(temporary, join(folder, manifestPath));
      await syncFolder(folder);
      await journal.close();
      await unlock();
      await rm(partial, { recursive: true, force: true });
    },

    async abandon() {
      try {
        await journal.close();
        await spool.remove();
      } finally {
        await unlock();
      }
    },
  };
}

function fateIn({ journal, written, nameOf }: ClaimedFolder): (path: string) => Fate {
  return (path) => {
    if (written.has(nameOf(path))) return 'keep';
    return journal.has(path) ? 'remove' : 'leave';
  };
}

async function append(temporary: string, chunks: AsyncIterable<Buffer>): Promise<void> {
  const file = await open(temporary, 'a', 0o600);
  try {
    for await (const chunk of chunks) await file.appendFile(chunk);
  } finally {
    await file.close();
  }
}

/** Gives a file its path. It replaces what is there. */
async function place(claimed: ClaimedFolder, temporary: string, path: string): Promise<void> {
  const { folder, journal, written, nameOf } = claimed;
  const final = join(folder, path);
  const move = async () => {
    await mkdir(dirname(final), { recursive: true, mode: 0o700 });
    await rename(temporary, final);
  };
  await journal.begin(path);
  await move().catch(async (cause) => {
    if (!isSystemError(cause) || !obstacleCodes.has(cause.code ?? '')) throw cause;
    await removeObstacles(claimed, path);
    await move();
  });
  written.add(nameOf(path));
}

/** An earlier run has left a file where a folder is to be, or a folder where a file is to be. */
async function removeObstacles(claimed: ClaimedFolder, path: string): Promise<void> {
  const { folder } = claimed;
  const fateOf = fateIn(claimed);
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
    const above = path.slice(0, end);
    const found = await lstat(join(folder, above)).catch(() => undefined);
    if (found?.isFile() && fateOf(above) === 'remove') await rm(join(folder, above));
  }
  await settle(folder, path, fateOf);
}

/**
 * Makes sure that nothing in the folder is overwritten but an interrupted export of the same project, and that no other
 * export writes to it at the same time. Gives what ends the latter.
 */
async function claim(folder: string, partial: string, project: string): Promise<() => Promise<void>> {
  try {
    await makeFolder(folder);
    const names = await readdir(folder);
    const source = join(partial, 'project');
    if (names.includes(manifestPath)) {
      throw conflict(`The folder ${folder} holds an export that is complete: give another folder`);
    }
    if (names.length > 0 && !names.includes(partialFolder)) {
      throw conflict(`The folder ${folder} is not empty`);
    }
    await makeFolder(partial);
    const unlock = await lockFolder(join(partial, 'lock'));
    try {
      const other = await readFile(source, 'utf8').catch(() => '');
      // An export that was killed at once has not written it.
      if (other === '' && names.every((name) => name === partialFolder)) await writeFile(source, project);
      else if (other !== project) {
        throw conflict(`The folder ${folder} holds the unfinished export of another project, ${other}`);
      }
      return unlock;
    } catch (cause) {
      await unlock();
      throw cause;
    }
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    throw invalid(`The folder ${folder} cannot be used: ${cause.message}`, { cause });
  }
}

/** Something is there already. */
function conflict(message: string): BasedriveError {
  return new BasedriveError('conflict', message);
}

/**
 * Makes a folder and the folders above it, for the owner only, on stable storage. It goes step by step, because Node's
 * `recursive` never ends on a file system that has the parent folder but refuses a new one.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (cause) {
    const isMissing = isSystemError(cause) && cause.code === 'ENOENT';
    if (!isMissing && (await isFolder(path))) return;
    if (!isMissing || (await isFolder(dirname(path)))) throw cause;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
  await syncFolder(dirname(path));
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

async function isIntact(path: string, { size, sha256 }: JournalEntry): Promise<boolean> {
  if ((await sizeOf(path)) !== size) return false;
  const found: Digest = await digestOf(createReadStream(path));
  return found.sha256 === sha256;
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}
