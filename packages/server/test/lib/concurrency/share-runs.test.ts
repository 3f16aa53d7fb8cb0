import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareRuns } from '../../../src/lib/concurrency/share-runs.js';

test('calls during a run share the next one, which begins after all of them', async () => {
  const ends: ((result: number) => void)[] = [];
  const run = shareRuns(() => new Promise<number>((resolve) => void ends.push(resolve)));
  const first = run();
  const others = Array.from({ length: 100 }, () => run());
  assert.equal(ends.length, 1, 'one run at a time');
  ends[0]?.(1);
  assert.equal(await first, 1);
  await new Promise(setImmediate);
  assert.equal(ends.length, 2);
  const late = run();
  ends[1]?.(2);
  assert.deepEqual(new Set(await Promise.all(others)), new Set([2]));
  await new Promise(setImmediate);
  assert.equal(ends.length, 3, 'a call during the second run needs a third');
  ends[2]?.(3);
  assert.equal(await late, 3);
  void run();
  assert.equal(ends.length, 4, 'with nothing in progress, a run begins at once');
});

test('a run that fails fails for its callers only', async () => {
  let runs = 0;
  const run = shareRuns(async () => {
    if (++runs === 1) throw new Error('first');
    return runs;
  });
  const [first, second] = await Promise.allSettled([run(), run()]);
  assert.equal(first?.status, 'rejected');
  assert.deepEqual(second, { status: 'fulfilled', value: 2 });
});
