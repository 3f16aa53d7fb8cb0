import { useEffect, useRef, useState } from 'preact/hooks';
import type { Listing } from '../listing/listing.js';

/** Milliseconds between two questions while the tab is in view. */
const askEveryMs = 30_000;

/** Milliseconds after the last sign of a change: what one does oneself is shown by then. */
const settledMs = 1000;

interface Newer {
  readonly isNewer: boolean;
  /** Asks soon, because somebody has changed something. */
  askSoon(): void;
}

/**
 * Whether somebody else has changed what is in view. It asks when there is a sign of it, when the tab gets the focus, and now
 * and then.
 */
export function useNewer(listing: Listing, isIdle: boolean): Newer {
  const [newer, setNewer] = useState<Listing>();
  const idle = useRef(isIdle);
  idle.current = isIdle;
  const changes = listing.changes.value;
  const askSoon = useRef(() => {});

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
    let soon: ReturnType<typeof setTimeout> | undefined;
    askSoon.current = () => {
      clearTimeout(soon);
      soon = setTimeout(askNow, settledMs);
    };
    addEventListener('focus', askNow, { signal: ended.signal });
    document.addEventListener('visibilitychange', askNow, { signal: ended.signal });
    return () => {
      ended.abort();
      clearInterval(timer);
      clearTimeout(soon);
    };
  }, [listing, changes]);

  return { isNewer: newer === listing, askSoon: () => askSoon.current() };
}
