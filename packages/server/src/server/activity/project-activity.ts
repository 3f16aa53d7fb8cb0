import type { Activity, ActivityPoint } from '../../catalog/activity.js';
import { LatestRequests } from './latest-requests.js';
import { bucketOf, buckets, timesOf } from './times.js';

const minutesHeld = 60;
const minuteMs = 60_000;
/** A quarter of an hour: a point of the last day. */
const minutesPerQuarter = 15;
const quartersHeld = 96;
/** With 1,000 projects that are busy all the time, the counts take about 50 MB. */
const maxProjects = 1000;

/** What was answered in a minute. */
interface Minute {
  /** Its number on the clock. */
  at: number;
  requests: number;
  /** Those with 400 to 499. */
  refused: number;
  /** Those with 500 or more. */
  failed: number;
  /** The number of requests in each bucket of times. */
  readonly times: Uint32Array;
}

/** A quarter that is over. */
interface Quarter extends Omit<ActivityPoint, 'at'> {
  /** Its number on the clock. */
  readonly at: number;
}

interface Project {
  /** The last minutes: each is at its number modulo `minutesHeld`, and takes the place of the one before. */
  readonly minutes: (Minute | undefined)[];
  /** The same for the quarters before that of the latest request. */
  readonly quarters: (Quarter | undefined)[];
  /** The minute of the latest request. */
  latest: Minute;
  readonly requests: LatestRequests;
}

/** What was counted in the last hour and the last day: only the times in which there were requests. */
export interface ActivityPoints {
  /** Points of a minute. */
  readonly hour: readonly ActivityPoint[];
  /** Points of a quarter of an hour. */
  readonly day: readonly ActivityPoint[];
}

/**
 * Counts the requests of each project in the last hour and day (docs/http.md#activity). Counting one takes less than
 * 0.1 µs and allocates nothing, except in the first hour of a project: memory for each minute. The points of the day come
 * from the minutes: those of a quarter are added up once, when the next one begins.
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

  /**
   * Counts a request that was answered with this status, at this time on the clock of `performance.now()`. Gives the
   * latest requests of the project.
   */
  count(name: string, status: number, durationMs: number, endedMs: number): LatestRequests {
    const at = Math.floor(endedMs / minuteMs);
    let project = this.projects.get(name);
    if (project?.latest.at !== at) project = this.begin(name, project, at);
    const minute = project.latest;
    minute.requests++;
    if (status >= 500) minute.failed++;
    else if (status >= 400) minute.refused++;
    minute.times[bucketOf(durationMs)]!++;
    return project.requests;
  }

  /** Gives what was counted for a project in this minute and the 59 before it. */
  of(name: string): Activity {
    const { requests, failed, p50_ms, p99_ms } = sumOf(this.minutesOf(name));
    const counted = { minutes: minutesHeld, requests, failed };
    return p50_ms === undefined || p99_ms === undefined ? counted : { ...counted, p50_ms, p99_ms };
  }

  /** Gives the same as points, with those of the last day. `secondsAt` gives the time at a time of the clock. */
  pointsOf(name: string, secondsAt: (monotonicMs: number) => number): ActivityPoints {
    const project = this.projects.get(name);
    if (project === undefined) return { hour: [], day: [] };
    const hour = this.minutesOf(name)
      .toSorted((a, b) => a.at - b.at)
      .map((minute) => ({ ...sumOf([minute]), at: secondsAt(minute.at * minuteMs) }));
    const since = Math.floor(this.now() / minutesPerQuarter) - quartersHeld;
    const day = [...project.quarters, quarterOf(project)]
      .filter((quarter): quarter is Quarter => quarter !== undefined && quarter.at > since)
      .toSorted((a, b) => a.at - b.at)
      .map((quarter) => ({ ...quarter, at: secondsAt(quarter.at * minutesPerQuarter * minuteMs) }));
    return { hour, day };
  }

  latestOf(name: string): LatestRequests | undefined {
    return this.projects.get(name)?.requests;
  }

  /** The projects that had a request since this time of the clock. */
  activeSince(monotonicMs: number): string[] {
    const since = Math.floor(monotonicMs / minuteMs);
    return [...this.projects].flatMap(([name, { latest }]) => (latest.at >= since ? [name] : []));
  }

  private now(): number {
    return Math.floor(this.monotonicMs() / minuteMs);
  }

  private minutesOf(name: string): Minute[] {
    const since = this.now() - minutesHeld;
    const held = this.projects.get(name)?.minutes ?? [];
    return held.filter((minute) => minute !== undefined && minute.at > since) as Minute[];
  }

  /** Begins a minute of a project, which becomes the last in the order. */
  private begin(name: string, known: Project | undefined, at: number): Project {
    const minutes = known?.minutes ?? new Array<undefined>(minutesHeld).fill(undefined);
    const quarters = known?.quarters ?? new Array<undefined>(quartersHeld).fill(undefined);
    if (known !== undefined && quarterAt(known.latest.at) !== quarterAt(at)) {
      const quarter = quarterOf(known);
      quarters[quarter.at % quartersHeld] = quarter;
    }
    const slot = at % minutesHeld;
    const minute = minutes[slot] ?? {
      at,
      requests: 0,
      refused: 0,
      failed: 0,
      times: new Uint32Array(buckets),
    };
    if (minute.at !== at) {
      Object.assign(minute, { at, requests: 0, refused: 0, failed: 0 });
      minute.times.fill(0);
    }
    minutes[slot] = minute;
    const project: Project = known ?? { minutes, quarters, latest: minute, requests: new LatestRequests() };
    project.latest = minute;
    this.projects.delete(name);
    if (this.projects.size >= this.limit) {
      const [longestIdle = ''] = this.projects.keys();
      this.projects.delete(longestIdle);
    }
    this.projects.set(name, project);
    return project;
  }
}

const quarterAt = (minute: number) => Math.floor(minute / minutesPerQuarter);

/** What is known of the quarter of the latest request. Its minutes are all held: the ring is longer. */
function quarterOf({ minutes, latest }: Project): Quarter {
  const at = quarterAt(latest.at);
  const its = minutes.filter((minute) => minute !== undefined && quarterAt(minute.at) === at) as Minute[];
  return { ...sumOf(its), at };
}

function sumOf(minutes: readonly Minute[]): Omit<ActivityPoint, 'at'> {
  const times = new Float64Array(buckets);
  const sum = { requests: 0, refused: 0, failed: 0 };
  for (const { requests, refused, failed, times: ofMinute } of minutes) {
    sum.requests += requests;
    sum.refused += refused;
    sum.failed += failed;
    for (const [bucket, count] of ofMinute.entries()) times[bucket]! += count;
  }
  return { ...sum, ...timesOf(times, sum.requests) };
}
