import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BasedriveError, invalid } from '../../error.js';
import { createDigest, type Digest, digestOf } from '../digest.js';
import { manifestPath, manifestText } from '../layout/manifest.js';
import { isSystemError } from '../system-error.js';
import { createEntrySpool } from './entry-spool.js';
import { type JournalEntry, openJournal } from './journal.js';
import type { ExportTarget } from './target.js';

/** Holds what an export needs to go on after an interruption. It is gone when the export is complete. */
const partialFolder = 'basedrive.partial';
const filesAtOnce = 4;

/**
 * Exports to a folder, which must be empty, missing, or hold an export of this project that was interrupted: then the
 * files that it has already are not read again. Throws code `conflict`
 * if it holds anything else, and `invalid` if it cannot be used.
 */
export async function openFolderTarget(folder: string, project: string): Promise<ExportTarget> {
  const partial = join(folder, partialFolder);
  await claim(folder, partial, project);
  const journal = await openJournal(join(partial, 'journal'));
  const spool = createEntrySpool(join(partial, 'entries'));

  async function write(path: string, temporary: string, chunks: AsyncIterable<Buffer>): Promise<void> {
    const file = await open(temporary, 'a', 0o600);
    try {
      for await (const chunk of chunks) await file.appendFile(chunk);
    } finally {
      await file.close();
    }
    const final = join(folder, path);
    await mkdir(dirname(final), { recursive: true, mode: 0o700 });
    await rename(temporary, final);
  }

  return {
    filesAtOnce,

    async writeBase(path, chunks) {
      const temporary = join(partial, 'base');
      await rm(temporary, { force: true });
      const digest = createDigest();
      await write(path, temporary, digest.through(chunks));
      return digest.end();
    },

    async writeFile(path, { file, read }) {
      const known = journal.earlier.get(path);
      journal.earlier.delete(path);
      if (known?.etag === file.etag && (await isIntact(join(folder, path), known))) {
        return { ...known, isReused: true };
      }
      // Two files never have the same ETag, so a part of a download belongs to this file.
      const temporary = join(partial, createHash('sha256').update(`${path} ${file.etag}`).digest('hex'));
      const digest = createDigest();
      const present = (await sizeOf(temporary)) ?? 0;
      if (present > 0) for await (const _ of digest.through(createReadStream(temporary)));
      await write(path, temporary, digest.through(read(present)));
      const written = digest.end();
      await journal.add({ path, etag: file.etag, ...written });
      return { ...written, isReused: false };
    },

    addEntry: spool.add,

    async finish() {
      // What a run before this one wrote, and the project no longer has.
      for (const path of journal.earlier.keys()) await rm(join(folder, path), { force: true });
      await journal.close();
      const temporary = join(partial, manifestPath);
      await rm(temporary, { force: true });
      await write(manifestPath, temporary, manifestText(spool.lines()));
      await rm(partial, { recursive: true });
    },

    async abandon() {
      await journal.close();
      await spool.remove();
    },
  };
}

/** Makes sure that nothing in the folder is overwritten but an interrupted export of the same project. */
async function claim(folder: string, partial: string, project: string): Promise<void> {
  try {
    await makeFolder(folder);
    const names = await readdir(folder);
    const source = join(partial, 'project');
    if (names.length === 0) {
      await makeFolder(partial);
      await writeFile(source, project);
      return;
    }
    if (names.includes(manifestPath)) {
      throw conflict(`The folder ${folder} holds an export that is complete: give another folder`);
    }
    if (!names.includes(partialFolder)) throw conflict(`The folder ${folder} is not empty`);
    const other = await readFile(source, 'utf8');
    if (other !== project) {
      throw conflict(`The folder ${folder} holds the unfinished export of another project, ${other}`);
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
 * Makes a folder and the folders above it, for the owner only. It goes step by step, because Node's `recursive` never
 * ends on a file system that has the parent folder but refuses a new one.
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
