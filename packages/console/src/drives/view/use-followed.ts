import { useEffect } from 'preact/hooks';
import { followInView } from '../../api/follow.js';
import type { FolderListing } from './folder-listing.js';

/** Milliseconds in which changes are shown together: one's own, which come here, too, are shown by then. */
const togetherMs = 300;

interface FileChange {
  readonly name: string;
  readonly file?: { readonly etag?: string };
}

interface Shown {
  /** The listing that is shown. */
  readonly latest: { readonly current: FolderListing };
  /** Whether what this tab has stored under a name is still to be shown: it is not read here, too. */
  readonly isToCome: { current(name: string): boolean };
}

/**
 * Shows what others do to the files of a folder. In another order, and of what was
 * found, the place of a file is not known here: they stay as they were read.
 */
export function useFollowed(
  drive: string,
  folder: string,
  isByName: boolean,
  { latest, isToCome }: Shown,
): void {
  useEffect(() => {
    if (!isByName) return;
    let pending = new Map<string, FileChange>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      timer = undefined;
      const { current: listing } = latest;
      // What this tab has stored there, and what others did since, is compared when that is shown.
      const later = new Map([...pending].filter(([name]) => isToCome.current(name)));
      for (const name of later.keys()) pending.delete(name);
      const change = unseen(listing, pending);
      pending = later;
      if (later.size > 0) timer = setTimeout(show, togetherMs);
      // The folder is as it was read, and is read again when somebody opens it.
      if (change.stored.length + change.gone.length > 0) listing.update(change).catch(() => {});
    };
    const end = followInView(
      { drives: [drive], prefix: folder },
      (text) => {
        const change = JSON.parse(text) as FileChange;
        pending.set(change.name, change);
      },
      () => {
        if (pending.size > 0) timer ??= setTimeout(show, togetherMs);
      },
    );
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [drive, folder, isByName]);
}

/** Those of the changes that the listing does not show. */
function unseen({ entries, folder }: FolderListing, changes: ReadonlyMap<string, FileChange>) {
  const shown = new Map(entries.peek().map(({ name, file }) => [name, file?.etag]));
  const stored: string[] = [];
  const gone: string[] = [];
  for (const { name, file } of changes.values()) {
    if (file === undefined) gone.push(...(shown.has(name) ? [name] : []));
    else if (shown.get(name) !== file.etag && !shown.has(folderIn(name, folder))) stored.push(name);
  }
  return { stored, gone };
}

/** The folder within another one that a file is below; empty if it is in that one itself. */
function folderIn(name: string, folder: string): string {
  const slash = name.indexOf('/', folder.length);
  return slash === -1 ? '' : name.slice(0, slash + 1);
}
