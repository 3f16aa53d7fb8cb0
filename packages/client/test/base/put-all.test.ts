import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Base, Basedrive, BasedriveError, type PutAllProgress } from '../../src/in-node.js';
import { cutOff, fakeService, json, type Reaction } from '../support/fake-service.js';
import { freshName, key, useService } from '../support/service.js';

const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ key: `k${String(n).padStart(4, '0')}`, n }));

describe('putAll', { concurrency: true }, () => {
  const service = useService();
  const open = (): Base => Basedrive(key, { url: service.url }).Base(freshName());

  test('putAll stores any number of items and reports its progress', async () => {
    const base = open();
    const reported: PutAllProgress[] = [];
    async function* source() {
      yield* numbered(260);
    }
    const result = await base.putAll(source(), { onProgress: (progress) => reported.push(progress) });
    assert.deepEqual(result, { stored: 260, failed: [] });
    assert.equal(reported.length, 11);
    assert.deepEqual(reported.at(-1), { stored: 260, failed: 0 });
    const stored = [];
    for await (const item of base.items()) stored.push(item);
    assert.deepEqual(stored, numbered(260));
    assert.deepEqual(await base.putAll([]), { stored: 0, failed: [] });
  });

  test('if an item is refused, all others are still stored', async () => {
    const base = open();
    const bad = { key: 'bad', '': 1 };
    const round: Record<string, unknown> = { key: 'round' };
    round.self = round;
    const items = [...numbered(30), bad, undefined, round, ...numbered(60).slice(30)];
    const { stored, failed } = await base.putAll(items);
    assert.equal(stored, 60);
    assert.deepEqual(new Set(failed.map(({ item }) => item)), new Set([bad, undefined, round]));
    for (const { error } of failed) assert.ok(error instanceof BasedriveError);
    assert.equal((await base.fetch()).count, 60);
  });

  test('of items with the same key the last one wins, in one request and in several', async () => {
    const base = open();
    const items = Array.from({ length: 300 }, (_, n) => ({ key: `k${n % 7}`, n }));
    assert.deepEqual(await base.putAll(items, { concurrency: 8 }), { stored: 300, failed: [] });
    const { items: stored } = await base.fetch();
    assert.deepEqual(
      stored,
      items.slice(-7).sort((a, b) => (a.key < b.key ? -1 : 1)),
    );
  });

  test('the requests in flight are never more than the option concurrency', async (t) => {
    let running = 0;
    let most = 0;
    const slow: Reaction = (response, { text }) => {
      most = Math.max(most, ++running);
      setImmediate(() => {
        running--;
        json(207, { processed: { items: (JSON.parse(text) as { items: unknown[] }).items } })(
          response,
          undefined as never,
        );
      });
    };
    const { url, seen } = await fakeService(t, slow);
    const base = Basedrive(key, { url }).Base('b');
    await base.putAll(numbered(500), { concurrency: 3 });
    assert.equal(seen.length, 20);
    assert.ok(most <= 3, `${most} at once`);
  });

  test('with a concurrency below 1, one request is in flight, and one that is no number is refused', async () => {
    const base = open();
    assert.deepEqual(await base.putAll(numbered(60), { concurrency: 0 }), { stored: 60, failed: [] });
    await assert.rejects(base.putAll(numbered(60), { concurrency: Number.NaN }), {
      code: 'invalid',
      message: 'concurrency: must be a number',
    });
  });

  test('without a network, putAll reports the items that it tried and reads no further', async (t) => {
    const { url } = await fakeService(t, cutOff);
    let read = 0;
    function* source() {
      for (const item of numbered(100_000)) {
        read++;
        yield item;
      }
    }
    const { stored, failed, stoppedBy } = await Basedrive(key, { url, retry: { times: 0 } })
      .Base('b')
      .putAll(source());
    assert.equal(stored, 0);
    assert.equal(stoppedBy?.code, 'network');
    assert.ok(read < 1000, `${read} read`);
    assert.ok(failed.length >= 25 && failed.length <= read);
    for (const { error } of failed) assert.equal(error.code, 'network');
  });

  test('an error of the caller is thrown to the caller after the requests in flight have ended', async () => {
    const base = open();
    function* broken() {
      yield* numbered(26);
      throw new RangeError('mine');
    }
    await assert.rejects(base.putAll(broken()), RangeError);
    assert.equal((await base.fetch()).count, 25, 'the request in flight is done');
    const throwing = () => {
      throw new RangeError('mine');
    };
    await assert.rejects(base.putAll(numbered(100), { onProgress: throwing }), RangeError);
  });

  for (const name of ['putAll', 'importItems'] as const) {
    test(`${name} ends with its signal while the source gives nothing, and closes the source`, async () => {
      const base = open();
      const leaving = new AbortController();
      let isClosed = false;
      const source: AsyncIterableIterator<{ n: number }> = {
        [Symbol.asyncIterator]: () => source,
        next: () => {
          leaving.abort();
          return new Promise(() => {});
        },
        // It never ends either, as that of a generator which still waits.
        return: () => {
          isClosed = true;
          return new Promise(() => {});
        },
      };
      await assert.rejects(base[name](source, { signal: leaving.signal }), { code: 'aborted' });
      assert.ok(isClosed);
    });

    test(`${name} leaves a source open that has ended or failed, and closes one that is left`, async () => {
      const base = open();
      const closed: string[] = [];
      const source = (end: string) => {
        let given = 0;
        const made: AsyncIterableIterator<{ n: number }> = {
          [Symbol.asyncIterator]: () => made,
          next: async () => {
            if (given++ < 2) return { value: { n: given } };
            if (end === 'fails') throw new RangeError('mine');
            return { done: true, value: undefined };
          },
          return: async () => {
            closed.push(end);
            return { done: true, value: undefined };
          },
        };
        return made;
      };
      assert.deepEqual(await base[name](source('ends')), { stored: 2, failed: [] });
      await assert.rejects(base[name](source('fails')), RangeError);
      assert.deepEqual(closed, []);
    });
  }

  test('putAll ends after timeoutMs while the source gives nothing', async () => {
    async function* silent() {
      yield { n: 1 };
      await new Promise(() => {});
    }
    await assert.rejects(open().putAll(silent(), { timeoutMs: 50 }), { code: 'timeout' });
  });
});
