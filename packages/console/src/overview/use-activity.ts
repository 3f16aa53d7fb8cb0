import type { ActivityDetails } from 'basedrive-client';
import { useEffect, useState } from 'preact/hooks';
import { mayManageKeys } from '../api/own-key.js';
import { send } from '../api/request.js';

const everyMs = 30_000;

/**
 * What the server knows of the requests of the project, read again while the page is in view. Undefined until there is an
 * answer, and when there is none: the rest of the screen does without it.
 */
export function useActivity(): ActivityDetails | undefined {
  const mayAsk = mayManageKeys.value;
  const [found, setFound] = useState<ActivityDetails | undefined>(undefined);
  useEffect(() => {
    setFound(undefined);
    if (!mayAsk) return;
    const ended = new AbortController();
    const read = async () => {
      const answer = await send('GET', '/activity?details=true', { signal: ended.signal });
      setFound((await answer.json()) as ActivityDetails);
    };
    const look = () => {
      if (document.visibilityState === 'visible') read().catch(() => {});
    };
    look();
    const timer = setInterval(look, everyMs);
    return () => {
      ended.abort();
      clearInterval(timer);
    };
  }, [mayAsk]);
  return found;
}
