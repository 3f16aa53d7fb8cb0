import assert from 'node:assert/strict';
import { beforeEach, describe, mock, test } from 'node:test';
import { anyone, BufferBudget, type Hold } from '../../../src/http/memory/buffer-budget.js';
import { Abandoned, RequestError } from '../../../src/request-error.js';

const mib = 1024 * 1024;
const is429 = (cause: unknown) => cause instanceof RequestError && cause.status === 429;

describe('the budget of bytes held for clients', () => {
  let nowMs: number;
  let budget: BufferBudget;

  beforeEach(() => {
    nowMs = 0;
    budget = new BufferBudget(
      { maxBytes: 100 * mib, smallBytes: 192 * 1024, maxWaitMs: 15_000, maxWaiting: 64 },
      () => nowMs,
    );
  });

  async function reserve(bytes: number, client = anyone): Promise<Hold> {
    const hold = budget.hold(0, client);
    await budget.reserve(hold, bytes);
    return hold;
  }

  const of = (project: string) => ({ ...anyone, project });
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  /** Lets the clock of the budget and its timer pass together. */
  async function pass(ms: number): Promise<void> {
    nowMs += ms;
    mock.timers.tick(ms);
    await Promise.resolve();
  }

  test('large clients share three quarters, and small ones the rest', async () => {
    await reserve(70 * mib);
    assert.equal(budget.hasRoomFor(6 * mib), false);
    assert.equal(budget.hasRoomFor(5 * mib), true);
    await reserve(5 * mib);
    for (let n = 0; n < 200; n++) assert.equal(budget.hold(0).tryGrow(mib / 8), true);
    assert.equal(budget.hold(0).tryGrow(mib / 8), false);
  });

  test('a hold that grows in small steps counts as a large one', () => {
    const hold = budget.hold(0);
    let steps = 0;
    while (hold.tryGrow(mib / 8)) steps++;
    assert.equal(steps, 600);
  });

  test('clients that wait are admitted in their order as soon as there is room', async () => {
    const first = await reserve(60 * mib);
    const admitted: string[] = [];
    const second = reserve(50 * mib).then(() => admitted.push('second'));
    const third = reserve(mib).then(() => admitted.push('third'));
    await nextTurn();
    assert.deepEqual(admitted, [], 'the third does not overtake the second');
    first.release();
    await Promise.all([second, third]);
    assert.deepEqual(admitted, ['second', 'third']);
  });

  test('what becomes free goes to those who are still there', async () => {
    const first = await reserve(60 * mib);
    const gone = { ...anyone, isAbandoned: false };
    const left = assert.rejects(reserve(60 * mib, gone), Abandoned);
    let isAdmitted = false;
    const next = reserve(70 * mib).then(() => {
      isAdmitted = true;
    });
    await nextTurn();
    gone.isAbandoned = true;
    first.release();
    await nextTurn();
    assert.ok(isAdmitted);
    await Promise.all([left, next]);
    assert.equal(budget.state().heldBytes, 70 * mib);
  });

  test('projects that wait take turns', async () => {
    const first = await reserve(75 * mib);
    const admitted: string[] = [];
    const wait = async (project: string) => {
      const hold = await reserve(70 * mib, of(project));
      admitted.push(project);
      await nextTurn();
      hold.release();
    };
    const all = [...Array(5).fill('busy'), 'other'].map(wait);
    first.release();
    await Promise.all(all);
    assert.deepEqual(admitted, ['busy', 'other', 'busy', 'busy', 'busy', 'busy']);
  });

  test('small ones that find no room are admitted before large ones', async () => {
    const first = await reserve(75 * mib);
    const holds = Array.from({ length: 200 }, () => budget.hold(mib / 8));
    const admitted: string[] = [];
    const large = reserve(mib).then(() => admitted.push('large'));
    const small = reserve(mib / 8).then(() => admitted.push('small'));
    await nextTurn();
    assert.deepEqual(budget.state(), { heldBytes: 100 * mib, waitingRequests: 2 });
    holds[0]?.release();
    await small;
    assert.deepEqual(admitted, ['small']);
    first.release();
    await large;
  });

  test('a client that leaves does not wait', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const first = await reserve(75 * mib);
      const client = { ...anyone, isAbandoned: false };
      const left = assert.rejects(reserve(mib, client), (cause) => cause instanceof Abandoned);
      const stays = reserve(mib);
      client.isAbandoned = true;
      await pass(250);
      await left;
      assert.equal(budget.state().waitingRequests, 1);
      first.release();
      await stays;
    } finally {
      mock.timers.reset();
    }
  });

  test('the 65th client of a project that waits is refused at once, and one of another is not', async () => {
    const first = await reserve(75 * mib);
    const waiting = Array.from({ length: 64 }, () => reserve(mib, of('busy')));
    await assert.rejects(reserve(mib, of('busy')), is429);
    waiting.push(reserve(mib, of('other')));
    first.release();
    await Promise.all(waiting);
  });

  test('a client that waits for 15 seconds is refused', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      await reserve(75 * mib);
      const refused = assert.rejects(reserve(mib), is429);
      await pass(15_000);
      await pass(250);
      await refused;
    } finally {
      mock.timers.reset();
    }
  });

  test('of those that wait for what the others hold, the project with the most gives up its last', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const holds = await Promise.all([
        reserve(30 * mib, of('much')),
        reserve(30 * mib, of('much')),
        reserve(10 * mib, of('little')),
      ]);
      const [first, , little] = holds as [Hold, Hold, Hold];
      const ended: string[] = [];
      const grow = async (name: string, hold: Hold) => {
        try {
          await budget.reserve(hold, 20 * mib);
          ended.push(`${name} went on`);
        } catch (cause) {
          assert.ok(is429(cause));
          ended.push(`${name} gave up`);
        }
      };
      for (const [n, hold] of holds.entries()) {
        void grow(['first', 'second', 'little'][n] as string, hold);
        nowMs++;
      }
      await nextTurn();
      assert.deepEqual(ended, [], 'all of them wait');
      await pass(250);
      await nextTurn();
      assert.deepEqual(ended.toSorted(), ['first went on', 'second gave up']);
      // Now it waits for one that can end.
      await pass(1000);
      first.release();
      await nextTurn();
      assert.equal(ended.at(-1), 'little went on');
      little.release();
      assert.equal(budget.state().heldBytes, 0);
    } finally {
      mock.timers.reset();
    }
  });

  test('nobody gives up while one that does not wait may make room', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const active = await reserve(50 * mib);
      const [a, b] = [await reserve(10 * mib), await reserve(10 * mib)];
      const grown = Promise.all([budget.reserve(a, 20 * mib), budget.reserve(b, 20 * mib)]);
      await pass(5000);
      active.release();
      await grown;
      assert.equal(budget.state().heldBytes, 60 * mib);
    } finally {
      mock.timers.reset();
    }
  });

  test('a client that has stalled for 10 seconds is ended when others need its room, the oldest first', async () => {
    const ended: string[] = [];
    const holds = [await reserve(30 * mib), await reserve(30 * mib)];
    for (const [index, hold] of holds.entries()) hold.waitForClient(() => ended.push(`hold ${index}`));
    const busy = await reserve(15 * mib);
    nowMs = 9_999;
    assert.equal(budget.hasRoomFor(mib), false);
    nowMs = 10_001;
    assert.equal(budget.hasRoomFor(mib), true);
    assert.deepEqual(ended, ['hold 0']);
    assert.equal(budget.hasRoomFor(61 * mib), false, 'the server works for the third: it is not ended');
    assert.deepEqual(ended, ['hold 0', 'hold 1']);
    assert.equal(busy.bytes, 15 * mib);
  });

  test('what is released twice is counted once', async () => {
    const hold = await reserve(75 * mib);
    hold.release();
    hold.release();
    await reserve(75 * mib);
    assert.equal(budget.hasRoomFor(mib), false);
  });
});
