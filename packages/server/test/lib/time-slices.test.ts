import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAtOnce, runInSlices, type Steps } from '../../src/lib/time-slices.js';
import { turnsDuring } from '../support/event-loop.js';

/** Is busy for the time, in steps of a fraction of a millisecond. */
function* busy(forMs: number): Steps<number> {
  const beganMs = performance.now();
  let steps = 0;
  while (performance.now() - beganMs < forMs) {
    const stepEndsMs = performance.now() + 0.2;
    while (performance.now() < stepEndsMs) steps++;
    yield;
  }
  return steps;
}

test('short work is done at once, and gives its result without a promise', () => {
  assert.equal(
    runInSlices(
      (function* () {
        yield;
        return 'done';
      })(),
    ),
    'done',
  );
});

test('long work lets the event loop come round between its slices', async () => {
  const turns = await turnsDuring(() => runInSlices(busy(200)));
  assert.ok(turns >= 10, `others had ${turns} turns`);
});

test('many pieces of long work share one slice in each turn', async () => {
  const beganMs = performance.now();
  const turns = await turnsDuring(() => Promise.all(Array.from({ length: 10 }, () => runInSlices(busy(40)))));
  const perTurnMs = (performance.now() - beganMs) / turns;
  assert.ok(perTurnMs < 20, `a turn took ${perTurnMs} ms`);
});

test('short work does not wait for long work', async () => {
  const long = [busy(50), busy(50)].map((work) => runInSlices(work));
  const short = runInSlices(
    // biome-ignore lint/correctness/useYield: it is over before its first pause
    (function* () {
      return 1;
    })(),
  );
  assert.equal(short, 1);
  await Promise.all(long);
});

test('what a step throws is thrown, in the first slice and later', async () => {
  function* failing(afterMs: number): Steps<void> {
    yield* busy(afterMs);
    throw new Error('no more');
  }
  assert.throws(() => runInSlices(failing(0)), /no more/);
  await assert.rejects(async () => runInSlices(failing(30)), /no more/);
  assert.throws(() => runAtOnce(failing(0)), /no more/);
});
