import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { ReadCost } from '../../../src/base/pages/matches-of.js';
import { type BaseService, createBaseService } from '../../../src/base/service.js';
import type { ItemStore, Put } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { baseSpace } from '../../../src/spaces.js';
import { askQuery } from '../../support/read-bodies.js';
import { settled } from '../../support/same-answers.js';

const space = baseSpace('p', 'b');
const count = 30_000;
const expired = 7;

/** What is read for a query. The items are those with `n` from 0 on, and `even` for every other one. */
describe('what a query by an index reads', () => {
  let folder: string;
  let items: ItemStore;
  let service: BaseService;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'basedrive-cost-'));
    items = await openLevelStore({ folder, create: true });
    service = createBaseService(items, Date.now);
    for (let from = 0; from < count; from += 10_000) {
      const puts = Array.from({ length: 10_000 }, (_, n) => itemOf(from + n));
      await items.transact(space, [], () => ({ puts, result: undefined }));
    }
    await service.indexes.declare(space, 'by-n', { fields: ['n'] });
    await settled(items, space);
  });
  after(async () => {
    await service.stop();
    await items.close();
    await rm(folder, { recursive: true });
  });

  async function ask(body: object) {
    const cost: ReadCost = { items: 0, bytes: 0 };
    const page = await service.query('p', 'b', askQuery(JSON.stringify(body)), {
      isAbandoned: () => false,
      cost,
    });
    const found = JSON.parse(page.items.finish('[', ']').toString()) as { n: number }[];
    return { found: found.map(({ n }) => n), total: page.total, items: cost.items, index: cost.index };
  }

  test('the items of its entries, or all items, and never some of the former besides the latter', async () => {
    for (const [entries, read] of [
      [900, 900],
      [count / 4, count / 4],
      [count / 4 + 2, count],
      [21_000, count],
    ] as const) {
      const asked = { query: { 'n?lt': entries, even: true }, count: true, limit: 1, order: ['even'] };
      const { items, total } = await ask(asked);
      assert.deepEqual([items, total], [read, entries / 2 - Math.ceil(expired / 2)]);
    }
  });

  test('as many entries as need a count of all items, while other requests leave but one turn', async () => {
    let isOver = false;
    const others = (async () => {
      while (!isOver) {
        for (let n = 0; n < 8; n++) await service.get('p', 'b', 'none');
        await nextTurn();
      }
    })();
    const found = await Promise.race([
      ask({ order: ['-n'], limit: 1000 }),
      wait(20_000, undefined, { ref: false }),
    ]);
    isOver = true;
    await others;
    assert.equal(found?.found.length, 1000);
  });

  test('no item for a count that the index decides', async () => {
    for (const [query, total] of [
      [{}, count - expired],
      [{ 'n?lt': 15_000 }, 15_000 - expired],
      [{ 'n?r': [3, 20] }, 18 - 4],
      [{ n: 5 }, 0],
      [{ n: 50 }, 1],
      [{ 'n?exists': false }, 0],
      [{ 'n?gt': 10, 'n?lt': 20 }, 9],
    ] as const) {
      const { items, index, ...page } = await ask({ query, count: true, limit: 2, order: ['n'] });
      assert.equal(page.total, total, JSON.stringify(query));
      assert.equal(index, 'by-n');
      assert.ok(items <= 2 + 1 + expired, `${items} items were read for ${JSON.stringify(query)}`);
    }
  });

  test('on from where the index stops to pay, for a page in an order', async () => {
    const rare = { 'n?gte': 0, rare: true };
    const { found, items } = await ask({ query: rare, order: ['n'], limit: 5 });
    assert.deepEqual(found, [1000, 11_000, 21_000]);
    assert.ok(items > count && items <= 1.25 * count, `${items}`);
    assert.deepEqual((await ask({ query: rare, order: ['-n'], limit: 2 })).found, [21_000, 11_000]);
    assert.deepEqual((await ask({ query: rare, order: ['n'], limit: 5, offset: 2 })).found, [21_000]);
    assert.deepEqual((await ask({ query: rare, order: ['n'], limit: 1, offset: 1 })).found, [11_000]);
  });
});

function itemOf(n: number): Put {
  const isExpired = n < expired;
  const members = [
    `"key":"k${String((n * 7919) % count).padStart(6, '0')}"`,
    `"n":${n}`,
    ...(n % 2 === 0 ? ['"even":true'] : []),
    ...(n % 10_000 === 1000 ? ['"rare":true'] : []),
    ...(isExpired ? ['"__expires":1'] : []),
  ];
  const key = `k${String((n * 7919) % count).padStart(6, '0')}`;
  return { key, value: Buffer.from(`{${members}}`), ...(isExpired && { dueSeconds: 1 }) };
}
