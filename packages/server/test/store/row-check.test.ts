import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { VerifyPace } from '../../src/engines/item-store.js';
import type { RowDamage } from '../../src/engines/storage-errors.js';
import { createRowCheck } from '../../src/store/row-check.js';

const dayMs = 24 * 60 * 60 * 1000;
const tickMs = 1000;
const place: RowDamage = { file: '/data/rows/000005.ldb', offset: 7, problem: 'it is wrong' };

type Verify = (pace?: VerifyPace) => AsyncIterable<RowDamage>;

/** A check over an engine that finds this. A clock of its own runs by hand. */
function checkOf(t: TestContext, verify: Verify | undefined) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const found: object[] = [];
  const logged: string[] = [];
  let [now, reads] = [0, 0];
  const check = createRowCheck({
    items: { verify, reads: () => reads },
    log: { error: (_fields: object, message: string) => logged.push(message) },
    onDamage: (damage) => found.push(damage),
    monotonicMs: () => now,
  });
  check.start();
  return {
    check,
    found,
    logged,
    read: () => reads++,
    async pass(ms: number) {
      now += ms;
      t.mock.timers.tick(tickMs);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('files are compared again while rows are read from them, and everything once a day', async (t) => {
  const runs: (boolean | undefined)[] = [];
  const { check, found, pass, read } = checkOf(t, async function* (pace) {
    runs.push(pace?.filesOnly);
    if (runs.length === 2) yield place;
  });
  assert.deepEqual(runs, []);
  await pass(tickMs);
  assert.deepEqual(runs, [true], 'opening may have relied on earlier comparisons');
  await pass(tickMs);
  assert.deepEqual(runs, [true], 'nobody has read since');
  assert.deepEqual(found, []);
  read();
  await pass(tickMs);
  assert.deepEqual(found, [place]);
  await pass(dayMs);
  assert.deepEqual(runs, [true, true, false]);
  await check.stop();
  read();
  await pass(dayMs);
  assert.equal(runs.length, 3);
});

test('a comparison rests for 199 times as long as it takes, and stops in the middle of a rest', async (t) => {
  let steps = 0;
  const { check, pass, read } = checkOf(t, async function* (pace) {
    yield* [];
    while (pace?.mayContinue?.()) {
      steps++;
      // The clock stands still: this is the time of the step.
      if (steps === 3) await pass(1_000_000);
      await pace.rest?.();
    }
  });
  read();
  await pass(tickMs);
  while (steps < 3) await new Promise((resolve) => setImmediate(resolve));
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(steps, 3, 'it rests');
  await check.stop();
});

test('a check that fails is logged and repeated; an engine without checksums is left alone', async (t) => {
  const { check, logged, pass } = checkOf(t, () => {
    throw new Error('no disk');
  });
  for (const runs of [1, 2]) {
    await pass(dayMs);
    assert.equal(logged.length, runs);
  }
  await check.stop();
  t.mock.timers.reset();
  const none = checkOf(t, undefined);
  await none.pass(dayMs);
  await none.check.stop();
  assert.deepEqual(none.logged, []);
});
