import { createSlowQueryLog } from '../../base/slow-queries/slow-queries.js';
import type { CatalogService } from '../../catalog/service.js';
import type { OnAnswered } from '../../http/answering.js';
import type { Clock } from '../../lib/clock.js';
import { ProjectActivity } from './project-activity.js';
import { createStorageHistory } from './storage-history.js';

interface ActivityDependencies {
  readonly catalog: CatalogService;
  readonly clock: Clock;
}

/** What this server knows of the requests of its projects: all in memory, all bounded (docs/http.md#activity). */
export function createActivity({ catalog, clock }: ActivityDependencies) {
  const monotonicMs = () => performance.now();
  const startedMs = monotonicMs();
  const counts = new ProjectActivity(monotonicMs);
  const slow = createSlowQueryLog(monotonicMs);
  let measuredMs = startedMs;
  const storage = createStorageHistory({
    catalog,
    clock,
    activeProjects() {
      const since = measuredMs;
      measuredMs = monotonicMs();
      return counts.activeSince(since);
    },
  });
  /** The time on the clock of a moment that has passed: a clock that was set since moves all of them alike. */
  const clockOf = () => {
    const aheadMs = clock() - monotonicMs();
    return (ms: number) => Math.floor((ms + aheadMs) / 1000);
  };

  return {
    onQuery: slow.onQuery,

    /** Gives what counts a request, and then tells the observer. */
    counting:
      (observer: OnAnswered | undefined): OnAnswered =>
      (exchange, status, bytes, durationMs) => {
        observer?.(exchange, status, bytes, durationMs);
        // Only a request with a valid key has an owner.
        const { owner } = exchange;
        if (owner === undefined) return;
        const endedMs = exchange.startedMs + durationMs;
        counts.count(owner, status, durationMs, endedMs).note(exchange, status, durationMs, endedMs);
      },

    of: (project: string) => counts.of(project),

    detailsOf(project: string) {
      const secondsAt = clockOf();
      return {
        since: secondsAt(startedMs),
        ...counts.pointsOf(project, secondsAt),
        latest: counts.latestOf(project)?.list(project, secondsAt) ?? [],
        slow_queries: slow.of(project).map(({ endedMs, maxMs, index, suggestion, ...query }) => ({
          ...query,
          at: secondsAt(endedMs),
          max_ms: Math.round(maxMs * 1000) / 1000,
          ...(index !== undefined && { index }),
          ...(suggestion !== undefined && { suggestion }),
        })),
        storage: storage.of(project),
      };
    },

    /** Starts to measure what the projects store. */
    start: storage.start,
    stop: storage.stop,
  };
}
