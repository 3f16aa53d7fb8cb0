import { useEffect } from 'preact/hooks';
import { mayManageKeys } from '../api/own-key.js';
import { send } from '../api/request.js';
import { useRead } from '../ui/use-read.js';

/**
 * What the service answers to a key without limits: asked once, or again every `everyMs` while the page is in view.
 * Undefined until there is an answer, and when there is none, as for other keys: the rest of the screen does without it.
 */
export function useAnswer<Answer>(path: string, everyMs?: number): Answer | undefined {
  const mayAsk = mayManageKeys.value;
  const read = async (signal: AbortSignal) => (await (await send('GET', path, { signal })).json()) as Answer;
  const { value, retry } = useRead(mayAsk ? read : undefined, [path, mayAsk]);
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && retry(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return value;
}
