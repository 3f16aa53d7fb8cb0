import { useEffect, useMemo } from 'preact/hooks';
import type { Entry } from '../entry.js';
import type { FolderListing } from './folder-listing.js';
import { forgetFolderSizes } from './folder-size.js';

/** The entries of a listing as they are shown. */
export function useArranged(listing: FolderListing): readonly Entry[] {
  const entries = listing.entries.value;
  useEffect(forgetFolderSizes, [listing]);
  return useMemo(() => foldersFirst(entries), [entries]);
}

/** The folders first, each part in the order in which it came. */
function foldersFirst(entries: readonly Entry[]): readonly Entry[] {
  const folders = entries.filter(({ file }) => file === undefined);
  if (folders.length === 0 || folders.length === entries.length) return entries;
  // Most orders of the service have them first already.
  if (entries.slice(0, folders.length).every(({ file }) => file === undefined)) return entries;
  return [...folders, ...entries.filter(({ file }) => file !== undefined)];
}

/** The file before or after one, without the folders; undefined at the ends. */
export function fileBeside(entries: readonly Entry[], name: string, step: 1 | -1): Entry | undefined {
  const files = entries.filter(({ file }) => file !== undefined);
  const at = files.findIndex((entry) => entry.name === name);
  return at === -1 ? undefined : files[at + step];
}
