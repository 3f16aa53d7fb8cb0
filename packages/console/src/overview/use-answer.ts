import { useEffect, useState } from 'preact/hooks';
import { mayManageKeys } from '../api/own-key.js';
import { send } from '../api/request.js';

/**
 * What the service answers to a key without limits, asked once. Undefined until there is an answer, and when
 * there is none, as for other keys: the rest of the screen does without it.
 */
export function useAnswer<Answer>(path: string): Answer | undefined {
  const mayAsk = mayManageKeys.value;
  const [answer, setAnswer] = useState<Answer | undefined>(undefined);
  useEffect(() => {
    setAnswer(undefined);
    if (!mayAsk) return;
    const ended = new AbortController();
    send('GET', path, { signal: ended.signal })
      .then(async (found) => setAnswer((await found.json()) as Answer))
      .catch(() => {});
    return () => ended.abort();
  }, [path, mayAsk]);
  return answer;
}
