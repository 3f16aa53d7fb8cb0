import type { ActivityResponse } from 'basedrive-client';
import { countOf, formatCount, formatMilliseconds } from '../ui/format.js';
import { useAnswer } from './use-answer.js';

/** The requests of the last hour and their times; nothing where the server does not count them or the key may not ask. */
export function ActivityFigures() {
  const activity = useAnswer<ActivityResponse>('/activity');
  if (activity === undefined) return null;
  const { requests, failed, p50_ms, p99_ms } = activity;
  return (
    <>
      <section class="figure" aria-label="Requests, last hour">
        <h2>Requests, last hour</h2>
        <p class="figure-number">
          {formatCount(requests)} <span>{requests === 1 ? 'request' : 'requests'}</span>
        </p>
        <p class="meta">{failed === 0 ? 'None failed' : `${countOf(failed, 'failure')} (5xx)`}</p>
      </section>
      {p50_ms !== undefined && p99_ms !== undefined && (
        <section class="figure" aria-label="p99, last hour">
          <h2>p99, last hour</h2>
          <p class="figure-number">
            {formatMilliseconds(p99_ms)} <span>99 of 100 at most</span>
          </p>
          <p class="meta">p50 {formatMilliseconds(p50_ms)}</p>
        </section>
      )}
    </>
  );
}
