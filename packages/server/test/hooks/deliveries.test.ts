import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { unlimitedGrant } from '../../src/access/grant.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { createDropOld } from '../../src/feed/retention.js';
import { createFeedService } from '../../src/feed/service.js';
import { openStoredLog } from '../../src/feed/stored-log.js';
import { pauseAfter } from '../../src/hooks/hook.js';
import type { Sent } from '../../src/hooks/send.js';
import { createHooks } from '../../src/hooks/service.js';
import { createStoredHooks } from '../../src/hooks/stored-hooks.js';
import { createFairSemaphores, createSemaphores } from '../../src/lib/concurrency/semaphore.js';

const hourMs = 3_600_000;
const grant = unlimitedGrant('k', 'demo');
const wanted = { url: 'https://example.com/', name: undefined, followed: {}, since: undefined };

async function put(items: ItemStore, key: string, base = 'users', text = ''): Promise<void> {
  const value = Buffer.from(JSON.stringify({ key, text }));
  await items.transact(`base/demo/${base}`, [], () => ({ puts: [{ key, value }], result: undefined }));
}

/** Webhooks over a store in memory, with a clock that a test moves. `answers`: what becomes of the next messages. */
async function open(context: TestContext, given?: ItemStore) {
  const items = given ?? (await openLevelStore({ memory: true }));
  const time = { now: Date.now() };
  const clock = () => time.now;
  const feed = createFeedService(items, await openStoredLog(items, clock, true), clock);
  const sent: {
    readonly keys: readonly string[];
    readonly id: string | undefined;
    readonly atMs: number;
  }[] = [];
  const answers: (Sent | Promise<Sent>)[] = [];
  let isHere = true;
  let isLost = false;
  const waiting = new Set<() => void>();
  const stored = createStoredHooks(items);
  const reading = new Set<() => void>();
  const hooks = createHooks({
    items,
    stored: {
      ...stored,
      async get(...given) {
        for (const look of reading) look();
        return await stored.get(...given);
      },
      async change(...given) {
        const changed = await stored.change(...given);
        for (const look of waiting) look();
        return changed;
      },
    },
    feed: { ...feed, hasGiven: async (cursor) => !isLost && (await feed.hasGiven(cursor)) },
    waitMs: 20,
    keys: { grantOf: () => grant, readId: () => undefined, linkSecret: () => Buffer.alloc(32) },
    clock,
    log: console,
    mayWork: () => isHere,
    mayReach: () => true,
    sending: createSemaphores(1),
    sendingLarge: createFairSemaphores(() => 1),
    async send(_url, { body, headers }) {
      const { data } = JSON.parse(body) as { data: { changes?: { key: string }[] } };
      const keys = (data.changes ?? []).map(({ key }) => key);
      sent.push({ keys, id: headers['webhook-id'], atMs: performance.now() });
      return answers.shift() ?? { status: 204 };
    },
  });
  hooks.start();
  // Nothing else keeps the process alive.
  const alive = setInterval(() => {}, 1000);
  context.after(async () => {
    clearInterval(alive);
    const ended = hooks.stop();
    feed.stop();
    await ended;
    if (given === undefined) await items.close();
  });
  return {
    items,
    time,
    sent,
    answers,
    hooks,
    leave: () => {
      isHere = false;
    },
    /** A standby of the database takes over that lacks something. */
    lose: () => {
      isLost = true;
    },
    comeBack: () => {
      isHere = true;
    },
    /** Resolves when the only webhook has looked for changes, found none, and looks again. */
    untilWaited: () =>
      new Promise<void>((resolve) => {
        let reads = 0;
        reading.add(() => {
          if (++reads === 3) resolve();
        });
      }),
    /** Resolves when so many messages were sent. */
    async untilSent(count: number) {
      while (sent.length < count) await pause(10);
    },
    /** Resolves when the only webhook is so, which is asked whenever it has changed. */
    until: (condition: (state: string, times: number) => boolean) =>
      new Promise<void>((resolve) => {
        const look = async () => {
          const [hook] = await stored.list('demo');
          if (hook && condition(hook.stop?.why ?? 'goes on', hook.failing?.times ?? 0)) resolve();
        };
        waiting.add(() => void look());
        void look();
      }),
  };
}

describe('the deliveries of webhooks', () => {
  test('a message that fails comes again as it was, after the clock has gone on', async (context) => {
    const { items, time, sent, answers, hooks, until } = await open(context);
    answers.push({ failure: 'timeout' }, { status: 500 }, { status: 302 });
    await hooks.service.create(grant, wanted);
    await put(items, 'a');
    for (const times of [1, 2, 3]) {
      await until((_, failed) => failed === times);
      await put(items, `b${times}`);
      time.now += 60_000;
    }
    await until((_, failed) => failed === 0 && sent.length > 3);
    assert.deepEqual(
      sent.slice(0, 4).map(({ keys }) => keys),
      [['a'], ['a'], ['a'], ['a']],
    );
    assert.equal(new Set(sent.slice(0, 4).map(({ id }) => id)).size, 1);
  });

  test('what a receiver took of a snapshot, and did not answer, is deleted there when it is deleted here', async (context) => {
    const { items, time, sent, answers, hooks, until } = await open(context);
    answers.push({ failure: 'timeout' });
    await put(items, 'a');
    await put(items, 'b');
    await hooks.service.create(grant, { ...wanted, since: '0' });
    await until((_, failed) => failed === 1);
    await items.transact('base/demo/users', [], () => ({ deletes: ['a'], result: undefined }));
    time.now += 60_000;
    await until((_, failed) => failed === 0 && sent.flatMap(({ keys }) => keys).length > 3);
    assert.deepEqual(
      sent.flatMap(({ keys }) => keys),
      ['a', 'b', 'b', 'a'],
    );
  });

  test('a message has its id whatever else has changed', async (context) => {
    const { items, time, sent, answers, hooks, until } = await open(context);
    answers.push({ status: 500 }, { status: 500 });
    const { hook } = await hooks.service.create(grant, { ...wanted, followed: { bases: 'users' } });
    await hooks.service.change(grant, hook.id, { isPaused: true });
    await put(items, 'a');
    await put(items, 'b', 'others');
    await hooks.service.change(grant, hook.id, { isPaused: false });
    for (const times of [1, 2]) {
      await until((_, failed) => failed === times);
      await put(items, `c${times}`, 'others');
      time.now += 60_000;
    }
    await until((_, failed) => failed === 0 && sent.length > 2);
    assert.deepEqual(
      sent.map(({ keys }) => keys),
      [['a'], ['a'], ['a']],
    );
    assert.equal(new Set(sent.map(({ id }) => id)).size, 1);
  });

  test('a message that failed has the same id after a restart, though nothing was sent for a while before', async (context) => {
    const first = await open(context);
    const { items, answers, hooks, sent } = first;
    answers.push({ status: 500 });
    await hooks.service.create(grant, { ...wanted, followed: { bases: 'users' } });
    await put(items, 'x', 'others');
    // The cursor moves on behind what is not for this webhook, which is not stored.
    await first.untilWaited();
    await put(items, 'a');
    await first.until((_, failed) => failed === 1);
    await hooks.stop();
    const second = await open(context, items);
    second.time.now += 60_000;
    await second.until((_, failed) => failed === 0 && second.sent.length > 0);
    assert.deepEqual([sent.length, second.sent[0]?.keys], [1, ['a']]);
    assert.equal(second.sent[0]?.id, sent[0]?.id);
  });

  test('a receiver that is away for longer than changes are kept is told apart, and begins as somebody says', async (context) => {
    const { items, time, sent, answers, hooks, until } = await open(context);
    answers.push({ status: 503 });
    const { hook } = await hooks.service.create(grant, wanted);
    await put(items, 'a');
    await until((_, failed) => failed === 1);
    time.now += 2 * hourMs;
    await createDropOld({
      items,
      clock: () => time.now,
      log: console,
      keepMs: hourMs,
      mayWork: () => true,
    })();
    await until((state) => state === 'too_old');
    assert.equal(sent.length, 1);
    await put(items, 'b');
    await hooks.service.change(grant, hook.id, { isPaused: false });
    await until((state) => state === 'too_old');
    await hooks.service.change(grant, hook.id, { isPaused: false, since: { is: '0' } });
    await until((state) => state === 'goes on' && sent.flatMap(({ keys }) => keys).length >= 3);
    await put(items, 'c');
    await until((state) => state === 'goes on' && sent.flatMap(({ keys }) => keys).length >= 4);
    assert.deepEqual(
      sent.flatMap(({ keys }) => keys),
      ['a', 'a', 'b', 'c'],
    );
  });

  test('a copy of a store sends nothing until somebody says that it shall', async (context) => {
    const first = await open(context);
    const { hook } = await first.hooks.service.create(grant, wanted);
    const copy = await openLevelStore({ memory: true });
    const value = Buffer.from(JSON.stringify(hook));
    await copy.transact('hooks/demo', [], () => ({ puts: [{ key: hook.id, value }], result: undefined }));
    const { until, sent, hooks } = await open(context, copy);
    await until((state) => state === 'too_old');
    await put(copy, 'a');
    await hooks.service.change(grant, hook.id, { isPaused: false, since: { is: undefined } });
    await put(copy, 'b');
    await until(() => sent.length === 1);
    assert.deepEqual(sent[0]?.keys, ['b']);
  });

  test('a cursor of before a standby took over that lacks something is not stored', async (context) => {
    const { items, hooks, answers, lose, untilSent, until } = await open(context);
    const { hook } = await hooks.service.create(grant, wanted);
    let answer = (_: Sent) => {};
    answers.push(new Promise<Sent>((resolve) => (answer = resolve)));
    await put(items, 'a');
    await untilSent(1);
    lose();
    answer({ status: 204 });
    await until((state) => state === 'too_old');
    const [stopped] = await hooks.service.list(grant);
    assert.equal(stopped?.cursor, hook.cursor);
  });

  test('a server that may no longer deliver delivers nothing', async (context) => {
    const { items, sent, hooks, leave, until } = await open(context);
    await hooks.service.create(grant, wanted);
    await put(items, 'a');
    await until(() => sent.length === 1);
    leave();
    while (hooks.state().webhooks > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await put(items, 'b');
    const other = await open(context, items);
    await other.until(() => other.sent.length === 1);
    assert.deepEqual([sent.length, other.sent[0]?.keys], [1, ['b']]);
  });

  test('pauses grow to 15 minutes', () => {
    assert.deepEqual(
      [1, 2, 3, 30, 1000].map((times) => pauseAfter(times, 1)),
      [1000, 2000, 4000, 900_000, 900_000],
    );
    assert.equal(pauseAfter(1, 0), 800);
  });

  test('a server that delivers again goes on, also if a message of before was still being sent', async (context) => {
    const { items, sent, answers, hooks, leave, comeBack, untilSent } = await open(context);
    let end: (sent: Sent) => void = () => {};
    answers.push(
      new Promise((resolve) => {
        end = resolve;
      }),
    );
    await hooks.service.create(grant, wanted);
    await put(items, 'a');
    await untilSent(1);
    leave();
    // It looks every second: once that it must stop, and once that it delivers again.
    await pause(1500);
    comeBack();
    await pause(1500);
    end({ status: 204 });
    await put(items, 'b');
    // Long before all webhooks are read again, as they are every minute.
    await Promise.race([untilSent(2), pause(30_000, undefined, { ref: false })]);
    assert.deepEqual(sent[1]?.keys, ['b']);
  });

  test('a message that becomes large has each change once', async (context) => {
    const { items, sent, hooks, untilSent } = await open(context);
    const { hook } = await hooks.service.create(grant, wanted);
    await hooks.service.change(grant, hook.id, { isPaused: true });
    await put(items, 'small');
    await put(items, 'large', 'users', 'x'.repeat(50_000));
    await hooks.service.change(grant, hook.id, { isPaused: false });
    await untilSent(1);
    assert.deepEqual(sent[0]?.keys, ['small', 'large']);
  });

  test('a webhook waits for one message of another key, however many webhooks that has', async (context) => {
    const { items, time, sent, answers, hooks, untilSent } = await open(context);
    const others = unlimitedGrant('other', 'demo');
    let end = (_: Sent) => {};
    answers.push(new Promise<Sent>((resolve) => (end = resolve)));
    const tests: Promise<Sent>[] = [];
    for (let n = 0; n < 10; n++) {
      const { hook } = await hooks.service.create(others, { ...wanted, followed: { bases: 'none' } });
      tests.push(hooks.service.test(others, hook.id));
    }
    await untilSent(1);
    await hooks.service.create(grant, wanted);
    await put(items, 'a');
    // A webhook says that it waits before it takes its place among those that do.
    while (hooks.state().lagSeconds === 0) {
      await pause(10);
      time.now += 1000;
    }
    end({ status: 204 });
    await Promise.all(tests);
    await untilSent(11);
    assert.ok(
      sent.slice(0, 3).some(({ keys }) => keys.includes('a')),
      JSON.stringify(sent),
    );
  });

  test('only messages that are not full wait for more', async (context) => {
    const { items, sent, hooks, untilSent } = await open(context);
    const puts = Array.from({ length: 1000 }, (_, n) => ({ key: `${n}`, value: Buffer.from('{}') }));
    await hooks.service.create(grant, wanted);
    await items.transact('base/demo/users', [], () => ({ puts, result: undefined }));
    await untilSent(10);
    assert.deepEqual(
      sent.map(({ keys }) => keys.length),
      Array(10).fill(100),
    );
    const gaps = sent.slice(1).map(({ atMs }, n) => atMs - (sent[n]?.atMs ?? 0));
    assert.ok(Math.min(...gaps) < 50, `each waited: ${gaps}`);
  });
});
