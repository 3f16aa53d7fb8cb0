import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RateLimiter } from '../../src/access/rate-limiter.js';

test('a second of requests is admitted at once, then one whenever its time has come', () => {
  const rate = new RateLimiter(4);
  const at = (ms: number) => rate.take(1_000_000 + ms);
  assert.deepEqual([at(0), at(0), at(0), at(0), at(0)], [0, 0, 0, 0, 1]);
  assert.equal(at(249), 1);
  assert.equal(at(250), 0);
  assert.equal(at(250), 1);
  // A long pause saves up one second, not more.
  assert.deepEqual([at(60_000), at(60_000), at(60_000), at(60_000), at(60_000)], [0, 0, 0, 0, 1]);
});

test('a rate below one admits one request, and says how many seconds to wait', () => {
  const rate = new RateLimiter(0.01);
  assert.equal(rate.take(0), 0);
  assert.equal(rate.take(0), 100);
  assert.equal(rate.take(98_500), 2);
  assert.equal(rate.take(99_999), 1);
  assert.equal(rate.take(100_000), 0);
});

test('whatever the times, never more than the rate and one second are admitted; who waits as told is admitted', () => {
  const perSecond = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.double({ min: 0.01, max: 50, noNaN: true }));
  const pauses = fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(perSecond, pauses, (requestsPerSecond, pausesMs) => {
      const rate = new RateLimiter(requestsPerSecond);
      let nowMs = 5000;
      let admitted = 0;
      let waitSeconds = 0;
      for (const pauseMs of pausesMs) {
        nowMs += pauseMs;
        waitSeconds = rate.take(nowMs);
        if (waitSeconds === 0) admitted++;
        else assert.ok(Number.isInteger(waitSeconds) && waitSeconds >= 1);
      }
      const seconds = (nowMs - 5000) / 1000;
      assert.ok(admitted <= requestsPerSecond * seconds + Math.max(1, requestsPerSecond) + 1e-6);
      if (waitSeconds > 0) assert.equal(rate.take(nowMs + waitSeconds * 1000 + 1), 0);
    }),
  );
});
