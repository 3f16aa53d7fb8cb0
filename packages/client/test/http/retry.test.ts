import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';
import { createRepeats, readRetryAfter } from '../../src/http/retry.js';
import { type Base, Basedrive, BasedriveError, util } from '../../src/in-node.js';
import { cutOff, fakeService, halfAnswer, json, type Reaction } from '../support/fake-service.js';

const soon = { firstDelayMs: 1 };
const stored: Reaction = (response, { text }) => {
  const { items } = JSON.parse(text) as { items: unknown[] };
  json(207, { processed: { items } })(response, undefined as never);
};
const busy = json(429, { errors: ['Too many requests'] });
const full = json(503, { errors: ['Storage is full'] });

function open(url: string, times?: number): Base {
  return Basedrive('demo_s3cret', { url, retry: { ...soon, times } }).Base('b');
}

/** Each call of a base, whether it may be done twice, and the answer that it expects. */
const calls: [name: string, safe: boolean, done: Reaction, call: (base: Base) => Promise<unknown>][] = [
  ['get', true, json(200, { key: 'k' }), (base) => base.get('k')],
  ['put with a key', true, stored, (base) => base.put({ a: 1 }, 'k')],
  ['put without a key', true, stored, (base) => base.put({ a: 1 })],
  ['putMany', true, stored, (base) => base.putMany([{ a: 1 }, { key: 'b' }])],
  ['delete', true, json(200, { key: 'k' }), (base) => base.delete('k')],
  ['fetch', true, json(200, { paging: { size: 0 }, items: [] }), (base) => base.fetch()],
  ['update that sets', true, json(200, { key: 'k' }), (base) => base.update({ a: 1, b: util.trim() }, 'k')],
  [
    'update that returns the item before',
    false,
    json(200, { key: 'k', item: null }),
    (base) => base.update({ a: 1 }, 'k', { return: 'old', upsert: {} }),
  ],
  [
    'update that returns the item after',
    true,
    json(200, { key: 'k', item: { key: 'k' } }),
    (base) => base.update({ a: 1 }, 'k', { return: 'new', upsert: {} }),
  ],
  [
    'transaction with a put that returns the item before',
    false,
    json(200, { results: [{ key: 'k', item: null }] }),
    (base) => base.transaction((t) => [t.put({ a: 1 }, 'k', { return: 'old' })]),
  ],
  ['insert', false, json(201, { key: 'k' }), (base) => base.insert({ a: 1 }, 'k')],
  ['insert without a key', false, json(201, { key: 'k' }), (base) => base.insert({ a: 1 })],
  [
    'update that increments',
    false,
    json(200, { key: 'k' }),
    (base) => base.update({ a: util.increment() }, 'k'),
  ],
  [
    'update with a condition',
    false,
    json(200, { key: 'k' }),
    (base) => base.update({ a: 1 }, 'k', { if: { a: 0 } }),
  ],
  [
    'transaction of puts and deletes',
    true,
    json(200, { results: [{ key: 'k', a: 1 }, { key: 'j' }] }),
    (base) => base.transaction((t) => [t.put({ a: 1 }), t.delete('j')]),
  ],
  [
    'transaction with an insert',
    false,
    json(200, { results: [{ key: 'k', a: 1 }] }),
    (base) => base.transaction((t) => [t.insert({ a: 1 })]),
  ],
  [
    'transaction with a conditional delete',
    false,
    json(200, { results: [{ key: 'k' }] }),
    (base) => base.transaction((t) => [t.delete('k', { if: { a: 1 } })]),
  ],
  ['update that appends', false, json(200, { key: 'k' }), (base) => base.update({ a: util.append(1) }, 'k')],
  [
    'update that prepends',
    false,
    json(200, { key: 'k' }),
    (base) => base.update({ a: util.prepend(1) }, 'k'),
  ],
  [
    'update that trims an element',
    false,
    json(200, { key: 'k' }),
    (base) => base.update({ 'a.0': util.trim() }, 'k'),
  ],
];

describe('repeats', { concurrency: true }, () => {
  for (const [name, safe, done, call] of calls) {
    test(`${name} is sent again after 429`, async (t) => {
      const { url, seen } = await fakeService(t, busy, busy, done);
      await call(open(url));
      assert.equal(seen.length, 3);
    });

    for (const [what, loss, code = 'network'] of [
      ['no answer', cutOff],
      ['half an answer', halfAnswer],
      ['502', json(502, {}), 'failed'],
      ['503', full, 'unavailable'],
    ] as const) {
      test(`${name} is ${safe ? 'sent again' : 'not sent again'} after ${what}`, async (t) => {
        const { url, seen } = await fakeService(t, loss, done);
        if (safe) {
          await call(open(url));
          assert.equal(seen.length, 2);
          assert.equal(seen[1]?.text, seen[0]?.text, 'the same again, its key included');
        } else {
          await assert.rejects(call(open(url)), (error: BasedriveError) => {
            assert.ok(error instanceof BasedriveError);
            assert.equal(error.code, code);
            return true;
          });
          assert.equal(seen.length, 1);
        }
      });
    }

    for (const [status, code] of [
      [400, 'refused'],
      [401, 'unauthorized'],
      [413, 'refused'],
      [500, 'failed'],
    ] as const) {
      test(`${name} is not sent again after ${status}`, async (t) => {
        const { url, seen } = await fakeService(t, json(status, { errors: ['No'] }));
        await assert.rejects(call(open(url)), { code, status, message: 'No', requestId: 'r1' });
        assert.equal(seen.length, 1);
      });
    }
  }

  test('a request that could not be sent is sent again, even an insert', async () => {
    // A port that was free a moment ago, so nothing listens on it.
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    let sent = 0;
    const counting: typeof fetch = (...request) => {
      sent++;
      return fetch(...request);
    };
    const base = Basedrive('demo_s3cret', {
      url: `http://127.0.0.1:${port}`,
      retry: soon,
      fetch: counting,
    }).Base('b');
    await assert.rejects(base.insert({}, 'k'), { code: 'network', status: 0 });
    assert.equal(sent, 4);
  });

  test('after the last repeat the call rejects with the last answer', async (t) => {
    const { url, seen } = await fakeService(t, full);
    await assert.rejects(open(url).get('k'), {
      code: 'unavailable',
      status: 503,
      message: 'Storage is full',
    });
    assert.equal(seen.length, 4);
    await assert.rejects(open(url, 0).get('k'), { status: 503 });
    assert.equal(seen.length, 5);
  });

  test('a repeat waits as long as Retry-After says', async (t) => {
    const { url, seen } = await fakeService(
      t,
      json(503, { errors: [] }, { 'Retry-After': '1' }),
      json(200, { key: 'k' }),
    );
    await open(url).get('k');
    const [first, second] = seen;
    assert.ok(
      second && first && second.at - first.at >= 990,
      `${second?.at} is too early after ${first?.at}`,
    );
  });

  test('a patient client repeats more often than the others, and not without end', async (t) => {
    const { url, seen } = await fakeService(t, full, full, full, full, full, cutOff, json(200, { key: 'k' }));
    const retry = { ...soon, patienceMs: 10_000 };
    await Basedrive('demo_s3cret', { url, retry }).Base('b').get('k');
    assert.equal(seen.length, 7);
    const asks = await fakeService(t, json(503, { errors: ['Full'] }, { 'Retry-After': '1' }));
    const { Base } = Basedrive('demo_s3cret', { url: asks.url, retry: { patienceMs: 1500 } });
    await assert.rejects(Base('b').get('k'), { code: 'unavailable', status: 503, message: 'Full' });
    assert.ok(asks.seen.length >= 2 && asks.seen.length <= 3, `${asks.seen.length} requests`);
  });

  test('a Retry-After above the longest pause ends the call', async (t) => {
    const { url, seen } = await fakeService(t, json(503, { errors: ['Full'] }, { 'Retry-After': '31' }));
    await assert.rejects(open(url).get('k'), { code: 'unavailable' });
    assert.equal(seen.length, 1);
  });
});

describe('the pause before a repeat', () => {
  const draws = (repeat: number, retryAfterMs = 0) =>
    Array.from({ length: 200 }, () => {
      const repeats = createRepeats({ times: 20 });
      for (let before = 0; before < repeat; before++) repeats();
      return repeats(retryAfterMs) as number;
    });

  test('the pause is random, and its upper limit doubles up to the longest pause', () => {
    for (const [repeat, most] of [
      [0, 250],
      [1, 500],
      [4, 4000],
      [15, 30_000],
    ] as const) {
      const delays = draws(repeat);
      assert.ok(delays.every((delay) => delay >= 0 && delay <= most));
      assert.ok(Math.max(...delays) > most / 2, 'uses what it may');
      assert.ok(new Set(delays).size > 100, 'no two clients alike');
    }
  });

  test('the pause is never shorter than Retry-After', () => {
    assert.ok(draws(0, 5000).every((delay) => delay >= 5000 && delay <= 5250));
    assert.equal(createRepeats()(30_001), undefined);
    // It would repeat for ever.
    assert.equal(createRepeats({ times: Number.NaN })(), undefined);
    assert.equal(createRepeats({ patienceMs: Number.NaN })(), undefined);
  });

  test('patience ends so long after the first failure; waits of 429 do not count', (t) => {
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    const options = { patienceMs: 60_000, times: 0 };
    const repeats = createRepeats(options);
    assert.equal(repeats(60_001), undefined);
    for (; nowMs <= 60_000; nowMs += 1000) assert.ok(repeats(1000, 503) !== undefined, `${nowMs} ms`);
    assert.equal(repeats(1000, 503), undefined);
    const ofBusy = createRepeats(options);
    for (let waits = 0; waits < 1000; waits++) {
      assert.ok(ofBusy(1000, 429) !== undefined);
      nowMs += 1000;
    }
    nowMs += 60_001;
    assert.equal(ofBusy(1000, 429), undefined);
  });

  test('Retry-After may be seconds or a date', () => {
    assert.equal(readRetryAfter(null), 0);
    assert.equal(readRetryAfter('7'), 7000);
    assert.equal(readRetryAfter('soon'), 0);
    assert.equal(readRetryAfter('Mon, 01 Jan 2001 00:00:00 GMT'), 0);
    assert.ok(readRetryAfter(new Date(Date.now() + 60_000).toUTCString()) > 50_000);
  });
});
