import { useEffect, useRef, useState } from 'preact/hooks';
import type { Listing } from '../listing/listing.js';

/** Milliseconds between two questions while the tab is in view. */
const askEveryMs = 30_000;

/** Whether somebody else has changed what is in view. It asks when the tab gets the focus, and now and then. */
export function useNewer(listing: Listing, isIdle: boolean): boolean {
  const [newer, setNewer] = useState<Listing>();
  const idle = useRef(isIdle);
  idle.current = isIdle;
  const changes = listing.changes.value;

  useEffect(() => {
    setNewer(undefined);
    const ended = new AbortController();
    let isAsking = false;
    let isAskedAgain = false;
    const ask = async () => {
      isAskedAgain = isAsking;
      if (isAsking || document.visibilityState === 'hidden' || !idle.current) return;
      isAsking = true;
      const isCurrent = await listing.isCurrent(ended.signal);
      isAsking = false;
      if (ended.signal.aborted) return;
      if (idle.current) setNewer(isCurrent ? undefined : listing);
      if (isAskedAgain) await ask();
    };
    const askNow = () => void ask().catch(() => {});
    const timer = setInterval(askNow, askEveryMs);
    addEventListener('focus', askNow);
    document.addEventListener('visibilitychange', askNow);
    return () => {
      ended.abort();
      clearInterval(timer);
      removeEventListener('focus', askNow);
      document.removeEventListener('visibilitychange', askNow);
    };
  }, [listing, changes]);

  return newer === listing;
}
