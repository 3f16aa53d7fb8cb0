import { client } from '../api/session.js';
import type { Entry } from './entry.js';

/** The limit of Move Files and Delete Files (docs/http.md#move-files). */
const maxFiles = 1000;

/** Calls `work` with the names of all files of these entries, also below folders, up to 1,000 at a time. */
async function withNames(
  drive: string,
  entries: readonly Entry[],
  work: (names: readonly string[]) => Promise<void>,
): Promise<void> {
  let names: string[] = [];
  const flush = async (): Promise<void> => {
    const some = names;
    names = [];
    if (some.length > 0) await work(some);
  };
  for (const { name, file } of entries) {
    if (file !== undefined) {
      names.push(name);
    } else {
      for await (const below of client().Drive(drive).names({ prefix: name })) {
        names.push(below);
        if (names.length === maxFiles) await flush();
      }
    }
    if (names.length === maxFiles) await flush();
  }
  await flush();
}

/** Deletes files, and folders with all that is below them. Gives the number of files. */
export async function deleteEntries(drive: string, entries: readonly Entry[]): Promise<number> {
  let count = 0;
  await withNames(drive, entries, async (names) => {
    const { deleted } = await client().Drive(drive).deleteMany(names);
    count += deleted.length;
  });
  return count;
}

/**
 * Moves files and folders into a folder (`trip/`, or empty for the drive itself), under their own labels. Up to 1,000
 * files move at once, all or none. Rejects if a name is taken.
 */
export async function moveEntries(drive: string, entries: readonly Entry[], folder: string): Promise<void> {
  for (const entry of entries) {
    const to = folder + entry.label;
    if (to !== entry.name) await renameEntry(drive, entry, to);
  }
}

/** Gives a file another name, or a folder another prefix (with its `/`). Rejects if a name is taken. */
export async function renameEntry(drive: string, entry: Entry, to: string): Promise<void> {
  await withNames(drive, [entry], async (names) => {
    await client()
      .Drive(drive)
      .move(names.map((from) => ({ from, to: to + from.slice(entry.name.length) })));
  });
}
