import type { Activity } from '../../catalog/activity.js';

const minutesHeld = 60;
const minuteMs = 60_000;
/** With 1,000 projects that are busy all the time, the counts take about 40 MB. */
const maxProjects = 1000;

/** The lower bound of the first bucket. A shorter time counts as if it were in that bucket. */
const leastMs = 0.01;
/** A bucket ends 15 % above its beginning, so its middle is at most 7.2 % from any time in it. */
const bucketsPerDoubling = 5;
/** The last bucket ends at 22 minutes. */
const buckets = 27 * bucketsPerDoubling;

/** What was answered in a minute. */
interface Minute {
  /** Its number on the clock. */
  at: number;
  requests: number;
  failed: number;
  /** The number of requests in each bucket of times. */
  readonly times: Uint32Array;
}

/** The last minutes of a project: each is at its number modulo `minutesHeld`, and takes the place of the one before. */
type Ring = (Minute | undefined)[];

interface Project {
  readonly ring: Ring;
  /** The minute of the latest request. */
  latest: Minute;
}

/**
 * Counts the requests of each project in the last hour (docs/http.md#activity). Counting one takes less than 0.1 µs and
 * allocates nothing, except in the first hour of a project: memory for each minute.
 *
 * If there are more projects than `limit`, the one that has had no request for the longest time, to the minute, is
 * forgotten.
 */
export class ProjectActivity {
  /** In the order of their latest minutes. */
  private readonly projects = new Map<string, Project>();

  constructor(
    private readonly monotonicMs: () => number,
    private readonly limit = maxProjects,
  ) {}

  /** Counts a request that was answered with this status, at this time on the clock of `performance.now()`. */
  count(name: string, status: number, durationMs: number, endedMs: number): void {
    const at = Math.floor(endedMs / minuteMs);
    const project = this.projects.get(name);
    const minute = project?.latest.at === at ? project.latest : this.begin(name, project, at);
    minute.requests++;
    if (status >= 500) minute.failed++;
    minute.times[bucketOf(durationMs)]!++;
  }

  /** Gives what was counted for a project in this minute and the 59 before it. */
  of(name: string): Activity {
    const since = Math.floor(this.monotonicMs() / minuteMs) - minutesHeld;
    const times = new Float64Array(buckets);
    let requests = 0;
    let failed = 0;
    for (const minute of this.projects.get(name)?.ring ?? []) {
      if (minute === undefined || minute.at <= since) continue;
      requests += minute.requests;
      failed += minute.failed;
      for (const [bucket, count] of minute.times.entries()) times[bucket]! += count;
    }
    const counted = { minutes: minutesHeld, requests, failed };
    if (requests === 0) return counted;
    return { ...counted, p50_ms: percentile(times, requests, 50), p99_ms: percentile(times, requests, 99) };
  }

  /** Begins a minute of a project, which becomes the last in the order. */
  private begin(name: string, known: Project | undefined, at: number): Minute {
    const ring = known?.ring ?? new Array<undefined>(minutesHeld).fill(undefined);
    const slot = at % minutesHeld;
    const minute = ring[slot] ?? { at, requests: 0, failed: 0, times: new Uint32Array(buckets) };
    if (minute.at !== at) {
      minute.at = at;
      minute.requests = 0;
      minute.failed = 0;
      minute.times.fill(0);
    }
    ring[slot] = minute;
    const project: Project = known ?? { ring, latest: minute };
    project.latest = minute;
    this.projects.delete(name);
    if (this.projects.size >= this.limit) {
      const [longestIdle = ''] = this.projects.keys();
      this.projects.delete(longestIdle);
    }
    this.projects.set(name, project);
    return minute;
  }
}

function bucketOf(ms: number): number {
  if (!(ms > leastMs)) return 0;
  return Math.min(Math.floor(Math.log2(ms / leastMs) * bucketsPerDoubling), buckets - 1);
}

/** The middle of the bucket with the time that so many of 100 requests took at most, in milliseconds. */
function percentile(times: Float64Array, requests: number, percent: number): number {
  let left = Math.ceil((requests * percent) / 100);
  const bucket = times.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return Number((leastMs * 2 ** ((bucket + 0.5) / bucketsPerDoubling)).toPrecision(3));
}
