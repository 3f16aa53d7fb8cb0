import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Base, freshBase } from '../src/names.js';
import { expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

interface Page {
  readonly paging: { readonly size: number; readonly last?: string };
  readonly items: readonly { readonly key: string; readonly n: number }[];
}

const mib = 1024 * 1024;

describe('pages of a query', { concurrency: true }, () => {
  const service = useService();
  let small: Base;
  const smallKeys = Array.from({ length: 10 }, (_, n) => `k${n}`);

  before(async () => {
    small = freshBase(service.api);
    await small.put(...smallKeys.map((key, n) => ({ key, n, even: n % 2 === 0 })));
  });

  async function page(base: Base, query: object): Promise<Page> {
    const reply = await base.query(query);
    expectStatus(reply, 200);
    const found = reply.json<Page>();
    assert.deepEqual(Object.keys(found), ['paging', 'items']);
    assert.equal(found.paging.size, found.items.length);
    return found;
  }

  const keysOf = ({ items }: Page) => items.map(({ key }) => key);

  /** All pages of a query: it is repeated with the returned `last` until there is none (docs/http.md#query-items). */
  async function pages(
    base: Base,
    query: object,
    between?: (page: Page) => Promise<unknown>,
  ): Promise<Page[]> {
    const found: Page[] = [];
    let last: string | undefined;
    do {
      const next = await page(base, { ...query, last });
      found.push(next);
      last = next.paging.last;
      await between?.(next);
      assert.ok(found.length < 1000, 'the pages do not end');
    } while (last !== undefined);
    return found;
  }

  describe('the limit', { concurrency: true }, () => {
    test('the limit ends a page, whose `last` is its last key if another match follows', async () => {
      assert.deepEqual((await page(small, { limit: 4 })).paging, { size: 4, last: 'k3' });
      assert.deepEqual((await page(small, { limit: 1 })).paging, { size: 1, last: 'k0' });
      const even = await page(small, { limit: 2, query: { even: true } });
      assert.deepEqual(even.paging, { size: 2, last: 'k2' });
    });

    test('a page that ends with the last match has no `last`', async () => {
      assert.deepEqual((await page(small, { limit: 10 })).paging, { size: 10 });
      assert.deepEqual((await page(small, { limit: 11 })).paging, { size: 10 });
      // k9 follows k8, but does not match.
      assert.deepEqual((await page(small, { limit: 5, query: { even: true } })).paging, { size: 5 });
      assert.deepEqual((await page(small, { limit: 1, query: { key: 'k3' } })).paging, { size: 1 });
      assert.deepEqual((await page(small, { limit: 2, query: { 'key?lt': 'k2' } })).paging, { size: 2 });
    });

    test('a page without a match has no `last`', async () => {
      expectJson(await small.query({ query: { n: 'none' } }), 200, { paging: { size: 0 }, items: [] });
    });

    for (const limit of [1, 2, 3, 5, 9, 10, 11]) {
      test(`all pages of ${limit} together have all items, in both orders`, async () => {
        const ascending = (await pages(small, { limit })).flatMap(keysOf);
        assert.deepEqual(ascending, smallKeys);
        const descending = (await pages(small, { limit, sort: 'desc' })).flatMap(keysOf);
        assert.deepEqual(descending, smallKeys.toReversed());
        const filtered = (await pages(small, { limit, query: [{ 'n?gt': 2, even: false }] })).flatMap(keysOf);
        assert.deepEqual(filtered, ['k3', 'k5', 'k7', 'k9']);
      });
    }
  });

  describe('`last`', { concurrency: true }, () => {
    test('the key `last` need not exist', async () => {
      assert.deepEqual(keysOf(await page(small, { last: 'k3zzz', limit: 2 })), ['k4', 'k5']);
      assert.deepEqual(keysOf(await page(small, { last: 'k3zzz', limit: 2, sort: 'desc' })), ['k3', 'k2']);
      assert.deepEqual(keysOf(await page(small, { last: 'zz' })), []);
      assert.deepEqual(keysOf(await page(small, { last: 'a', sort: 'desc' })), []);
    });

    test('a page after `last` stays within the key range of its condition', async () => {
      const query = [{ 'key?r': ['k2', 'k6'] }];
      assert.deepEqual(keysOf(await page(small, { query, last: 'k4' })), ['k5', 'k6']);
      assert.deepEqual(keysOf(await page(small, { query, last: 'k4', sort: 'desc' })), ['k3', 'k2']);
      assert.deepEqual(keysOf(await page(small, { query, last: 'a' })), ['k2', 'k3', 'k4', 'k5', 'k6']);
      assert.deepEqual(keysOf(await page(small, { query, last: 'z' })), []);
      assert.deepEqual(keysOf(await page(small, { query, last: 'z', sort: 'desc' })), [
        'k6',
        'k5',
        'k4',
        'k3',
        'k2',
      ]);
      assert.deepEqual(keysOf(await page(small, { query: { 'key?pfx': 'k' }, last: 'a', limit: 1 })), ['k0']);
      assert.deepEqual(keysOf(await page(small, { query: { 'key?pfx': 'k9' }, last: 'k8' })), ['k9']);
      assert.deepEqual(keysOf(await page(small, { query: { key: 'k3' }, last: 'k3' })), []);
      assert.deepEqual(keysOf(await page(small, { query: { key: 'k3' }, last: 'k2' })), ['k3']);
      assert.deepEqual(keysOf(await page(small, { query: { 'key?gt': 'k5' }, last: 'k7' })), ['k8', 'k9']);
      assert.deepEqual(
        keysOf(await page(small, { query: { 'key?lt': 'k5' }, last: 'k7', sort: 'desc', limit: 1 })),
        ['k4'],
      );
    });
  });

  describe('the budget of 1 MiB', { concurrency: true }, () => {
    const count = 60;
    const filler = 'x'.repeat(100_000);
    const keys = Array.from({ length: count }, (_, n) => `k${String(n).padStart(2, '0')}`);
    let large: Base;

    before(async () => {
      large = freshBase(service.api);
      for (let from = 0; from < count; from += 20) {
        const some = keys.slice(from, from + 20).map((key, n) => ({ key, n: from + n, filler }));
        expectStatus(await large.put(...some), 207);
      }
    });

    test('the budget ends a page, whose `last` is the last key read', async () => {
      const first = await page(large, {});
      const itemBytes = Buffer.byteLength(JSON.stringify(first.items[0]));
      assert.equal(first.items.length, Math.floor(mib / itemBytes));
      assert.equal(first.paging.last, first.items.at(-1)?.key);
    });

    test('items count against the budget before the filter, so that an empty page may have a `last`', async () => {
      const found = await pages(large, { query: { n: 59 } });
      assert.ok(found.length > 4);
      assert.deepEqual(keysOf(found[0] as Page), []);
      assert.notEqual(found[0]?.paging.last, undefined);
      assert.deepEqual(found.flatMap(keysOf), ['k59']);
    });

    test('a match after the budget does not make the limit end the page', async () => {
      const first = await page(large, { limit: 1, query: [{ n: 0 }, { n: 59 }] });
      assert.deepEqual(keysOf(first), ['k00']);
      // The next match was not read, so `last` is the last key that was read.
      assert.ok((first.paging.last as string) > 'k00');
      assert.deepEqual((await pages(large, { limit: 1, query: [{ n: 0 }, { n: 59 }] })).flatMap(keysOf), [
        'k00',
        'k59',
      ]);
    });

    test('all pages together have all items, in both orders, with and without a limit', async () => {
      for (const limit of [undefined, 1000, 7]) {
        assert.deepEqual((await pages(large, { limit })).flatMap(keysOf), keys);
        assert.deepEqual((await pages(large, { limit, sort: 'desc' })).flatMap(keysOf), keys.toReversed());
      }
    });

    test('nothing outside the key range of a condition is read', async () => {
      assert.deepEqual(await page(large, { query: { key: 'k59' } }), {
        paging: { size: 1 },
        items: [{ key: 'k59', n: 59, filler }],
      });
      assert.deepEqual((await page(large, { query: { 'key?r': ['k50', 'k58'], n: 58 } })).paging, {
        size: 1,
      });
      assert.deepEqual((await page(large, { query: { 'key?gte': 'k55', n: 'none' } })).paging, { size: 0 });
    });

    test('expired items count against the budget and are never returned', async () => {
      const base = freshBase(service.api);
      const expired = Array.from({ length: 25 }, (_, n) => ({ key: `a${n}`, filler, __expires: 1 }));
      expectStatus(await base.put(...expired), 207);
      expectStatus(await base.put({ key: 'z', n: 1 }), 207);
      assert.deepEqual((await pages(base, {})).flatMap(keysOf), ['z']);
    });
  });

  test('every item that exists throughout is returned once, whatever is written meanwhile', async () => {
    const base = freshBase(service.api);
    const kept = Array.from({ length: 25 }, (_, n) => `k${String(n * 2).padStart(3, '0')}`);
    await base.put(...kept.map((key) => ({ key })));
    let round = 0;
    const found = await pages(base, { limit: 3 }, async ({ paging }) => {
      round++;
      // Overwrites items before and after the page, adds one in between, and deletes the item of `last`.
      await base.put(
        { key: 'k000', round },
        { key: 'k048', round },
        { key: `k0${round}5x` },
        { key: `a${round}` },
      );
      await base.put({ key: `${paging.last}~` });
      await base.remove(`${paging.last}~`);
    });
    const seen = found.flatMap(keysOf);
    assert.equal(new Set(seen).size, seen.length, 'none came twice');
    assert.deepEqual(
      seen.filter((key) => kept.includes(key)),
      kept,
    );
  });

  test('a deleted `last` does not hide its neighbours', async () => {
    const base = freshBase(service.api);
    await base.put(...smallKeys.map((key) => ({ key })));
    const found = await pages(base, { limit: 2 }, ({ paging }) =>
      paging.last === undefined ? Promise.resolve() : base.remove(paging.last),
    );
    assert.deepEqual(found.flatMap(keysOf), smallKeys);
  });
});
