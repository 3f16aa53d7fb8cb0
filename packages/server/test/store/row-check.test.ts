import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RowDamage } from '../../src/engines/storage-errors.js';
import { createRowCheck } from '../../src/store/row-check.js';

const dayMs = 24 * 60 * 60 * 1000;
const minuteMs = 60_000;

/** A check over an engine that finds this, and what it has logged. A clock of its own runs by hand. */
function checkOf(verify: (() => AsyncIterable<RowDamage>) | undefined) {
  const logged: [fields: object, message: string][] = [];
  let now = 0;
  const error = (fields: object, message: string) => logged.push([fields, message]);
  const check = createRowCheck({ items: { verify }, log: { info() {}, error }, monotonicMs: () => now });
  return {
    check,
    logged,
    pass(ms: number) {
      now += ms;
    },
  };
}

test('rows are checked a day after the start, and every day, and each damaged place is logged', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let runs = 0;
  const { check, logged, pass } = checkOf(async function* () {
    runs++;
    if (runs === 2) yield { file: '/data/rows/000005.ldb', offset: 7, problem: 'it is wrong' };
  });
  check.start();
  const tick = async () => {
    t.mock.timers.tick(minuteMs);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await tick();
  assert.equal(runs, 0, 'opening has checked them');
  pass(dayMs);
  await tick();
  await tick();
  assert.equal(runs, 1);
  assert.deepEqual(logged, []);
  pass(dayMs);
  await tick();
  assert.deepEqual(logged, [
    [{ file: '000005.ldb', offset: 7, problem: 'it is wrong' }, 'the rows are damaged'],
  ]);
  await check.stop();
  pass(dayMs);
  await tick();
  assert.equal(runs, 2);
});

test('a check that fails is logged and repeated; an engine without checksums is left alone', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { check, logged, pass } = checkOf(() => {
    throw new Error('no disk');
  });
  check.start();
  for (const runs of [1, 2]) {
    pass(dayMs);
    t.mock.timers.tick(minuteMs);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(logged.length, runs);
  }
  await check.stop();
  const none = checkOf(undefined);
  none.check.start();
  none.pass(dayMs);
  t.mock.timers.tick(minuteMs);
  await none.check.stop();
  assert.deepEqual(none.logged, []);
});
