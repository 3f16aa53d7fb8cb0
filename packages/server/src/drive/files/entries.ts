import type { ItemStore, ScanRange } from '../../engines/item-store.js';
import { isFileRowExpired, nameKey, nameOfKey } from '../rows.js';

/** A line of a list: a file, or a directory, which has no row. */
export interface Entry {
  readonly name: string;
  readonly row?: string;
}

export interface EntryRange {
  /** Only names that begin with this text; empty for all names. */
  readonly prefix: string;
  /** Only names that begin with this text, too: directories are cut by `prefix` alone. Empty for all names. */
  readonly within: string;
  /** If false, names are cut after the first `/` that follows the prefix, and each such directory is listed once. */
  readonly recursive: boolean;
  /** Only after this name, in the direction of the list; empty to begin with the first. */
  readonly last: string;
  readonly descending?: boolean;
  /** The most entries that are wanted: about as many rows are read. It may give more. */
  readonly most?: number;
  /** The current time in whole seconds since 1970 UTC. Files that have expired by then are left out. */
  readonly nowSeconds: number;
}

/**
 * Reads what List Files lists, in batches, in the order of the names or from the last to the first. The files of a
 * directory are not read: one scan skips all of them.
 */
export async function* entriesOf(
  items: ItemStore,
  space: string,
  range: EntryRange,
): AsyncGenerator<readonly Entry[]> {
  const { prefix, within, recursive, last, descending: reverse = false, most, nowSeconds } = range;
  const scanned = longerOf(prefix, within);
  if (scanned === undefined) return;
  const cut = (name: string) => (recursive ? name : cutAfterSlash(name, prefix.length));
  let directory: string | undefined;
  let bound: ScanRange = {};
  if (last !== '') {
    const entry = last.startsWith(prefix) ? cut(last) : last;
    if (!recursive && entry.length > prefix.length && entry.endsWith('/')) directory = entry;
    bound = directory === undefined ? { [reverse ? 'lt' : 'gt']: nameKey(last) } : beyond(directory, reverse);
  }
  let given = 0;
  for (;;) {
    const limit = most === undefined ? undefined : most - given;
    let isInDirectory = false;
    let rows = 0;
    let lastKey = '';
    const read = { prefix: nameKey(scanned), ...bound, reverse, ...(limit !== undefined && { limit }) };
    for await (const batch of items.scanText(space, read)) {
      const entries: Entry[] = [];
      rows += batch.length;
      for (const { key, text } of batch) {
        lastKey = key;
        if (isFileRowExpired(text, nowSeconds)) continue;
        const name = nameOfKey(key);
        isInDirectory = directory !== undefined && name.startsWith(directory);
        if (isInDirectory) continue;
        const entry = cut(name);
        isInDirectory = entry !== name;
        directory = isInDirectory ? entry : undefined;
        entries.push(isInDirectory ? { name: entry } : { name, row: text });
      }
      yield entries;
      given += entries.length;
      // The rest of this directory is skipped without being read.
      if (isInDirectory) break;
    }
    if (isInDirectory && directory !== undefined) bound = beyond(directory, reverse);
    else if (rows === limit) bound = { [reverse ? 'lt' : 'gt']: lastKey };
    else return;
  }
}

/** The prefix of the names that begin with both texts; undefined if there can be none. */
export function longerOf(a: string, b: string): string | undefined {
  if (a.startsWith(b)) return a;
  return b.startsWith(a) ? b : undefined;
}

function cutAfterSlash(name: string, from: number): string {
  const slash = name.indexOf('/', from);
  return slash === -1 ? name : name.slice(0, slash + 1);
}

/** The range beyond all names in a directory, in a direction: `0` is the character after `/`. */
function beyond(directory: string, reverse = false): ScanRange {
  return reverse ? { lt: nameKey(directory) } : { gte: `${nameKey(directory.slice(0, -1))}0` };
}
