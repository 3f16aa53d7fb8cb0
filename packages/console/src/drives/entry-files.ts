import type { Entry, FileFacts } from './entry.js';

/** Something of each file of the entries: `ofFile` says it of a chosen file, `below` finds it for a chosen folder. */
export async function* filesOf<Found>(
  entries: readonly Entry[],
  ofFile: (file: FileFacts, entry: Entry) => Found,
  below: (folder: Entry) => AsyncIterable<Found>,
): AsyncGenerator<Found> {
  for (const entry of entries) {
    if (entry.file !== undefined) yield ofFile(entry.file, entry);
    else yield* below(entry);
  }
}

/** Whether a name is that of one of the entries, or below one that is a folder. */
export function isAmong(entries: readonly Entry[], name: string): boolean {
  return entryFinder(entries)(name) !== undefined;
}

/** Gives a function that finds the entry that a file is, or is below. */
export function entryFinder(entries: readonly Entry[]): (name: string) => Entry | undefined {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  return (name) => {
    for (let slash = name.indexOf('/'); slash !== -1; slash = name.indexOf('/', slash + 1)) {
      const folder = byName.get(name.slice(0, slash + 1));
      if (folder !== undefined) return folder;
    }
    return byName.get(name);
  };
}
