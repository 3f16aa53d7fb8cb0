import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import type { ReadCost, Reading } from '../../../../../src/base/pages/matches-of.js';
import { readOrderedPage } from '../../../../../src/base/pages/ordered-page.js';
import type { OrderedQuery } from '../../../../../src/base/query/query-body.js';
import { createBaseService } from '../../../../../src/base/service.js';
import type { ItemStore, TextRow } from '../../../../../src/engines/item-store.js';
import { openLevelStore } from '../../../../../src/engines/level/store.js';
import { createSemaphore } from '../../../../../src/lib/concurrency/semaphore.js';
import { baseSpace } from '../../../../../src/spaces.js';
import { turnsDuring } from '../../../../support/event-loop.js';
import { askQuery, readQuery } from '../../../../support/read-bodies.js';
import { type Item, sortedItems } from '../../../../support/sorted-items.js';

const space = baseSpace('p', 'b');
const startMs = 1_700_000_000_000;

describe('an ordered query with a large offset', () => {
  let items: ItemStore;
  let nowMs: number;

  beforeEach(async () => {
    items = await openLevelStore({ memory: true });
    nowMs = startMs;
  });
  afterEach(() => items.close());

  async function put(all: readonly Item[]): Promise<void> {
    for (let at = 0; at < all.length; at += 1000) {
      const puts = all.slice(at, at + 1000).map((item) => ({
        key: item.key,
        value: Buffer.from(JSON.stringify(item)),
        // The service stores an item that expires with its due time.
        ...(typeof item.__expires === 'number' ? { dueSeconds: item.__expires } : {}),
      }));
      await items.transact(space, [], () => ({ puts, result: undefined }));
    }
  }

  async function page(query: object, store = items) {
    const service = createBaseService(store, () => nowMs);
    const cost = { items: 0, bytes: 0 };
    const request = { isAbandoned: () => false, cost };
    const found = await service.query('p', 'b', askQuery(JSON.stringify(query)), request);
    const { last, total } = found;
    return { cost, last, total, items: JSON.parse(found.items.finish('[', ']').toString()) as Item[] };
  }

  /** About 8 MB, in another order than that of the keys. */
  const many = Array.from({ length: 20_000 }, (_, n) => ({
    key: `k${n}`,
    n: (n * 7919) % 20_000,
    // Every third item expires before the others.
    ...(n % 3 === 0 && { __expires: startMs / 1000 + 60 }),
    pad: 'x'.repeat(360),
  }));

  /** The same store. `between` is called after each pass over all rows. */
  function withPause(between: () => Promise<void>): ItemStore {
    const paused = async function* (rows: AsyncIterable<readonly TextRow[]>) {
      yield* rows;
      await between();
    };
    return {
      ...items,
      scanText: (of, range) => paused(items.scanText(of, range)),
      async snapshot(of) {
        const snapshot = await items.snapshot(of);
        return { ...snapshot, scanText: (range) => paused(snapshot.scanText(range)) };
      },
    };
  }

  test('takes two passes, however many items it skips', async () => {
    await put(many);
    for (const [order, offset] of [
      [['n'], 5000],
      [['-n'], 10_000],
      [['pad', 'n'], 15_000],
      [['key'], 19_990],
    ] as const) {
      const { cost, total, items: found } = await page({ order, offset, limit: 20, count: true });
      assert.deepEqual(found, sortedItems(many, order, 'asc').slice(offset, offset + 20));
      assert.equal(total, many.length);
      assert.equal(cost.items, 2 * many.length, `${order}`);
    }
  });

  test('takes three passes if the items are large, and few if what they are ordered by is', async () => {
    const large = Array.from({ length: 60 }, (_, n) => ({
      key: `k${n}`,
      n: (n * 37) % 60,
      pad: 'x'.repeat(300_000),
    }));
    await put(large);
    const byNumber = await page({ order: ['n'], offset: 50, limit: 2 });
    assert.deepEqual(byNumber.items, sortedItems(large, ['n'], 'asc').slice(50, 52));
    assert.ok(byNumber.cost.items <= 3 * large.length, `${byNumber.cost.items} items`);
    const byText = await page({ order: ['pad', '-n'], offset: 50, limit: 2 });
    assert.deepEqual(byText.items, sortedItems(large, ['pad', '-n'], 'asc').slice(50, 52));
    // Five passes are usual. A pass that keeps the items themselves skips three of them, which takes 17.
    assert.ok(byText.cost.items <= 15 * large.length, `${byText.cost.items} items`);
  });

  test('sees one moment, whatever is written between the passes', async () => {
    await put(many);
    const offset = 12_000;
    const expected = sortedItems(many, ['n'], 'asc').slice(offset, offset + 5);
    let pauses = 0;
    const store = withPause(async () => {
      if (pauses++ > 0) return;
      await put(many.map((item) => ({ ...item, n: item.n + (item.n < 9000 ? 12_000 : 0) })));
      await put(Array.from({ length: 3000 }, (_, n) => ({ key: `new${n}`, n: -n })));
    });
    assert.deepEqual((await page({ order: ['n'], offset, limit: 5 }, store)).items, expected);
    assert.equal(pauses, 2);
  });

  test('skips only what has not expired, also if it expires between the passes', async () => {
    await put(many);
    const alive = sortedItems(
      many.filter((item) => !('__expires' in item)),
      ['n'],
      'asc',
    );
    for (const offset of [3000, 9000, alive.length - 2, alive.length, 15_000]) {
      nowMs = startMs;
      const store = withPause(async () => {
        nowMs = startMs + 60_000;
      });
      const { items: found, last } = await page({ order: ['n'], offset, limit: 5 }, store);
      assert.deepEqual(found, alive.slice(offset, offset + 5), `offset ${offset}`);
      assert.equal(last !== undefined, offset + 5 < alive.length);
    }
  });

  test('lets others be served', async () => {
    await put(many);
    const turns = await turnsDuring(() => page({ order: ['-n'], offset: 15_000, limit: 100 }));
    assert.ok(turns > 5, `${turns} turns of the event loop`);
  });

  test('gives the page of a plain model, in any memory', async () => {
    const long = 'é'.repeat(60);
    const value = fc.oneof(
      fc.constantFrom<unknown>(false, true, null, [], [1], {}, '', 'a', '😀', '\uffff', long, `${long}x`),
      fc.integer({ min: -3, max: 3 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    );
    const item = fc.record({ a: value, b: value, pad: fc.nat(200) }, { requiredKeys: ['pad'] });
    const order = fc.constantFrom(['a'], ['-a'], ['a', '-b'], ['-b', '-a'], ['pad'], ['-pad', 'b'], ['-key']);
    let passes = 0;
    let deepest = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { minLength: 1, maxLength: 300, size: 'max' }),
        order,
        fc.record({
          sort: fc.constantFrom('asc', 'desc'),
          limit: fc.option(fc.integer({ min: 1, max: 9 })),
          place: fc.integer({ min: 0, max: 1050 }),
          isFiltered: fc.boolean(),
          // An item has at most 600 bytes.
          maxBytes: fc.integer({ min: 600, max: 12_000 }),
        }),
        async (values, paths, { sort, limit, place, isFiltered, maxBytes }) => {
          const all = values.map((one, n) => ({
            ...one,
            key: `${(n * 31) % 17}-${n}`,
            text: 'x'.repeat(one.pad),
          }));
          const rows = all.map((one) => {
            const text = JSON.stringify(one);
            return { key: one.key, text, bytes: Buffer.byteLength(text) };
          });
          const offset = Math.floor((place / 1000) * all.length);
          const cost = { items: 0, bytes: 0 };
          const body = { query: isFiltered ? { 'pad?lte': 150 } : null, order: paths, sort, limit, offset };
          const query = readQuery(JSON.stringify(body));
          const source = { rows: () => inBatches(rows) };
          const found = await readOrderedPage(query as OrderedQuery, source, readingOf(cost), maxBytes);
          const matching = sortedItems(all, paths, sort).filter(
            ({ pad }) => !isFiltered || Number(pad) <= 150,
          );
          const behind = matching.slice(offset);
          const expected: Item[] = [];
          let bytes = 0;
          for (const one of behind.slice(0, limit ?? undefined)) {
            bytes += Buffer.byteLength(JSON.stringify(one));
            if (bytes > maxBytes) break;
            expected.push(one);
          }
          assert.deepEqual(JSON.parse(found.items.finish('[', ']').toString()), expected);
          assert.equal(found.last !== undefined, expected.length > 0 && expected.length < behind.length);
          passes += cost.items / all.length;
          deepest = Math.max(deepest, cost.items / all.length);
        },
      ),
      { numRuns: 400 },
    );
    assert.ok(deepest > 3 && deepest < 40, `${deepest} passes at most, ${passes} in all`);
  });
});

/** Rows in memory, a few at a time. */
async function* inBatches(rows: readonly TextRow[]) {
  for (let at = 0; at < rows.length; at += 50) yield rows.slice(at, at + 50);
}

function readingOf(cost: ReadCost): Reading {
  return { clock: () => startMs, turn: createSemaphore(() => 1), isAbandoned: () => false, cost };
}
