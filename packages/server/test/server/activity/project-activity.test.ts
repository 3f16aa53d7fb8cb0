import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ProjectActivity } from '../../../src/server/activity/project-activity.js';

const minuteMs = 60_000;
/** docs/http.md#activity */
const precision = 0.08;

/** Counts on a clock that the test moves. */
function start(limit?: number) {
  let nowMs = 1234.5;
  const activity = new ProjectActivity(() => nowMs, limit);
  return {
    activity,
    pass: (minutes: number) => {
      nowMs += minutes * minuteMs;
    },
    answer: (project: string, requests: number, { status = 200, ms = 1 } = {}) => {
      for (let n = 0; n < requests; n++) activity.count(project, status, ms, nowMs);
    },
    requestsOf: (project: string) => activity.of(project).requests,
  };
}

/** The time that so many of 100 requests took at most. */
function exactPercentile(times: readonly number[], percent: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN;
}

function assertNear(shown: number | undefined, exact: number): void {
  assert.ok(shown !== undefined && Math.abs(shown / exact - 1) <= precision, `${shown} instead of ${exact}`);
}

describe('the activity of a project', () => {
  test('has no times without requests', () => {
    assert.deepEqual(start().activity.of('a'), { minutes: 60, requests: 0, failed: 0 });
  });

  test('says how many requests failed: those with 500 and more', () => {
    const { activity, answer } = start();
    for (const status of [200, 304, 404, 499, 500, 503]) answer('a', 1, { status });
    const { requests, failed } = activity.of('a');
    assert.deepEqual({ requests, failed }, { requests: 6, failed: 2 });
  });

  test('counts a minute until 60 minutes later, with its failures and times', () => {
    const { activity, answer, pass, requestsOf } = start();
    answer('a', 3, { status: 500, ms: 1000 });
    pass(1);
    answer('a', 4);
    pass(58);
    assert.equal(requestsOf('a'), 7);
    pass(1);
    assert.deepEqual(activity.of('a'), { ...activity.of('a'), requests: 4, failed: 0 });
    assertNear(activity.of('a').p99_ms, 1);
    pass(1);
    assert.deepEqual(activity.of('a'), { minutes: 60, requests: 0, failed: 0 });
  });

  test('uses the memory of a minute again without what was counted in it', () => {
    const { activity, answer, pass } = start();
    answer('a', 5, { status: 500, ms: 3 });
    pass(60);
    answer('a', 2, { ms: 1000 });
    const { requests, failed, p50_ms } = activity.of('a');
    assert.deepEqual({ requests, failed }, { requests: 2, failed: 0 });
    assertNear(p50_ms, 1000);
  });

  test('is the sum of the last 60 minutes, however requests and pauses follow each other', () => {
    const step = fc.record({
      minutes: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 130 })),
      requests: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { answer, pass, requestsOf } = start();
        const counted: { at: number; requests: number }[] = [];
        let now = 0;
        for (const { minutes, requests } of steps) {
          pass(minutes);
          now += minutes;
          answer('a', requests);
          counted.push({ at: now, requests });
          const expected = counted
            .filter(({ at }) => at > now - 60)
            .reduce((sum, one) => sum + one.requests, 0);
          assert.equal(requestsOf('a'), expected);
        }
      }),
    );
  });

  test('has percentiles within 8 % of the exact ones', () => {
    const exponent = fc.double({ min: -2, max: Math.log10(20 * 60_000), noNaN: true });
    const times = fc.array(
      exponent.map((power) => 10 ** power),
      { minLength: 1, maxLength: 300 },
    );
    fc.assert(
      fc.property(times, (given) => {
        const { activity, answer } = start();
        for (const ms of given) answer('a', 1, { ms });
        const { p50_ms, p99_ms } = activity.of('a');
        assertNear(p50_ms, exactPercentile(given, 50));
        assertNear(p99_ms, exactPercentile(given, 99));
      }),
    );
  });

  test('counts times beyond the bounds as the bounds', () => {
    const { activity, answer } = start();
    answer('a', 60, { ms: 0 });
    answer('a', 40, { ms: 1e9 });
    const { p50_ms = Number.NaN, p99_ms = Number.NaN } = activity.of('a');
    assertNear(p50_ms, 0.01);
    assert.ok(p99_ms > 20 * minuteMs, String(p99_ms));
  });

  test('is its own only', () => {
    const { activity, answer } = start();
    answer('a', 2, { ms: 1 });
    answer('b', 3, { ms: 100, status: 500 });
    assert.deepEqual([activity.of('a').requests, activity.of('a').failed], [2, 0]);
    assertNear(activity.of('a').p99_ms, 1);
    assert.deepEqual([activity.of('b').requests, activity.of('b').failed], [3, 3]);
    assertNear(activity.of('b').p50_ms, 100);
  });

  test('is forgotten first where requests stopped first, once there are too many projects', () => {
    const { answer, pass, requestsOf } = start(3);
    for (const project of ['a', 'b', 'c']) answer(project, 1);
    pass(1);
    answer('b', 1);
    assert.deepEqual(['a', 'b', 'c'].map(requestsOf), [1, 2, 1]);
    answer('d', 1);
    assert.deepEqual(['a', 'b', 'c', 'd'].map(requestsOf), [0, 2, 1, 1]);
    pass(1);
    answer('c', 1);
    answer('e', 1);
    assert.deepEqual(['b', 'c', 'd', 'e'].map(requestsOf), [0, 2, 1, 1]);
  });

  test('is kept for 1,000 projects', () => {
    const { answer, requestsOf } = start();
    const names = Array.from({ length: 1001 }, (_, n) => `p${n}`);
    for (const name of names) answer(name, 1);
    assert.deepEqual(names.map(requestsOf), [0, ...names.slice(1).map(() => 1)]);
  });
});

describe('the activity of a project in points', () => {
  /** Seconds of the clock itself. */
  const secondsAt = (ms: number) => ms / 1000;

  test('has a point for each minute with requests, and one for each quarter of an hour', () => {
    const { activity, answer, pass } = start();
    answer('a', 2, { status: 404 });
    answer('a', 1, { status: 500 });
    pass(3);
    answer('a', 4, { ms: 1000 });
    pass(20);
    answer('a', 5);
    const { hour, day } = activity.pointsOf('a', secondsAt);
    const short = (points: readonly { at: number; requests: number; refused: number; failed: number }[]) =>
      points.map(({ at, requests, refused, failed }) => [at / 60, requests, refused, failed]);
    assert.deepEqual(short(hour), [
      [0, 3, 2, 1],
      [3, 4, 0, 0],
      [23, 5, 0, 0],
    ]);
    assert.deepEqual(short(day), [
      [0, 7, 2, 1],
      [15, 5, 0, 0],
    ]);
    assertNear(day[0]?.p99_ms, 1000);
    assert.deepEqual(activity.pointsOf('b', secondsAt), { hour: [], day: [] });
  });

  test('of the last day is the sum of 96 quarters, however requests and pauses follow each other', () => {
    const step = fc.record({
      minutes: fc.integer({ min: 0, max: 200 }),
      requests: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { activity, answer, pass } = start();
        const counted: { quarter: number; requests: number }[] = [];
        let now = 0;
        for (const { minutes, requests } of steps) {
          pass(minutes);
          now += minutes;
          answer('a', requests);
          counted.push({ quarter: Math.floor(now / 15), requests });
          const expected = counted
            .filter(({ quarter }) => quarter > Math.floor(now / 15) - 96)
            .reduce((sum, one) => sum + one.requests, 0);
          const { day } = activity.pointsOf('a', secondsAt);
          assert.equal(
            day.reduce((sum, point) => sum + point.requests, 0),
            expected,
          );
          assert.ok(day.length <= 96);
        }
      }),
    );
  });

  test('knows which projects had a request since', () => {
    const { activity, answer, pass } = start();
    answer('a', 1);
    pass(2);
    answer('b', 1);
    assert.deepEqual(activity.activeSince(0), ['a', 'b']);
    assert.deepEqual(activity.activeSince(2 * minuteMs), ['b']);
  });
});
