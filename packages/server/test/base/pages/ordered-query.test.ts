import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { type BaseService, createBaseService } from '../../../src/base/service.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { baseSpace } from '../../../src/spaces.js';
import { turnsDuring } from '../../support/event-loop.js';
import { messagesOf } from '../../support/messages.js';
import { askQuery, readQuery } from '../../support/read-bodies.js';
import { type Item, sortedItems } from '../../support/sorted-items.js';

describe('ordered queries', () => {
  let items: ItemStore;
  let service: BaseService;
  let bases = 0;

  beforeEach(async () => {
    items = await openLevelStore({ memory: true });
    service = createBaseService(items, () => 1_700_000_000_000);
  });
  afterEach(() => items.close());

  const space = () => baseSpace('p', `b${bases}`);

  function put(...values: (Item | string)[]): Promise<void> {
    const puts = values.map((item) => {
      const text = typeof item === 'string' ? item : JSON.stringify(item);
      const { key, __expires: expires } = JSON.parse(text) as Item;
      // The service stores an item that expires with its due time.
      return {
        key,
        value: Buffer.from(text),
        ...(typeof expires === 'number' ? { dueSeconds: expires } : {}),
      };
    });
    return items.transact(space(), [], () => ({ puts, result: undefined }));
  }
  const remove = (key: string) => items.transact(space(), [], () => ({ deletes: [key], result: undefined }));

  async function page(query: object) {
    const { items, ...paging } = await service.query('p', `b${bases}`, askQuery(JSON.stringify(query)));
    const size = items.count;
    return { ...paging, size, items: JSON.parse(items.finish('[', ']').toString()) as Item[] };
  }

  async function walk(query: object, between: () => Promise<unknown> = async () => undefined) {
    const found: Item[] = [];
    let last: string | undefined;
    let pages = 0;
    do {
      const next = await page({ ...query, last });
      found.push(...next.items);
      last = next.last;
      assert.ok(++pages <= 2000, 'the pages do not end');
      if (last !== undefined) await between();
    } while (last !== undefined);
    return { found, pages, keys: found.map(({ key }) => key) };
  }

  test('types follow each other, and what is missing comes last in either direction', async () => {
    await put(
      '{"key":"missing"}',
      '{"key":"null","a":null}',
      '{"key":"object","a":{"x":1}}',
      '{"key":"object0","a":{}}',
      '{"key":"list","a":[9]}',
      '{"key":"list0","a":[]}',
      '{"key":"smile","a":"😀"}',
      '{"key":"ffff","a":"\uffff"}',
      '{"key":"text","a":"b"}',
      '{"key":"empty","a":""}',
      '{"key":"big1","a":9007199254740993}',
      '{"key":"big0","a":9007199254740992}',
      '{"key":"one","a":1.0}',
      '{"key":"one0","a":1}',
      '{"key":"minus","a":-1e300}',
      '{"key":"true","a":true}',
      '{"key":"false","a":false}',
    );
    const up =
      'false true minus one one0 big0 big1 empty text ffff smile list list0 object object0 null missing';
    assert.deepEqual((await walk({ order: ['a'] })).keys, up.split(' '));
    const down =
      'null object object0 list list0 smile ffff text empty big1 big0 one one0 minus true false missing';
    for (const limit of [1, 2, 7, 100]) {
      assert.deepEqual((await walk({ order: ['-a'], limit })).keys, down.split(' '), `limit ${limit}`);
    }
  });

  test('several paths, and ties by key in the direction of sort', async () => {
    await put(
      { key: '1', a: 1, b: { c: 'x' } },
      { key: '2', a: 2, b: { c: 'x' } },
      { key: '3', a: 1, b: { c: 'y' } },
      { key: '4', a: 1, b: { c: 'x' } },
      { key: '5', b: 7 },
    );
    assert.deepEqual((await walk({ order: ['-b.c', 'a'] })).keys, ['3', '1', '4', '2', '5']);
    assert.deepEqual((await walk({ order: ['a', '-b.c'], limit: 1 })).keys, ['3', '1', '4', '2', '5']);
    assert.deepEqual((await walk({ order: ['a'], sort: 'desc', limit: 2 })).keys, ['4', '3', '1', '2', '5']);
    assert.deepEqual((await walk({ order: ['-key'] })).keys, ['5', '4', '3', '2', '1']);
    assert.deepEqual((await walk({ order: [], sort: 'desc' })).keys, ['5', '4', '3', '2', '1']);
  });

  test('pages, offsets, totals and selections are those of a plain model', async () => {
    const scalar = fc.constantFrom<unknown>(
      false,
      true,
      -1,
      0,
      1.5,
      2,
      '',
      'a',
      'B',
      'é',
      '😀',
      [],
      [1],
      {},
      null,
    );
    const item = fc.record({ a: scalar, b: scalar, pad: fc.nat(3) }, { requiredKeys: ['pad'] });
    const order = fc.constantFrom(['a'], ['-a'], ['a', '-b'], ['-b', '-a'], ['b', 'pad'], ['-pad', 'a', 'b']);

    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { maxLength: 30 }),
        order,
        fc.record({
          sort: fc.constantFrom('asc', 'desc'),
          limit: fc.integer({ min: 1, max: 9 }),
          offset: fc.nat(12),
          isFiltered: fc.boolean(),
        }),
        async (values, paths, { sort, limit, offset, isFiltered }) => {
          bases++;
          const all: Item[] = values.map((value, n) => ({ ...value, key: `${n % 7}${n}` }));
          await put(...all);
          const query = isFiltered ? { 'pad?lte': 1 } : null;
          const matching = all.filter(({ pad }) => !isFiltered || (pad as number) <= 1);
          const expected = sortedItems(matching, paths, sort).slice(offset);
          const asked = { query, order: paths, sort, limit, offset, count: true };
          const first = await page(asked);
          assert.equal(first.total, matching.length);
          assert.deepEqual(first.items, expected.slice(0, limit));
          assert.equal(first.last !== undefined, expected.length > limit);
          assert.deepEqual((await walk(asked)).found, expected);
          const keysOnly = await page({ ...asked, select: [] });
          assert.deepEqual(
            keysOnly.items,
            expected.slice(0, limit).map(({ key }) => ({ key })),
          );
          // By key, the same members mean the same.
          const byKey = sortedItems(matching, [], sort).slice(offset);
          const plain = await page({ query, sort, limit, offset, count: true });
          assert.deepEqual([plain.total, plain.items], [matching.length, byKey.slice(0, limit)]);
          assert.deepEqual((await walk({ query, sort, limit, offset })).found, byKey);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('a page has at most 1 MiB of items, however large the limit, and none is lost between pages', async () => {
    const texts = Array.from({ length: 60 }, (_, n) => ({
      key: `k${n}`,
      n: (n * 37) % 60,
      // Large ones among small ones: a page must not pass over the large ones that do not fit.
      pad: 'x'.repeat(n % 5 === 0 ? 390_000 : 9000),
    }));
    for (const text of texts) await put(text);
    const { found, pages } = await walk({ order: ['n'], limit: 1_000_000 });
    assert.deepEqual(
      found.map(({ n }) => n),
      Array.from({ length: 60 }, (_, n) => n),
    );
    assert.ok(pages >= 5 && pages <= 8, `${pages} pages`);
    const behind = await page({ order: ['n'], offset: 50, limit: 3 });
    assert.deepEqual(
      behind.items.map(({ n }) => n),
      [50, 51, 52],
    );
  });

  test('an offset behind the last match takes one reading, however many matches there are', async () => {
    for (let n = 0; n < 5; n++) await put({ key: `k${n}`, n, pad: 'x'.repeat(390_000) });
    const cost = { items: 0, bytes: 0 };
    const query = askQuery('{"order":["n"],"offset":5}');
    const request = { isAbandoned: () => false, cost };
    const { items: found, last } = await service.query('p', `b${bases}`, query, request);
    assert.deepEqual([found.count, last, cost.items], [0, undefined, 5]);
  });

  test('every item that lives unchanged is returned exactly once, whatever else is written', async () => {
    const steady = Array.from({ length: 120 }, (_, n) => ({ key: `s${n}`, n: n % 11 }));
    const moving = Array.from({ length: 40 }, (_, n) => ({ key: `m${n}`, n: n % 11 }));
    await put(...steady, ...moving);
    let round = 0;
    const { keys } = await walk({ order: ['-n'], limit: 7 }, async () => {
      round++;
      await put(...moving.map(({ key }, n) => ({ key, n: (n * round) % 13 })));
      await remove(`m${round}`);
      await put({ key: `new${round}`, n: round % 11 });
    });
    assert.ok(round > 10);
    const seen = keys.filter((key) => key.startsWith('s'));
    assert.equal(new Set(seen).size, seen.length, 'none twice');
    assert.equal(seen.length, steady.length);
  });

  test('the position survives strings of any length, escapes and missing attributes', async () => {
    const odd = ['"\\\n\u0001', 'é😀', 'x'.repeat(300_000), `${'x'.repeat(300_000)}y`, '', 'null'];
    for (const [n, a] of odd.entries()) await put({ key: `k"${n}`, a });
    await put({ key: 'none' });
    const { found } = await walk({ order: ['a', 'b'], limit: 1 });
    const byBytes = [...odd].sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
    assert.deepEqual(
      found.map(({ a }) => a),
      [...byBytes, undefined],
    );
  });

  test('expired items are passed over, and only the range of the key is read', async () => {
    await put(
      { key: 'a1', n: 2 },
      { key: 'a2', n: 1, __expires: 1 },
      { key: 'a3', n: 0 },
      { key: 'b', n: 3 },
    );
    const cost = { items: 0, bytes: 0 };
    const query = askQuery('{"query":{"key?pfx":"a"},"order":["n"],"count":true}');
    const request = { isAbandoned: () => false, cost };
    const { items: found, total } = await service.query('p', `b${bases}`, query, request);
    assert.equal(found.finish('[', ']').toString(), '[{"key":"a3","n":0},{"key":"a1","n":2}]');
    assert.equal(total, 2);
    assert.deepEqual(cost, { items: 3, bytes: 18 + 18 + 32 });
  });

  test('others are served during a long query, which ends when its client has gone', async () => {
    for (let n = 0; n < 60; n++) {
      await put(
        ...Array.from({ length: 1000 }, (_, m) => ({ key: `${n}-${m}`, n: m, pad: 'x'.repeat(200) })),
      );
    }
    const turns = await turnsDuring(() => page({ order: ['-n'], limit: 100, count: true }));
    assert.ok(turns > 3, `${turns} turns of the event loop`);
    const query = askQuery('{"order":["n"]}');
    const cost = { items: 0, bytes: 0 };
    const request = { isAbandoned: () => cost.items > 2000, cost };
    await assert.rejects(service.query('p', `b${bases}`, query, request), /closed/);
    assert.ok(cost.items < 10_000, `${cost.items} items`);
  });

  test('a wrong order or last is refused, and its place is named', async () => {
    const problem = (body: object) => messagesOf(() => readQuery(JSON.stringify(body)))[0] ?? '';
    for (const order of ['a', 1, {}, true]) assert.match(problem({ order }), /^order: must be a list/);
    assert.match(problem({ order: ['a', 7] }), /^order\[1\]: must be an attribute path$/);
    assert.match(problem({ order: ['a', ''] }), /^order\[1\]: the attribute path is empty/);
    assert.match(problem({ order: ['-'] }), /^order\[0\]: the attribute path is empty/);
    assert.match(problem({ order: ['a', '-tags.0.x'] }), /^order\[1\]: must not lead through a list/);
    assert.match(problem({ order: ['a', '-a'] }), /^order\[1\]: the path a is named twice$/);
    assert.match(problem({ order: Array(100_000).fill('a') }), /^order: has more than 10 paths$/);
    await put({ key: '1', a: 1 }, { key: '2', a: 1 });
    const { last } = await page({ order: ['a'], limit: 1 });
    assert.equal(typeof last, 'string');
    for (const wrong of [
      { order: ['-a'], last },
      { order: ['b'], last },
      { order: ['a'], last, sort: 'desc' },
      { order: ['a'], last: '1' },
      { order: ['a'], last: `${last}x` },
      { order: ['a'], last: Buffer.from('[[[[[[[[').toString('base64url') },
    ]) {
      assert.match(problem(wrong), /^last: must be the paging\.last of a page of the same order$/);
    }
  });
});
