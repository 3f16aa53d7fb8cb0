import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Base, freshBase } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

interface Page {
  readonly paging: { readonly size: number; readonly last?: string; readonly total?: number };
  readonly items: readonly { readonly key: string; readonly [name: string]: unknown }[];
}

describe('order, offset, count and select of Query Items', { concurrency: true }, () => {
  const service = useService();
  let base: Base;
  const count = 50;

  before(async () => {
    base = freshBase(service.api);
    const items = Array.from({ length: count }, (_, n) => ({
      key: `k${String(n).padStart(2, '0')}`,
      n: (n * 7) % 10,
      home: { city: n % 2 === 0 ? 'Oslo' : 'Rome', zip: n },
    }));
    expectStatus(await base.put(...items.slice(0, 25)), 207);
    expectStatus(
      await base
        .put(...items.slice(25), { key: 'old', n: 1, __expires: 1 })
        .then(() => base.put(...items.slice(25))),
      207,
    );
  });

  async function page(query: object): Promise<Page> {
    const reply = await base.query(query);
    expectStatus(reply, 200);
    return reply.json<Page>();
  }

  async function walk(query: object): Promise<string[]> {
    const keys: string[] = [];
    let last: string | undefined;
    let pages = 0;
    do {
      const next = await page({ ...query, last });
      assert.equal(next.paging.size, next.items.length);
      keys.push(...next.items.map(({ key }) => key));
      last = next.paging.last;
      assert.ok(++pages <= count + 1, 'the pages do not end');
    } while (last !== undefined);
    return keys;
  }

  const keysBy = (order: (n: number) => number) =>
    Array.from({ length: count }, (_, n) => n)
      .sort((a, b) => order(a) - order(b) || a - b)
      .map((n) => `k${String(n).padStart(2, '0')}`);

  test('the loop over pages returns every item once, in the order that was asked for', async () => {
    assert.deepEqual(
      await walk({ order: ['n'], limit: 7 }),
      keysBy((n) => (n * 7) % 10),
    );
    assert.deepEqual(
      await walk({ order: ['-n'], limit: 50 }),
      keysBy((n) => -((n * 7) % 10)),
    );
    assert.deepEqual(
      await walk({ order: ['home.city', '-home.zip'] }),
      keysBy((n) => (n % 2) * 1000 - n),
    );
    assert.deepEqual(
      await walk({ order: ['n'], limit: 3, offset: 5, query: { 'home.city': 'Oslo' } }),
      keysBy((n) => (n * 7) % 10)
        .filter((key) => Number(key.slice(1)) % 2 === 0)
        .slice(5),
    );
  });

  test('offset passes over matches, of a query by key as well', async () => {
    const all = keysBy((n) => n);
    assert.deepEqual(await walk({ offset: 10, limit: 9 }), all.slice(10));
    assert.deepEqual(await walk({ offset: 10, limit: 9, sort: 'desc' }), [...all].reverse().slice(10));
    assert.deepEqual((await page({ offset: count })).paging, { size: 0 });
    assert.deepEqual((await page({ offset: 1e15, order: ['n'] })).paging, { size: 0 });
    assert.deepEqual((await page({ offset: 0, limit: 1 })).paging, { size: 1, last: 'k00' });
  });

  test('offset passes over more than a page holds', async () => {
    const large = freshBase(service.api);
    for (let n = 0; n < 8; n++) {
      // Key, order and size are three different orders.
      expectStatus(
        await large.put({ key: `k${n}`, n: (n * 5) % 8, pad: 'x'.repeat(390_000 - n * 1000) }),
        207,
      );
    }
    for (const order of ['n', '-n']) {
      const reply = await large.query({ order: [order], offset: 6, limit: 2, select: ['n'], count: true });
      expectStatus(reply, 200);
      const { items, paging } = reply.json<Page>();
      assert.deepEqual(
        items.map(({ n }) => n),
        order === 'n' ? [6, 7] : [1, 0],
      );
      assert.deepEqual(paging, { size: 2, total: 8 });
      const read = /(\d+) items/.exec(String(reply.headers['server-timing']))?.[1];
      assert.ok(Number(read) <= 3 * 8, `${read} items were read`);
    }
  });

  test('count gives the number of all matches, whatever limit, last and offset say', async () => {
    for (const order of [undefined, ['n']]) {
      const query = { order, count: true, query: { 'home.city': 'Rome' } };
      assert.equal((await page(query)).paging.total, 25);
      const first = await page({ ...query, limit: 4, offset: 2 });
      assert.equal(first.paging.total, 25);
      for (const limit of [4, 1000])
        assert.equal((await page({ ...query, limit, last: first.paging.last })).paging.total, 25);
      assert.equal((await page({ ...query, offset: 1000 })).paging.total, 25);
    }
    assert.equal((await page({ count: true, limit: 1 })).paging.total, count, 'expired items do not count');
    assert.equal('total' in (await page({ count: false })).paging, false);
  });

  test('select returns the key and the selected attributes, in their places', async () => {
    const asked = { query: { key: 'k03' }, select: ['home.zip'] };
    expectJson(await base.query(asked), 200, {
      paging: { size: 1 },
      items: [{ key: 'k03', home: { zip: 3 } }],
    });
    const ordered = await page({ order: ['-home.zip'], limit: 2, select: [] });
    assert.deepEqual(ordered.items, [{ key: 'k49' }, { key: 'k48' }]);
  });

  test('Server-Timing says what was read, for these members only', async () => {
    const timing = /^read;dur=[\d.]+;desc="\d+ items, \d+ bytes", index;desc="none"$/;
    for (const query of [{ order: ['n'] }, { count: true }, { offset: 3 }]) {
      assert.match(String((await base.query(query)).headers['server-timing']), timing);
    }
    for (const query of [{}, { select: ['n'] }, { order: [], count: false, offset: 0 }, { order: null }]) {
      assert.equal((await base.query(query)).headers['server-timing'], undefined);
    }
    const read = await base.query({ order: ['n'], query: { 'key?pfx': 'k1' }, limit: 1 });
    assert.match(String(read.headers['server-timing']), /desc="10 items, /);
  });

  test('wrong members are refused, and named', async () => {
    const wrong: [object, RegExp][] = [
      [{ order: 'n' }, /^order: must be a list of attribute paths$/],
      [{ order: ['n', 1] }, /^order\[1\]: must be an attribute path$/],
      [{ order: ['n', 'tags.0'] }, /^order\[1\]: must not lead through a list/],
      [{ order: ['a..b'] }, /^order\[0\]: /],
      [{ order: Array(11).fill('a') }, /^order: has more than 10 paths$/],
      [{ select: { name: 1 } }, /^select: must be a list of attribute paths$/],
      [{ select: ['a', 'b', 'c', null] }, /^select\[3\]: must be an attribute path$/],
      [{ select: Array(100_000).fill('a') }, /^select: has more than 1000 paths$/],
      [{ select: ['a.'] }, /^select\[0\]: /],
      [{ offset: -1 }, /^offset: must be a whole number, 0 or more$/],
      [{ offset: '1' }, /^offset: /],
      [{ count: 1 }, /^count: must be true or false$/],
      [{ order: ['n'], last: 'k03' }, /^last: /],
      [{ order: ['n'], last: 7 }, /^last: /],
    ];
    for (const [query, message] of wrong) {
      const errors = expectErrors(await base.query(query), 400, message);
      assert.equal(errors.length, 1, errors.join());
    }
  });
});
