import { compareNames } from '../../api/name-order.js';
import { send } from '../../api/request.js';
import { client } from '../../api/session.js';
import { type Entry, readEntry } from '../entry.js';

/**
 * A folder is there because a file is below it, or because it has a marker of its own, a name that ends in `/`: so do S3
 * clients make empty folders, and so does this page (docs/http.md#folder-markers).
 */

/** The most that List Files gives at once (docs/http.md#list-files). */
const limit = 1000;

/** Makes a folder that is there without a file. One that has a marker keeps it. */
export async function makeFolder(drive: string, folder: string): Promise<void> {
  const { names } = await client().Drive(drive).list({ prefix: folder, folders: true, limit: 1 });
  if (names[0] === folder) return;
  const path = `/${encodeURIComponent(drive)}/files?name=${encodeURIComponent(folder)}&folder=true`;
  await send('POST', path, { body: '', type: 'application/x-directory' });
}

/** The entry of a folder that a name is, or is below: `a/b/c` in `a/` is in `a/b/`. */
export function entryOf(name: string, folder: string): string {
  const slash = name.indexOf('/', folder.length);
  return slash === -1 ? name : name.slice(0, slash + 1);
}

/** The folders in a folder that are there by a marker, read in their order as far as they are wanted. */
export interface MarkedFolders {
  /** Those that are read. */
  readonly names: ReadonlySet<string>;
  /** Reads those up to a name; all, if it is undefined. One call after the other. */
  readTo(name: string | undefined): Promise<void>;
  /** Looks whether the folder that a marker is, or is below, is there by a marker now. */
  look(marker: string): Promise<void>;
  remove(names: Iterable<string>): void;
}

interface MarkedOptions {
  readonly signal: AbortSignal;
  /** Those that have this text in their names, also below folders of this one; empty: all that are in the folder itself. */
  readonly find?: string;
}

export function markedFolders(
  drive: string,
  folder: string,
  { signal, find = '' }: MarkedOptions,
): MarkedFolders {
  const names = new Set<string>();
  /** The name up to which they are read: the folder itself is not one of its entries. */
  let last = folder;
  let isComplete = false;
  const own = (marker: string) => (find === '' ? entryOf(marker, folder) : marker);
  const isWanted = (marker: string) => marker.includes(find, folder.length);
  return {
    names,

    async readTo(name) {
      while (!isComplete && (name === undefined || compareNames(last, name) < 0)) {
        const page = await client().Drive(drive).list({ prefix: folder, folders: true, last, limit, signal });
        for (const marker of page.names) if (isWanted(marker)) names.add(own(marker));
        isComplete = page.paging === undefined;
        // Those below the last of them are passed over, unless something is looked for in them.
        const end = page.paging?.last ?? '';
        last = find === '' ? `${entryOf(end, folder)}\u{10FFFF}` : end;
      }
    },

    async look(marker) {
      if (!isWanted(marker)) return;
      const name = own(marker);
      const page = await client().Drive(drive).list({ prefix: name, folders: true, limit: 1, signal });
      if (find === '' ? page.names.length > 0 : page.names[0] === name) names.add(name);
      else names.delete(name);
    },

    remove(gone) {
      for (const name of gone) names.delete(name);
    },
  };
}

/**
 * The entries that were found, with the marked folders that are not among them: folders first, by name, or downwards.
 * `last` is the name up to which entries are read; undefined: all are.
 */
export function withMarked(
  found: readonly Entry[],
  { names }: MarkedFolders,
  folder: string,
  { last, isDown = false }: { readonly last?: string | undefined; readonly isDown?: boolean },
): readonly Entry[] {
  if (names.size === 0) return found;
  const folders = found.filter(({ file }) => file === undefined);
  const known = new Set(folders.map(({ name }) => name));
  const marked = [...names]
    .filter((name) => !known.has(name) && (last === undefined || compareNames(name, last) <= 0))
    .map((name) => readEntry({ name }, folder));
  if (marked.length === 0) return found;
  const turn = isDown ? -1 : 1;
  const all = [...folders, ...marked].sort((one, other) => turn * compareNames(one.name, other.name));
  return [...all, ...found.filter(({ file }) => file !== undefined)];
}
