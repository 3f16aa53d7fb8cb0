import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { createSelection, type Selection } from '../../grid/selection.js';
import type { Entry } from '../entry.js';
import type { FolderListing } from './folder-listing.js';
import { forgetFolderSizes } from './folder-size.js';
import { type FolderWish, openListing } from './ordered-listing.js';
import { useFollowed } from './use-followed.js';
import { useStored } from './use-stored.js';

/** A folder that is looked at. */
export interface OpenFolder {
  readonly listing: FolderListing;
  /** The listing that is shown at the time of the call: work goes on while another folder is opened. */
  shown(): FolderListing;
  /** What the listing holds, as it is shown. */
  readonly entries: readonly Entry[];
  readonly selection: Selection;
  readonly selected: readonly Entry[];
  /** Reads the folder again from its start. */
  reread(): void;
}

/** Lists a folder of a drive, and follows what is stored in it, here and elsewhere. */
export function useFolder(drive: string, folder: string, { find, order }: FolderWish): OpenFolder {
  const attempt = useSignal(0);
  // `attempt` reads everything again.
  const listing = useMemo(
    () => openListing(drive, folder, { order, find }),
    [drive, folder, order, find, attempt.value],
  );
  const selection = useMemo(() => createSelection(), [drive, folder]);
  useEffect(() => listing.close, [listing]);
  const latest = useRef(listing);
  latest.current = listing;
  const isToCome = useStored(drive, listing);
  useFollowed(drive, folder, order === '' && find === '', { latest, isToCome });
  useEffect(forgetFolderSizes, [listing]);
  const found = listing.entries.value;
  const entries = useMemo(() => foldersFirst(found), [found]);
  const keys = selection.keys.value;
  const selected = useMemo(() => entries.filter(({ name }) => keys.has(name)), [entries, keys]);
  return {
    listing,
    shown: () => latest.current,
    entries,
    selection,
    selected,
    reread() {
      attempt.value++;
    },
  };
}

/** The folders first, each part in the order in which it came. */
function foldersFirst(entries: readonly Entry[]): readonly Entry[] {
  const folders = entries.filter(({ file }) => file === undefined);
  // Most orders of the service have them first already.
  if (entries.slice(0, folders.length).every(({ file }) => file === undefined)) return entries;
  return [...folders, ...entries.filter(({ file }) => file !== undefined)];
}
