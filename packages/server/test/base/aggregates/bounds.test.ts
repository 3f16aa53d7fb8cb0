import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { readAggregateBody } from '../../../src/base/aggregates/aggregate-body.js';
import { Groups } from '../../../src/base/aggregates/groups.js';
import { type BaseService, createBaseService } from '../../../src/base/service.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { createValueBudget } from '../../../src/http/memory/budgets.js';
import { anyone, type Client } from '../../../src/http/memory/buffer-budget.js';
import { runAtOnce } from '../../../src/lib/concurrency/time-slices.js';
import { RequestError } from '../../../src/request-error.js';
import { baseSpace } from '../../../src/spaces.js';
import { turnsDuring } from '../../support/event-loop.js';
import { bodyWith, readPut } from '../../support/read-bodies.js';
import { settled } from '../../support/same-answers.js';

const requestOf = (body: object) => runAtOnce(readAggregateBody(Buffer.from(JSON.stringify(body))));
const byN = { group: ['n'], aggregates: { most: { max: 'text' }, total: { sum: 'n' } } };

describe('the bounds of aggregates', () => {
  let items: ItemStore;
  let bases: BaseService;

  beforeEach(async () => {
    items = await openLevelStore({ memory: true });
    bases = createBaseService(items, Date.now);
  });
  afterEach(() => items.close());

  async function put(count: number, text: string): Promise<void> {
    for (let at = 0; at < count; at += 1000) {
      const given = Array.from({ length: 1000 }, (_, n) => ({ key: `k${at + n}`, n: at + n, text }));
      await bases.put('p', 'b', readPut(JSON.stringify({ items: given }), 1000));
    }
  }
  const compute = (body: object, client: Client = anyone, cost = { items: 0, bytes: 0 }) =>
    bases.aggregates.compute(baseSpace('p', 'b'), bodyWith(requestOf(body)), client, cost);

  test('100,000 groups are allowed, and one more is refused', () => {
    const groups = new Groups(
      requestOf({ group: ['n'], aggregates: { items: { count: true } } }),
      Number.POSITIVE_INFINITY,
    );
    const add = (from: number, count: number) =>
      runAtOnce(
        groups.add(
          Array.from({ length: count }, (_, n) => [String(from + n)]),
          (row) => row,
        ),
      );
    add(0, 100_000);
    add(0, 10);
    assert.equal(groups.all.size, 100_000);
    assert.throws(() => add(100_000, 1), /^RequestError: group: makes more than 100000 groups: narrow/);
  });

  test('a number of different values is exact, or refused when they need too much memory', () => {
    const groups = new Groups(requestOf({ aggregates: { values: { distinct: 'n' } } }), 100_000);
    const add = (count: number) =>
      runAtOnce(
        groups.add(
          Array.from({ length: count }, (_, n) => [String(n)]),
          (row) => row,
        ),
      );
    for (const count of [500, 300, 501]) add(count);
    assert.equal([...groups.all.values()][0]?.accumulators[0]?.result.json, '501');
    assert.throws(() => add(100_000), /^RequestError: aggregates: the groups and their values have too many/);
  });

  test('what groups and their values need is counted, and bounded', async () => {
    const budget = createValueBudget(8 * 1024 * 1024);
    bases = createBaseService(items, Date.now, { values: budget });
    await put(10_000, 'x'.repeat(500));
    await assert.rejects(
      compute(byN),
      /^RequestError: aggregates: the groups and their values have too many bytes/,
    );
    assert.equal(budget.state().heldBytes, 0);
    let held = 0;
    const watching: Client = {
      ...anyone,
      get isAbandoned() {
        held = Math.max(held, budget.state().heldBytes);
        return false;
      },
    };
    await compute({ ...byN, query: { 'n?lt': 2000 } }, watching);
    assert.ok(held > 2000 * 500, `${held} bytes were counted`);
    assert.equal(budget.state().heldBytes, 0);
    await compute({ group: ['text'], aggregates: { n: { count: true } } });
  });

  test('others are served meanwhile, and it ends when the client leaves', async () => {
    await put(40_000, 'short');
    const turns = await turnsDuring(() => compute({ ...byN, limit: 10, order: ['-total'] }));
    assert.ok(turns > 5, `${turns} turns of the event loop`);
    const cost = { items: 0, bytes: 0 };
    const leaving: Client = {
      ...anyone,
      get isAbandoned() {
        return cost.items > 2000;
      },
    };
    await assert.rejects(compute(byN, leaving, cost), RequestError);
    assert.ok(cost.items < 10_000, `${cost.items} items`);
  });

  test('pages have at most a megabyte, and none is lost', async () => {
    await put(3000, 'x'.repeat(1000));
    const seen = new Set<number>();
    let pages = 0;
    for (let last: string | undefined; ; pages++) {
      const page = JSON.parse((await compute({ ...byN, last })).toString()) as {
        groups: { group: { n: number } }[];
        paging: { last?: string };
      };
      for (const { group } of page.groups) seen.add(group.n);
      ({ last } = page.paging);
      if (last === undefined) break;
    }
    assert.equal(seen.size, 3000);
    assert.ok(pages >= 2, `${pages} pages`);
  });

  test('items that have just expired are read few at a time, if they are large', async () => {
    let now = Date.now();
    const sizes: number[] = [];
    const watched: ItemStore = {
      ...items,
      async snapshot(space, options) {
        const snapshot = await items.snapshot(space, options);
        return {
          ...snapshot,
          async texts(keys) {
            const texts = await snapshot.texts(keys);
            sizes.push(texts.reduce((sum, text) => sum + (text?.length ?? 0), 0));
            return texts;
          },
        };
      },
    };
    bases = createBaseService(watched, () => now);
    await bases.indexes.declare(baseSpace('p', 'b'), 'n', { fields: ['n'] });
    await settled(items, baseSpace('p', 'b'));
    const expires = Math.floor(now / 1000) + 60;
    const text = 'x'.repeat(100_000);
    for (let n = 0; n < 60; n++) {
      const ends = n % 3 === 0 ? {} : { __expires: expires };
      await bases.put('p', 'b', readPut(JSON.stringify({ items: [{ key: `k${n}`, n, text, ...ends }] })));
    }
    now += 120_000;
    const cost = { items: 0, bytes: 0, index: undefined };
    const answer = await compute(
      { aggregates: { items: { count: true } }, query: { 'n?gte': 0 } },
      anyone,
      cost,
    );
    assert.match(answer.toString(), /"items":20\b/);
    assert.equal(cost.index, 'n');
    assert.ok(Math.max(...sizes) < 2_000_000, `${sizes}`);
  });
});
