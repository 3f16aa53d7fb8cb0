import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { seesPublic } from '../api/own-key.js';
import { PublicDialog } from './public-dialog.js';
import { forgetPublic, readPublic } from './public-prefixes.js';

interface PublicFiles {
  /** Shows which folders are public, and offers one (`site/`, or empty for none). Undefined if the key may not see it. */
  readonly ask: ((folder: string) => void) | undefined;
  readonly dialog: ComponentChildren;
}

/** What is public of a drive, while it is shown. */
export function usePublic(drive: string): PublicFiles {
  const [folder, setFolder] = useState<string | undefined>(undefined);
  const isSeen = seesPublic.value;
  useEffect(() => {
    const ended = new AbortController();
    // Without an answer nothing is marked; the dialog asks again, and tells why there is none.
    if (isSeen) readPublic(drive, ended.signal).catch(() => {});
    return () => {
      ended.abort();
      forgetPublic(drive);
    };
  }, [drive, isSeen]);
  return {
    ask: isSeen ? setFolder : undefined,
    dialog: folder !== undefined && (
      <PublicDialog drive={drive} folder={folder} onClose={() => setFolder(undefined)} />
    ),
  };
}
