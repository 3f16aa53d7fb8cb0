import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createFairSemaphores,
  createSemaphore,
  createSemaphores,
  createSharedSemaphores,
} from '../../../src/lib/concurrency/semaphore.js';

test('at most n run at a time, in the order of the calls; one that fails makes room too', async () => {
  const turns = createSemaphore(() => 2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = Array.from({ length: 6 }, (_, n) =>
    turns(async () => {
      begun.push(n);
      await new Promise<void>((resolve) => {
        ends[n] = resolve;
      });
      if (n === 0) throw new Error('failed');
      return n;
    }),
  );
  const settled = Promise.allSettled(work);
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  for (let n = 0; n < 6; n++) {
    await tick();
    assert.deepEqual(
      begun,
      Array.from({ length: Math.min(n + 2, 6) }, (_, index) => index),
    );
    ends[n]?.();
  }
  assert.deepEqual(
    (await settled).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed')),
    ['failed', 1, 2, 3, 4, 5],
  );
});

test('fewer or more at a time, from the next that comes or ends on', async () => {
  let atOnce = 2;
  const turns = createSemaphore(() => atOnce);
  const ends: (() => void)[] = [];
  const work = Array.from({ length: 5 }, () =>
    turns(() => new Promise<void>((resolve) => ends.push(resolve))),
  );
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  await tick();
  assert.equal(ends.length, 2);
  atOnce = 1;
  ends[0]?.();
  await tick();
  assert.equal(ends.length, 2);
  ends[1]?.();
  await tick();
  assert.equal(ends.length, 3);
  atOnce = 2;
  ends[2]?.();
  await tick();
  assert.equal(ends.length, 5);
  for (const end of ends) end();
  await Promise.all(work);
});

test('of a semaphore with an id, those who share it take turns; another id waits for none of them', async () => {
  const slots = createSemaphores(1);
  const begun: string[] = [];
  const run = (id: string, who: string) =>
    slots(
      id,
      who,
    )(async () => {
      begun.push(id + who);
      await new Promise((resolve) => setImmediate(resolve));
    });
  const all = [run('a', '1'), run('a', '1'), run('a', '1'), run('a', '2'), run('b', '1')];
  assert.deepEqual(begun, ['a1', 'b1']);
  await Promise.all(all);
  assert.deepEqual(begun, ['a1', 'b1', 'a1', 'a2', 'a1']);
});

test('of a shared semaphore, an id that sends many keeps another one waiting for one of its own', async () => {
  const slots = createSharedSemaphores(2, 1);
  const ended: string[] = [];
  let running = 0;
  let most = 0;
  const work = (id: string) => async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    ended.push(id);
  };
  const many = Array.from({ length: 20 }, () => slots('a')(work('a')));
  const others = ['b', 'c', 'd'].map((id) => slots(id)(work(id)));
  await Promise.all([...many, ...others]);
  assert.equal(most, 2);
  assert.ok(ended.indexOf('d') < 8, ended.join());
});

test('of a shared semaphore, owners take turns, however many ids one of them has', async () => {
  const slots = createSharedSemaphores(2, 1);
  const begun: string[] = [];
  const run = (id: string, owner: string) =>
    slots(
      id,
      owner,
    )(async () => {
      begun.push(owner);
      await new Promise((resolve) => setImmediate(resolve));
    });
  const many = Array.from({ length: 20 }, (_, n) => run(`a${n}`, 'a'));
  await Promise.all([...many, run('b0', 'b')]);
  assert.ok(begun.indexOf('b') < 5, begun.join());
});

test('of fair semaphores, ids take turns; what is free is given at once', async () => {
  const turnOf = createFairSemaphores(() => 2);
  const begun: string[] = [];
  let waited = 0;
  const run = (id: string) =>
    turnOf(id)(
      async () => {
        begun.push(id);
        await new Promise((resolve) => setImmediate(resolve));
      },
      () => waited++,
    );
  const all = ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'c'].map(run);
  assert.deepEqual(begun, ['a', 'a']);
  assert.equal(waited, 6);
  await Promise.all(all);
  assert.deepEqual(begun, ['a', 'a', 'a', 'b', 'c', 'a', 'b', 'a']);
});
