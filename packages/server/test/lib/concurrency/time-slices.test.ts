import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  freeing,
  type Room,
  runAtOnce,
  runInSlices,
  type Steps,
} from '../../../src/lib/concurrency/time-slices.js';
import { turnsDuring } from '../../support/event-loop.js';

const stepMs = 0.2;

/** Ahead of the real clock, and never set back: a slice that has begun must end. */
const clock = { nowMs: performance.now() + 1_000_000 };

/** Lets only the steps of `busy` move the clock: however slow the machine is, work takes the time that it says. */
function useStepClock(context: TestContext): void {
  context.mock.method(performance, 'now', () => clock.nowMs);
}

/** Work that takes `forMs`, in steps of a fraction of one. */
function* busy(forMs: number): Steps<void> {
  for (let left = forMs; left > 0; left -= stepMs) {
    clock.nowMs += stepMs;
    yield;
  }
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

test('long work lets the event loop come round between its slices', async (context) => {
  useStepClock(context);
  const turns = await turnsDuring(() => runInSlices(busy(200)));
  assert.ok(turns >= 35, `others had ${turns} turns in 200 ms`);
});

test('many pieces of long work share one slice in each turn', async (context) => {
  useStepClock(context);
  const pieces = Array.from({ length: 10 }, () => busy(40));
  const turns = await turnsDuring(() => Promise.all(pieces.map((piece) => runInSlices(piece))));
  const perTurnMs = 400 / turns;
  assert.ok(perTurnMs < 8, `a turn took ${perTurnMs} ms`);
});

test('short work does not wait for long work', async (context) => {
  useStepClock(context);
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

// biome-ignore lint/correctness/useYield: it is over before its first pause
function* short<T>(result: T): Steps<T> {
  clock.nowMs += 2 * stepMs;
  return result;
}

test('many pieces of short work in one turn are long work', async (context) => {
  useStepClock(context);
  const numbers = Array.from({ length: 1000 }, (_, number) => number);
  const ended: number[] = [];
  const turns = await turnsDuring(() =>
    Promise.all(numbers.map(async (number) => void ended.push(await runInSlices(short(number))))),
  );
  assert.ok(turns >= 15, `others had ${turns} turns in 400 ms`);
  assert.deepEqual(ended, numbers);
});

test('long work goes on while more short work comes in every turn than fits into one', async (context) => {
  useStepClock(context);
  let isOver = false;
  const long = Promise.all([busy(50), busy(50)].map((work) => runInSlices(work))).then(() => {
    isOver = true;
  });
  const shorts: unknown[] = [];
  let turns = 0;
  for (; !isOver && turns < 100; turns++) {
    for (let n = 0; n < 100; n++) shorts.push(runInSlices(short(n)));
    await new Promise(setImmediate);
  }
  assert.ok(turns < 50, `after ${turns} turns`);
  await Promise.all([long, ...shorts]);
});

/** A room that admits work at once, or when the test says so. */
class TestRoom implements Room {
  bytes = 0;
  isWanted = true;
  readonly waiting: (() => void)[] = [];

  constructor(private readonly hasRoom = true) {}

  grow(bytes: number): Promise<void> | undefined {
    this.bytes += bytes;
    return this.hasRoom ? undefined : new Promise((resolve) => this.waiting.push(resolve));
  }

  check(): void {
    if (!this.isWanted) throw new Error('nobody wants it');
  }
}

function* needing(bytes: number, forMs = 0): Steps<string> {
  yield bytes;
  yield* busy(forMs);
  return 'done';
}

test('work that has room goes on at once', () => {
  const room = new TestRoom();
  assert.equal(runInSlices(needing(10), room), 'done');
  assert.equal(runInSlices(needing(5), room), 'done');
  assert.equal(room.bytes, 15);
  assert.equal(runAtOnce(needing(10)), 'done');
});

test('work waits for its memory, and others do not wait for it', async () => {
  const room = new TestRoom(false);
  const ended: string[] = [];
  const large = Promise.resolve(runInSlices(needing(10), room)).then(() => ended.push('large'));
  // The second one needs it after its first pause.
  const late = Promise.resolve(
    runInSlices(
      (function* () {
        yield* busy(20);
        yield* needing(10);
      })(),
      room,
    ),
  ).then(() => ended.push('late'));
  const other = Promise.resolve(runInSlices(busy(50))).then(() => ended.push('other'));
  await other;
  while (room.waiting.length < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(ended, ['other']);
  for (const admit of room.waiting) admit();
  await Promise.all([large, late]);
});

test('work ends before its next step when nobody wants it any more', async (context) => {
  useStepClock(context);
  const room = new TestRoom();
  let steps = 0;
  const work = runInSlices(
    (function* () {
      for (;;) {
        clock.nowMs += stepMs;
        if (++steps === 100) room.isWanted = false;
        yield;
      }
    })(),
    room,
  );
  await assert.rejects(async () => work, /nobody wants it/);
  assert.equal(steps, 100);
});

test('work that must wait for its turn is not refused before it has begun', async (context) => {
  useStepClock(context);
  const room = new TestRoom();
  const numbers = Array.from({ length: 1000 }, (_, number) => number);
  const all = numbers.map(async (number) => runInSlices(short(number), room));
  const long = runInSlices(busy(50), room);
  room.isWanted = false;
  assert.deepEqual(await Promise.all(all), numbers);
  await assert.rejects(async () => long, /nobody wants it/);
});

test('what was needed by work that is over, or has failed, is free', () => {
  const room = new TestRoom();
  assert.equal(runInSlices(freeing(needing(10)), room), 'done');
  assert.equal(room.bytes, 0);
  const failing = freeing(
    (function* (): Steps<void> {
      yield* needing(10);
      yield 5;
      assert.equal(room.bytes, 15);
      throw new Error('no more');
    })(),
  );
  assert.throws(() => runInSlices(failing, room), /no more/);
  assert.equal(room.bytes, 0);
});

test('what a step throws is thrown, in the first slice and later', async (context) => {
  useStepClock(context);
  function* failing(afterMs: number): Steps<void> {
    yield* busy(afterMs);
    throw new Error('no more');
  }
  assert.throws(() => runInSlices(failing(0)), /no more/);
  await assert.rejects(async () => runInSlices(failing(30)), /no more/);
  assert.throws(() => runAtOnce(failing(0)), /no more/);
  const many = Array.from({ length: 100 }, async () => runInSlices(failing(1)));
  assert.equal((await Promise.allSettled(many)).filter(({ status }) => status === 'rejected').length, 100);
});
