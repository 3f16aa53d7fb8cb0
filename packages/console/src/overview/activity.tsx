import type { ActivityResponse } from 'basedrive-client';
import { useEffect, useState } from 'preact/hooks';
import { mayManageKeys } from '../api/own-key.js';
import { send } from '../api/request.js';
import { countOf, formatCount, formatMilliseconds } from '../ui/format.js';

/** The requests of the last hour and their times; nothing where the server does not count them or the key may not ask. */
export function ActivityFigures() {
  const activity = useActivity(mayManageKeys.value);
  if (activity === undefined) return null;
  const { requests, failed, p50_ms, p99_ms } = activity;
  const [p99, unit] = p99_ms === undefined ? [] : formatMilliseconds(p99_ms).split(' ');
  return (
    <>
      <section class="figure" aria-label="Requests, last hour">
        <h2>Requests, last hour</h2>
        <p class="figure-number">
          {formatCount(requests)} <span>{requests === 1 ? 'request' : 'requests'}</span>
        </p>
        <p class="meta">{failed === 0 ? 'None failed' : `${countOf(failed, 'failure')} (5xx)`}</p>
      </section>
      {p50_ms !== undefined && p99 !== undefined && (
        <section class="figure" aria-label="p99, last hour">
          <h2>p99, last hour</h2>
          <p class="figure-number">
            {p99} <span>{unit}</span>
          </p>
          <p class="meta">p50 {formatMilliseconds(p50_ms)}</p>
        </section>
      )}
    </>
  );
}

/** Asks once. Undefined until there is an answer, and if there is none: the rest of the screen does without it. */
function useActivity(mayAsk: boolean): ActivityResponse | undefined {
  const [activity, setActivity] = useState<ActivityResponse | undefined>(undefined);
  useEffect(() => {
    setActivity(undefined);
    if (!mayAsk) return;
    const ended = new AbortController();
    send('GET', '/activity', { signal: ended.signal })
      .then(async (answer) => setActivity((await answer.json()) as ActivityResponse))
      .catch(() => {});
    return () => ended.abort();
  }, [mayAsk]);
  return activity;
}
