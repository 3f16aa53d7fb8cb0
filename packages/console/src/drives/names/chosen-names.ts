import { client } from '../../api/session.js';
import type { JobControl } from '../../ui/jobs.js';
import type { Entry } from '../entry.js';
import { filesOf } from '../entry-files.js';

/** The limit of Move Files and Delete Files (docs/http.md#move-files). */
export const maxFiles = 1000;

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
export interface ChosenName {
  readonly entry: Entry;
  readonly name: string;
}

/**
 * Calls `work` with the files, up to 1,000 at a time, until all are done or the user stops it. `work` says how many it
 * has changed. Rejects if nothing was changed.
 */
export async function inBatches(
  names: AsyncIterable<ChosenName>,
  { signal, report }: JobControl,
  work: (files: readonly ChosenName[], changed: (count: number) => void) => Promise<void>,
): Promise<FilesChanged> {
  let count = 0;
  let files: ChosenName[] = [];
  const flush = async () => {
    const some = files;
    files = [];
    const changed = (more: number) => {
      count += more;
    };
    if (some.length > 0) await work(some, changed);
  };
  try {
    for await (const file of names) {
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

/** The chosen files, and those below the chosen folders. */
export function chosenNames(
  drive: string,
  entries: readonly Entry[],
  signal?: AbortSignal,
): AsyncGenerator<ChosenName> {
  return filesOf<ChosenName>(
    entries,
    ({ name }, entry) => ({ entry, name }),
    async function* (entry) {
      for await (const name of namesBelow(drive, entry.name, signal)) yield { entry, name };
    },
  );
}

/** The markers of the chosen folders, and of the folders below them. */
export async function* chosenMarkers(drive: string, entries: readonly Entry[]): AsyncGenerator<ChosenName> {
  for (const entry of entries) {
    if (entry.file !== undefined) continue;
    const markers = client().Drive(drive).names({ prefix: entry.name, folders: true });
    for await (const name of markers) yield { entry, name };
  }
}

/** The names of all files that begin with a prefix. */
export function namesBelow(drive: string, prefix: string, signal?: AbortSignal): AsyncIterable<string> {
  return client().Drive(drive).names({ prefix, signal });
}
