import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type BaseService, createBaseService } from '../../src/base/service.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { baseSpace } from '../../src/spaces.js';
import { turnsDuring } from '../support/event-loop.js';
import { askQuery, readInsert, readPut, readQuery, readUpdate } from '../support/read-bodies.js';

const startMs = 1_700_000_000_000;

describe('base service', () => {
  let items: ItemStore;
  let service: BaseService;
  let nowMs: number;

  beforeEach(async () => {
    nowMs = startMs;
    items = await openLevelStore({ memory: true });
    service = createBaseService(items, () => nowMs);
  });
  afterEach(() => items.close());

  function bytes(value: unknown): Buffer {
    return Buffer.from(JSON.stringify(value));
  }

  async function put(...values: object[]) {
    for (let at = 0; at < values.length; at += 25) {
      await service.put('p', 'b', readPut(bytes({ items: values.slice(at, at + 25) })));
    }
  }

  async function get(key: string) {
    const found = await service.get('p', 'b', key);
    return found === undefined ? undefined : (JSON.parse(found.toString()) as unknown);
  }

  const insert = (value: object) => service.insert('p', 'b', readInsert(bytes({ item: value })));
  const update = async (key: string, value: object) =>
    (await service.update('p', 'b', { key, update: readUpdate(bytes(value)) })) !== undefined;

  async function query(value: object) {
    const page = await service.query('p', 'b', askQuery(bytes(value)));
    const items = JSON.parse(page.items.finish('[', ']').toString()) as { key: string }[];
    return { keys: items.map((item) => item.key), last: page.last };
  }

  async function walk(value: object) {
    const keys: string[] = [];
    let pages = 0;
    for (let last: string | undefined; ; ) {
      const page = await query({ ...value, last });
      keys.push(...page.keys);
      pages++;
      if (page.last === undefined) return { keys, pages };
      last = page.last;
    }
  }

  const soon = startMs / 1000 + 10;

  test('from its second on an expired item is gone for every operation', async () => {
    await put({ key: 'a', n: 1, __expires: soon }, { key: 'b' });
    assert.deepEqual(await get('a'), { key: 'a', n: 1, __expires: soon });
    nowMs = soon * 1000 - 1;
    assert.deepEqual((await query({})).keys, ['a', 'b']);
    nowMs = soon * 1000;
    assert.equal(await get('a'), undefined);
    assert.deepEqual((await query({})).keys, ['b']);
    assert.equal(await update('a', { increment: { n: 1 } }), false);
    assert.equal(await insert({ key: 'a', n: 2 }), true);
    assert.deepEqual(await get('a'), { key: 'a', n: 2 });
  });

  test('an expiry beyond all counting is taken, and never comes', async () => {
    for (const expires of [2 ** 48 - 1, 2 ** 48, 1e15, 9_007_199_254_740_992]) {
      await put({ key: 'far', __expires: expires });
      assert.deepEqual(await get('far'), { key: 'far', __expires: expires });
      assert.deepEqual(await items.due(nowMs, 10), []);
    }
  });

  test('an update sets, changes and deletes the expiry', async () => {
    await put({ key: 'a', __expires: soon }, { key: 'b' });
    await update('a', { delete: ['__expires'] });
    await update('b', { set: { __expires: soon } });
    nowMs = soon * 1000;
    assert.deepEqual(await get('a'), { key: 'a' });
    assert.equal(await get('b'), undefined);
  });

  test('a time beyond all calendars is a time like any other', async () => {
    await put(
      { key: 'a', __expires: 2 ** 48 },
      { key: 'b', __expires: 1e300 },
      { key: 'c', __expires: -1e300 },
    );
    assert.deepEqual(await get('b'), { key: 'b', __expires: 1e300 });
    assert.equal(await get('c'), undefined);
    assert.deepEqual(await query({}), { keys: ['a', 'b'], last: undefined });
    assert.deepEqual(
      (await items.due(soon, 10)).map(({ key }) => key),
      ['c'],
    );
  });

  test('an expired row is named as due and taken away, one put again meanwhile is not', async () => {
    await put({ key: 'a', __expires: soon }, { key: 'b', __expires: soon });
    nowMs = soon * 1000;
    const space = baseSpace('p', 'b');
    assert.deepEqual(
      (await items.due(soon, 10)).map((row) => row.key),
      ['a', 'b'],
    );
    await put({ key: 'b', n: 2 });
    await service.handleDue(space, 'a');
    await service.handleDue(space, 'b');
    assert.equal(await items.get(space, 'a'), undefined);
    assert.deepEqual(await get('b'), { key: 'b', n: 2 });
    assert.deepEqual(await items.due(soon, 10), []);
  });

  test('insert takes a key once, update needs the item, remove does not', async () => {
    assert.equal(await insert({ key: 'a', n: 1 }), true);
    assert.equal(await insert({ key: 'a', n: 2 }), false);
    assert.equal(await update('a', { increment: { n: 5 } }), true);
    assert.deepEqual(await get('a'), { key: 'a', n: 6 });
    assert.equal(await update('none', { set: { n: 5 } }), false);
    await service.remove('p', 'b', 'a');
    await service.remove('p', 'b', 'a');
    assert.equal(await get('a'), undefined);
  });

  test('sixty-four updates of one item lose none', async () => {
    await put({ key: 'c', n: 0, list: [] });
    await Promise.all(
      Array.from({ length: 64 }, (_, n) => update('c', { increment: { n: 1 }, append: { list: [n] } })),
    );
    const found = (await get('c')) as { n: number; list: number[] };
    assert.equal(found.n, 64);
    assert.deepEqual(
      found.list.sort((a, b) => a - b),
      Array.from({ length: 64 }, (_, n) => n),
    );
  });

  /** Larger than what is changed within one transaction. */
  const large = 'x'.repeat(100_000);

  test('sixteen updates of one large item lose none, and let others be served meanwhile', async () => {
    await put({ key: 'c', n: 0, list: Array(50_000).fill(0), large });
    const turns = await turnsDuring(async () => {
      const updates = Array.from({ length: 16 }, (_, n) =>
        update('c', { increment: { n: 1 }, append: { list: [n] } }),
      );
      for (const isUpdated of await Promise.all(updates)) assert.equal(isUpdated, true);
    });
    const found = (await get('c')) as { n: number; list: number[] };
    assert.equal(found.n, 16);
    const appended = found.list.slice(50_000).sort((a, b) => a - b);
    assert.deepEqual(
      appended,
      Array.from({ length: 16 }, (_, n) => n),
    );
    assert.ok(turns > 10, `others had ${turns} turns`);
  });

  test('an update of a large item sees every write that comes while it is worked out', async () => {
    await put({ key: 'c', n: 0, m: 0, large });
    let isOver = false;
    let puts = 0;
    const others = (async () => {
      while (!isOver) {
        await put({ key: 'c', n: 0, m: ++puts, large });
        await setImmediate();
      }
    })();
    assert.equal(await update('c', { increment: { m: 1000 }, set: { large: 'small' } }), true);
    isOver = true;
    await others;
    // Either a put came after the update, or the update kept what the last put before it had stored.
    const { m } = (await get('c')) as { m: number };
    assert.ok(m === puts || m === puts + 1000, `${m} after ${puts} puts`);
  });

  test('an update of a large item that is refused, or whose item goes away, changes nothing', async () => {
    await put({ key: 'c', n: 'text', large });
    await assert.rejects(update('c', { set: { a: 1 }, increment: { n: 1 } }), /not a number/);
    assert.deepEqual(await get('c'), { key: 'c', n: 'text', large });
    const [isUpdated] = await Promise.all([update('c', { set: { n: 1 } }), service.remove('p', 'b', 'c')]);
    assert.equal(isUpdated && (await get('c')) !== undefined, false);
    assert.equal(await get('c'), undefined);
  });

  test('a page that ends on the last match carries no last, one with more does', async () => {
    await put(...['a', 'b', 'c', 'd'].map((key) => ({ key, even: key === 'b' || key === 'd' })));
    assert.deepEqual(await query({}), { keys: ['a', 'b', 'c', 'd'], last: undefined });
    assert.deepEqual(await query({ limit: 4 }), { keys: ['a', 'b', 'c', 'd'], last: undefined });
    assert.deepEqual(await query({ limit: 3 }), { keys: ['a', 'b', 'c'], last: 'c' });
    assert.deepEqual(await query({ limit: 1, query: [{ even: true }] }), { keys: ['b'], last: 'b' });
    assert.deepEqual(await query({ limit: 2, query: [{ even: true }] }), {
      keys: ['b', 'd'],
      last: undefined,
    });
    assert.deepEqual(await query({ limit: 1, query: [{ even: true }], last: 'b' }), {
      keys: ['d'],
      last: undefined,
    });
    assert.deepEqual(await query({ limit: 2, sort: 'desc' }), { keys: ['d', 'c'], last: 'c' });
    assert.deepEqual(await query({ limit: 2, sort: 'desc', last: 'c' }), {
      keys: ['b', 'a'],
      last: undefined,
    });
  });

  test('conditions on the key bound what is read, and last goes on inside them', async () => {
    await put(...['a1', 'a2', 'a3', 'b1', 'b2'].map((key) => ({ key })));
    assert.deepEqual(await query({ query: { 'key?pfx': 'a' }, limit: 2 }), {
      keys: ['a1', 'a2'],
      last: 'a2',
    });
    assert.deepEqual(await query({ query: { 'key?pfx': 'a' }, last: 'a2' }), {
      keys: ['a3'],
      last: undefined,
    });
    assert.deepEqual(await query({ query: { 'key?gt': 'a2' }, last: 'a1' }), {
      keys: ['a3', 'b1', 'b2'],
      last: undefined,
    });
    assert.deepEqual(await query({ query: { 'key?lt': 'b1' }, sort: 'desc', last: 'b2' }), {
      keys: ['a3', 'a2', 'a1'],
      last: undefined,
    });
    assert.deepEqual(await query({ query: { 'key?r': ['a2', 'b1'] } }), {
      keys: ['a2', 'a3', 'b1'],
      last: undefined,
    });
    assert.deepEqual(await query({ query: { key: 'b1' } }), { keys: ['b1'], last: undefined });
    assert.deepEqual(await query({ query: { key: 'b1' }, last: 'b1' }), { keys: [], last: undefined });
  });

  test('a page reads at most 1 MiB, before the filter and expired items included', async () => {
    const text = 'x'.repeat(100_000);
    const all = Array.from({ length: 30 }, (_, n) => ({ key: String(n).padStart(3, '0'), n, text }));
    for (const item of all) await put(item);
    const first = await query({});
    assert.equal(first.keys.length, 10);
    assert.equal(first.last, '009');
    const none = await query({ query: { n: 29 } });
    assert.deepEqual(none, { keys: [], last: '009' });
    assert.deepEqual((await walk({ query: { n: 29 } })).keys, ['029']);
    assert.equal((await walk({})).keys.length, 30);
    assert.equal((await walk({ sort: 'desc' })).keys.length, 30);
    for (const item of all.slice(0, 10)) await put({ ...item, __expires: soon });
    nowMs = soon * 1000;
    assert.deepEqual(await query({ limit: 5 }), { keys: [], last: '009' });
  });

  test('the budget may run out behind the limit-th match: last is then the last key read', async () => {
    const text = 'x'.repeat(100_000);
    for (let n = 0; n < 15; n++) await put({ key: String(n).padStart(3, '0'), n, text });
    assert.deepEqual(await query({ limit: 1, query: { n: 2 } }), { keys: ['002'], last: '009' });
  });

  test('following last to the end yields each item that lived throughout once, whatever is written', async () => {
    const keys = Array.from({ length: 200 }, (_, n) => `k${String(n).padStart(4, '0')}`);
    await put(...keys.map((key) => ({ key, n: 0 })));
    const seen: string[] = [];
    let round = 0;
    for (let last: string | undefined; ; ) {
      const page = await query({ limit: 7, last });
      seen.push(...page.keys);
      await put(
        { key: `k${String(round).padStart(4, '0')}a` },
        { key: 'zz', round },
        { key: 'k0100', n: round },
      );
      await service.remove('p', 'b', `k${String(round).padStart(4, '0')}a`);
      round++;
      if (page.last === undefined) break;
      last = page.last;
    }
    assert.deepEqual(
      seen.filter((key) => keys.includes(key)),
      keys,
    );
  });

  test('a query with very many conditions leaves room for others', async () => {
    await put(...Array.from({ length: 2000 }, (_, n) => ({ key: `k${n}`, n })));
    const conditions = Array.from({ length: 1000 }, (_, n) => ({ n: -1 - n }));
    const turns = await turnsDuring(async () => {
      assert.deepEqual((await query({ query: conditions })).keys, []);
    });
    assert.ok(turns > 5, `others had ${turns} turns`);
  });

  test('bases and projects do not see each other', async () => {
    await put({ key: 'a' });
    assert.equal(await service.get('p', 'b2', 'a'), undefined);
    assert.equal(await service.get('p2', 'b', 'a'), undefined);
    assert.equal((await service.query('p', 'b/', askQuery(bytes({})))).items.count, 0);
  });

  test('a batch of an import is one transaction, and smaller ones where each stored item is read', async () => {
    const sizes: number[] = [];
    const watched = createBaseService(
      {
        ...items,
        transact: (space, keys, decide) =>
          items.transact(space, keys, (rows) => {
            const change = decide(rows);
            if (change.puts !== undefined) sizes.push(change.puts.length);
            return change;
          }),
      },
      () => nowMs,
    );
    const [item] = readPut(bytes({ items: [{ key: 'a' }] }));
    assert.ok(item !== undefined);
    const batch = Array.from({ length: 2500 }, (_, n) => ({ ...item, key: `k${n}` }));
    await watched.putBatch('p', 'plain', batch);
    assert.deepEqual(sizes.splice(0), [2500]);
    await watched.indexes.declare(baseSpace('p', 'indexed'), 'i', { fields: ['n'] });
    await watched.putBatch('p', 'indexed', [item]);
    sizes.splice(0);
    await watched.putBatch('p', 'indexed', batch);
    // The index is built in the meantime, and each item has an entry. Each transaction changes the counter.
    assert.deepEqual(
      sizes.filter((size) => size >= 1000),
      [2001, 2001, 1001],
    );
    const last = batch.at(-1)?.key as string;
    assert.ok((await watched.get('p', 'indexed', last)) !== undefined);
    await watched.stop();
  });

  test('a query is released while it waits for its turn, and only then', async () => {
    await put({ key: 'a', n: 1 });
    for (const body of [{ query: { n: 1 } }, { query: { n: 1 }, order: ['n'] }]) {
      const releases: number[] = Array(8).fill(0);
      const read = readQuery(bytes(body));
      const pages = releases.map((_, n) =>
        service.query('p', 'b', {
          read: () => read,
          release: () => {
            releases[n] = (releases[n] as number) + 1;
          },
        }),
      );
      for (const { items } of await Promise.all(pages)) assert.equal(items.count, 1);
      assert.equal(releases[0], 0);
      assert.equal(releases.at(-1), 1);
      assert.deepEqual(releases, releases.toSorted());
    }
  });
});
