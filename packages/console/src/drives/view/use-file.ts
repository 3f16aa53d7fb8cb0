import { useEffect, useState } from 'preact/hooks';
import { client } from '../../api/session.js';
import { tellFailure } from '../../ui/toast.js';
import { type Entry, readEntry } from '../entry.js';
import type { FolderListing } from './folder-listing.js';

/** The file of this name, also if the folder is not read so far; undefined if there is none, or none is named. */
export function useFile(
  drive: string,
  folder: string,
  name: string,
  listing: FolderListing,
): Entry | undefined {
  const [read, setRead] = useState<Entry | undefined>(undefined);
  const entries = listing.entries.value;
  const listed = entries.find((entry) => entry.name === name && entry.file !== undefined);
  const isMissing = name !== '' && listed === undefined && listing.state.value === 'more';

  useEffect(() => {
    setRead(undefined);
    if (!isMissing) return;
    const ended = new AbortController();
    client()
      .Drive(drive)
      .list({ prefix: name, limit: 1, details: true, signal: ended.signal })
      .then(({ files }) => setRead(files?.map((file) => readEntry(file, folder))[0]), tellFailure);
    return () => ended.abort();
  }, [drive, folder, name, isMissing]);

  return listed ?? (read?.name === name ? read : undefined);
}
