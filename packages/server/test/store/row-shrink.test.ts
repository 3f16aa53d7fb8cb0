import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { ShrinkPace } from '../../src/engines/item-store.js';
import { createRowShrink } from '../../src/store/row-shrink.js';
import { createGate } from '../support/gate.js';

const lookEveryMs = 1000;

/** A shrink that a test follows, and a clock that it moves. */
function watched(shrink: (pace?: ShrinkPace) => Promise<void>) {
  let nowMs = 0;
  const errors: unknown[] = [];
  const log = { error: (fields: object) => void errors.push(fields) };
  const rowShrink = createRowShrink({ items: { shrink }, log, monotonicMs: () => nowMs });
  return {
    ...rowShrink,
    errors,
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= lookEveryMs) {
        nowMs += Math.min(left, lookEveryMs);
        mock.timers.tick(Math.min(left, lookEveryMs));
        await turn();
      }
    },
  };
}

describe('giving back the space of deleted rows', { concurrency: 1 }, () => {
  test('goes on every second, never twice at once', async (t) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    t.after(() => mock.timers.reset());
    const gate = createGate();
    let calls = 0;
    const { start, stop, pass } = watched(() => (++calls === 3 ? gate.passed : Promise.resolve()));
    start();
    await pass(10_000);
    assert.equal(calls, 3);
    gate.open();
    await turn();
    await pass(2000);
    assert.equal(calls, 5);
    await stop();
    await pass(5000);
    assert.equal(calls, 5);
  });

  test('is tried again a minute after a failure, which is logged', async (t) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    t.after(() => mock.timers.reset());
    let calls = 0;
    const { start, stop, pass, errors } = watched(async () => {
      calls++;
      throw new Error('no room');
    });
    start();
    await pass(60_000);
    assert.deepEqual([calls, errors.length], [1, 1]);
    await pass(2000);
    assert.deepEqual([calls, errors.length], [2, 2]);
    await stop();
  });

  test('takes a twentieth of the time, and a stop ends its rest', async (t) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    t.after(() => mock.timers.reset());
    let nowMs = 0;
    let rested = false;
    const began = createGate();
    const shrink = async ({ rest, mayContinue }: ShrinkPace = {}) => {
      nowMs += 1_000_000;
      began.open();
      await rest?.();
      rested = true;
      assert.equal(mayContinue?.(), false);
    };
    const log = { error: assert.fail };
    const { start, stop } = createRowShrink({ items: { shrink }, log, monotonicMs: () => nowMs });
    start();
    mock.timers.tick(lookEveryMs);
    await began.passed;
    for (let turns = 0; turns < 100; turns++) await turn();
    assert.equal(rested, false);
    await stop();
    assert.equal(rested, true);
  });

  test('does nothing for an engine that does so by itself', async () => {
    const { start, stop } = createRowShrink({ items: {}, log: { error: assert.fail } });
    start();
    await stop();
  });
});
