import { useEffect, useRef, useState } from 'preact/hooks';
import { PageError } from '../../api/errors.js';
import { client } from '../../api/session.js';
import { tellFailure } from '../../ui/toast.js';
import { visible } from '../../ui/visible.js';
import { type Entry, readEntry } from '../entry.js';
import type { FolderListing } from './folder-listing.js';

/**
 * The file of this name, also if the folder is not read so far; undefined if there is none, or none is named. It says so
 * where the page was opened with the name of a file that is gone.
 */
export function useFile(
  drive: string,
  folder: string,
  name: string,
  listing: FolderListing,
): Entry | undefined {
  const [read, setRead] = useState<Entry | undefined>(undefined);
  /** The name of a file that was looked for and not found. */
  const [missing, setMissing] = useState('');
  /** The name with which the page was opened, until a file is shown. */
  const first = useRef(name);
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
      .then(({ files }) => {
        const [file] = files ?? [];
        if (file?.name === name) setRead(readEntry(file, folder));
        else setMissing(name);
      }, tellFailure);
    return () => ended.abort();
  }, [drive, folder, name, isMissing]);

  const shown = listed ?? (read?.name === name ? read : undefined);
  const isGone = shown === undefined && (listing.state.value === 'complete' || missing === name);
  useEffect(() => {
    if (isGone && name !== '' && name === first.current)
      tellFailure(
        new PageError(`There is no file ${visible(name)}. It was moved or deleted, or it has expired.`),
      );
    if (isGone || shown !== undefined) first.current = '';
  }, [name, isGone, shown]);
  return shown;
}
