import type { ItemStore, ScanRange } from '../engines/item-store.js';
import { nameKey, nameOfKey } from './rows.js';

export interface ListQuery {
  /** Only names that begin with it; empty: all. */
  readonly prefix: string;
  /** Only names after it; empty: from the start. */
  readonly last: string;
  /** 1 or more. */
  readonly limit: number;
  /** False: names are cut after the first `/` behind the prefix, and each such directory is listed once. */
  readonly recursive: boolean;
}

export interface ListPage {
  readonly names: readonly string[];
  /** Whether more names follow the last of these. */
  readonly more: boolean;
}

/**
 * One page of docs/http.md#list-files: names in the order of their UTF-8 bytes. With `recursive: false`, a directory
 * costs one scan, however many files it has.
 */
export async function listNames(items: ItemStore, space: string, query: ListQuery): Promise<ListPage> {
  const { prefix, last, limit, recursive } = query;
  const names: string[] = [];
  // One more name than asked for shows whether more follow.
  const wanted = limit + 1;
  const cut = (name: string) => (recursive ? name : cutAfterSlash(name, prefix.length));
  let directory: string | undefined;
  let bound: ScanRange = {};
  if (last !== '') {
    const entry = last.startsWith(prefix) ? cut(last) : last;
    if (!recursive && entry.length > prefix.length && entry.endsWith('/')) directory = entry;
    bound = directory === undefined ? { gt: nameKey(last) } : behind(directory);
  }
  for (;;) {
    const limitRows = wanted - names.length;
    let rows = 0;
    let lastKey = '';
    let inDirectory = false;
    for await (const batch of items.scan(space, { prefix: nameKey(prefix), ...bound, limit: limitRows })) {
      for (const { key } of batch) {
        rows++;
        lastKey = key;
        const name = nameOfKey(key);
        inDirectory = directory !== undefined && name.startsWith(directory);
        if (inDirectory) continue;
        const entry = cut(name);
        names.push(entry);
        if (names.length === wanted) return { names: names.slice(0, limit), more: true };
        inDirectory = entry !== name;
        directory = inDirectory ? entry : undefined;
      }
      // The rest of this directory is skipped without reading it.
      if (inDirectory) break;
    }
    if (inDirectory && directory !== undefined) bound = behind(directory);
    else if (rows === limitRows) bound = { gt: lastKey };
    else return { names, more: false };
  }
}

function cutAfterSlash(name: string, from: number): string {
  const slash = name.indexOf('/', from);
  return slash === -1 ? name : name.slice(0, slash + 1);
}

/** Everything after the names in a directory: `0` is the character after `/`. */
function behind(directory: string): ScanRange {
  return { gte: `${nameKey(directory.slice(0, -1))}0` };
}
