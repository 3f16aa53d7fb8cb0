import { PageError } from '../api/errors.js';
import { client } from '../api/session.js';
import type { JobControl } from '../ui/jobs.js';
import type { Entry } from './entry.js';

/** The limit of Move Files and Delete Files (docs/http.md#move-files). */
const maxFiles = 1000;

/** What became of the files of the chosen entries. */
export interface FilesChanged {
  /** Files that were changed. */
  readonly count: number;
  /** Whether all are: not after a stop, nor if the service left some. */
  readonly isWhole: boolean;
  /** Why it ended before its end, if a request failed after others had succeeded. */
  readonly cause?: unknown;
}

/** A file of a chosen entry: itself, or one below it. */
interface ChosenName {
  readonly entry: Entry;
  readonly name: string;
}

/** Deletes files, and folders with all that is below them. */
export async function deleteEntries(
  drive: string,
  entries: readonly Entry[],
  control: JobControl,
): Promise<FilesChanged> {
  let left = 0;
  const changed = await inBatches(drive, entries, control, async (files) => {
    const { deleted, failed } = await client()
      .Drive(drive)
      .deleteMany(files.map(({ name }) => name));
    left += Object.keys(failed).length;
    return deleted.length;
  });
  return { ...changed, isWhole: changed.isWhole && left === 0 };
}

/**
 * Gives files other names, and all files below folders: `nameOf` says the new name of an entry (of a folder, with its
 * `/`). Up to 1,000 files move at once, all or none. Rejects if a name is taken.
 */
export async function moveEntries(
  drive: string,
  entries: readonly Entry[],
  nameOf: (entry: Entry) => string,
  control: JobControl,
): Promise<FilesChanged> {
  const moved = entries.filter((entry) => nameOf(entry) !== entry.name);
  // The files would be found again under their new names.
  if (moved.some((entry) => entry.file === undefined && nameOf(entry).startsWith(entry.name)))
    throw new PageError('A folder cannot be moved into itself.');
  return await inBatches(drive, moved, control, (files) => {
    const pairs = files.map(({ entry, name }) => ({
      from: name,
      to: nameOf(entry) + name.slice(entry.name.length),
    }));
    return client().Drive(drive).move(pairs);
  });
}

/**
 * Calls `work` with the files of the entries, up to 1,000 at a time, until all are done or the user stops it. Rejects
 * if nothing was changed.
 */
async function inBatches(
  drive: string,
  entries: readonly Entry[],
  { signal, report }: JobControl,
  work: (files: readonly ChosenName[]) => Promise<number>,
): Promise<FilesChanged> {
  let count = 0;
  let files: ChosenName[] = [];
  const flush = async () => {
    const some = files;
    files = [];
    if (some.length > 0) count += await work(some);
  };
  try {
    for await (const file of filesOf(drive, entries)) {
      files.push(file);
      if (files.length < maxFiles) continue;
      await flush();
      report(count);
      // Between the batches, so that it is known what is done.
      if (signal.aborted) return { count, isWhole: false };
    }
    await flush();
  } catch (cause) {
    if (count === 0) throw cause;
    return { count, isWhole: false, cause };
  }
  return { count, isWhole: true };
}

async function* filesOf(drive: string, entries: readonly Entry[]): AsyncGenerator<ChosenName> {
  for (const entry of entries) {
    const { name, file } = entry;
    if (file !== undefined) yield { entry, name };
    else
      for await (const below of client().Drive(drive).names({ prefix: name })) yield { entry, name: below };
  }
}
