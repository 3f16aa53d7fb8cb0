import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { baseCounterKeys } from '../../../src/base/indexes/writing/counted-items.js';
import { type BaseService, createBaseService } from '../../../src/base/service.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { anyone } from '../../../src/http/memory/buffer-budget.js';
import { baseSpace } from '../../../src/spaces.js';
import { askCount, askQuery, readPut, readTransaction } from '../../support/read-bodies.js';
import { settled } from '../../support/same-answers.js';

const space = baseSpace('p', 'b');
const count = 400;
const client = { ...anyone, project: 'p' };

/** Each item has another `n`. Transactions exchange two of them, so every moment has the numbers from 0 on once. */
describe('queries of an index that is in memory', () => {
  let folder: string;
  let items: ItemStore;
  let service: BaseService;
  /** How often nothing was waited for. */
  let readsSync = 0;
  let seconds = 1000;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'basedrive-synchronous-'));
    const store = await openLevelStore({ folder, create: true });
    const counting: ItemStore = {
      ...store,
      rowsSync(of) {
        const rows = store.rowsSync?.(of);
        return (
          rows && {
            ...rows,
            keys(range) {
              const keys = rows.keys(range);
              readsSync++;
              return keys;
            },
            count(range) {
              const found = rows.count(range);
              readsSync++;
              return found;
            },
          }
        );
      },
    };
    items = counting;
    service = createBaseService(counting, () => seconds * 1000);
    for (let n = 0; n < count; n += 25) {
      const puts = Array.from({ length: 25 }, (_, at) => ({
        key: keyOf(n + at),
        n: n + at,
        even: n % 2 === 0,
      }));
      await service.put('p', 'b', readPut(JSON.stringify({ items: puts })));
    }
    await service.indexes.declare(space, 'by-n', { fields: ['n'] });
    await settled(items, space);
  });
  after(async () => {
    await service.stop();
    await items.close();
    await rm(folder, { recursive: true });
  });

  const countOf = (query: object) =>
    service.byQuery.count(space, askCount(JSON.stringify({ query })), client);

  async function numbers(body: object) {
    const cost = { items: 0, bytes: 0 };
    const page = await service.query('p', 'b', askQuery(JSON.stringify(body)), {
      isAbandoned: () => false,
      cost,
    });
    const found = JSON.parse(page.items.finish('[', ']').toString()) as { n: number }[];
    return { numbers: found.map(({ n }) => n), total: page.total, last: page.last };
  }

  test('see each transaction as a whole, while others are written without a pause', async () => {
    let isOver = false;
    let written = 0;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      // Each writer has the items with a number of its own, modulo 4.
      const own = Array.from({ length: count }, (_, n) => n).filter((n) => n % 4 === writer);
      for (let round = 0; !isOver; round++, written++) {
        const [a, b] = [(7 * round) % own.length, (11 * round + 5) % own.length];
        if (a === b) continue;
        const [first, second] = [own[a] as number, own[b] as number];
        const body = { operations: [put(keyOf(writer + 4 * a), second), put(keyOf(writer + 4 * b), first)] };
        await service.transact('p', 'b', readTransaction(JSON.stringify(body)));
        own[a] = second;
        own[b] = first;
        // Now nothing of this writer is in flight: it reads what it wrote.
        assert.equal(await countOf({ n: first }), 1);
      }
    });
    const readers = Array.from({ length: 4 }, async (_, reader) => {
      for (let round = 0; written < 600; round++) {
        const from = (37 * round + 100 * reader) % (count - 20);
        const expected = Array.from({ length: 10 }, (_, at) => from + at);
        const up = await numbers({ query: { 'n?gte': from }, order: ['n'], limit: 10 });
        assert.deepEqual(up.numbers, expected);
        const down = await numbers({ query: { 'n?lt': from + 10 }, order: ['-n'], limit: 10, count: true });
        assert.deepEqual([down.numbers.toReversed(), down.total], [expected, from + 10]);
        assert.equal(await countOf({ 'n?r': [from, from + 14] }), 15);
        if (round % 3 === 0) await new Promise(setImmediate);
      }
    });
    await Promise.all(readers);
    isOver = true;
    await Promise.all(writers);
    assert.ok(readsSync > 300, `${readsSync} reads waited for nothing`);
  });

  test('give the same pages as those that wait, with offsets, conditions and selected attributes', async () => {
    const plain = createBaseService({ ...items, rowsSync: undefined }, () => seconds * 1000);
    const isAbandoned = () => false;
    /** A page and what it read, or no page if it waited for something. */
    async function askSync(text: string) {
      const cost = { items: 0, bytes: 0 };
      const before = readsSync;
      const page = await service.query('p', 'b', askQuery(text), { isAbandoned, cost });
      return [readsSync > before ? page : undefined, cost] as const;
    }
    for (const body of [
      { order: ['n'], limit: 7 },
      { order: ['-n'], limit: 7, offset: 13 },
      { order: ['n'], limit: 5, query: { even: true, 'n?gt': 30 }, offset: 2 },
      { order: ['-n'], limit: 40, query: { 'n?lt': 25 }, count: true, select: ['n'] },
      { order: ['n', '-key'], limit: 3, sort: 'desc', query: { 'n?gte': 397 } },
      { order: ['n'], limit: 3, query: { 'n?gte': 400 }, count: true },
    ]) {
      for (let last: string | undefined, pages = 0; pages < 4; pages++) {
        const text = JSON.stringify({ ...body, last });
        const waited = { items: 0, bytes: 0 };
        // It brings the entries into memory.
        const expected = await plain.query('p', 'b', askQuery(text), { isAbandoned, cost: waited });
        let [found, cost] = await askSync(text);
        // More items than may be read while everybody waits were not in memory: each attempt brings some.
        for (let attempts = 1; found === undefined && attempts < 5; attempts++)
          [found, cost] = await askSync(text);
        assert.ok(found !== undefined, `${text} waited`);
        assert.equal(
          found.items.finish('[', ']').toString(),
          expected.items.finish('[', ']').toString(),
          text,
        );
        assert.deepEqual(
          [found.last, found.total, found.items.count],
          [expected.last, expected.total, expected.items.count],
        );
        assert.deepEqual(cost, waited, text);
        last = found.last;
        if (last === undefined) break;
      }
    }
  });

  test('miss an item from the second on in which it expires, though its row is still there', async () => {
    const item = { key: 'expiring', n: 1000, __expires: seconds + 1 };
    await service.put('p', 'b', readPut(JSON.stringify({ items: [item] })));
    const asked = { query: { 'n?gte': 399 }, order: ['n'], limit: 5, count: true };
    assert.deepEqual(await numbers(asked), { numbers: [399, 1000], total: 2, last: undefined });
    seconds++;
    assert.deepEqual(await numbers(asked), { numbers: [399], total: 1, last: undefined });
    assert.equal(await countOf({ 'n?gte': 399 }), 1);
    const { total: _, ...uncounted } = await numbers({ ...asked, count: false });
    assert.deepEqual(uncounted, { numbers: [399], last: undefined });
    await service.remove('p', 'b', 'expiring');
    assert.equal(await countOf({ 'n?gte': 399 }), 1);
  });

  test('do not wait while the counter of the base is due, which is no item', async () => {
    const [head] = baseCounterKeys as [string];
    const value = (await items.get(space, head)) ?? Buffer.from('{}');
    const putHead = (dueSeconds?: number) =>
      items.transact(space, [], () => ({ puts: [{ key: head, value, dueSeconds }], result: undefined }));
    await putHead(0);
    // It brings the entries into memory.
    await countOf({ 'n?gte': 300 });
    const before = readsSync;
    assert.equal(await countOf({ 'n?gte': 300 }), 100);
    assert.equal(readsSync, before + 1);
    await putHead();
  });

  test('end when the index is dropped', async () => {
    assert.equal(await countOf({ 'n?gte': 300 }), 100);
    await service.indexes.drop(space, 'by-n');
    assert.equal(await countOf({ 'n?gte': 300 }), 100);
    await settled(items, space);
    const before = readsSync;
    assert.equal(await countOf({ 'n?gte': 300 }), 100);
    assert.equal(readsSync, before);
  });
});

function keyOf(n: number): string {
  return `k${String(n).padStart(4, '0')}`;
}

function put(key: string, n: number) {
  return { put: { key, n, even: n % 2 === 0 } };
}
