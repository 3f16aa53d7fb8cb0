import { useEffect } from 'preact/hooks';
import { seesPublic } from '../../api/own-key.js';
import { forgetPublic, readPublic } from './public-prefixes.js';

/** Knows what is public of a drive while it is shown. */
export function usePublic(drive: string): void {
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
}
