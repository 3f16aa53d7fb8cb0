import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import {
  readCountBody,
  readDeleteBody,
  readUpdateByQueryBody,
} from '../../../src/base/by-query/by-query-body.js';
import { type BaseService, createBaseService } from '../../../src/base/service.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { anyone, type Client } from '../../../src/http/memory/buffer-budget.js';
import { runAtOnce } from '../../../src/lib/concurrency/time-slices.js';
import { RequestError } from '../../../src/request-error.js';
import { baseSpace } from '../../../src/spaces.js';
import { bodyWith, readPut, readUpdate } from '../../support/read-bodies.js';

interface Item {
  readonly key: string;
  readonly n?: number | string;
  readonly log?: readonly number[];
  readonly __expires?: number;
}

type Conditions = Record<string, unknown>;

const nowSeconds = 1_700_000_000;
const space = baseSpace('p', 'b');

/** The plain model of the few conditions that are used here. */
function holds(item: Item, conditions: Conditions): boolean {
  return Object.entries(conditions).every(([condition, operand]) => {
    const isNumber = typeof item.n === 'number';
    if (condition === 'n') return item.n === operand;
    if (condition === 'n?gte') return isNumber && (item.n as number) >= (operand as number);
    if (condition === 'n?ne') return item.n !== operand;
    if (condition === 'key?pfx') return item.key.startsWith(operand as string);
    throw new Error(condition);
  });
}

function matchesModel(item: Item, query: readonly Conditions[]): boolean {
  const isAlive = item.__expires === undefined || item.__expires > nowSeconds;
  return isAlive && (query.length === 0 || query.some((conditions) => holds(item, conditions)));
}

describe('sets of items', () => {
  let items: ItemStore;
  let bases: BaseService;

  beforeEach(async () => {
    items = await openLevelStore({ memory: true });
    bases = createBaseService(items, () => nowSeconds * 1000);
  });
  afterEach(() => items.close());

  const put = (given: readonly Item[]) =>
    bases.put('p', 'b', readPut(JSON.stringify({ items: given }), given.length));
  const count = (body: object) =>
    bases.byQuery.count(space, bodyWith(runAtOnce(readCountBody(Buffer.from(JSON.stringify(body))))), anyone);
  const remove = (body: object, client = anyone) =>
    bases.byQuery.remove(
      space,
      bodyWith(runAtOnce(readDeleteBody(Buffer.from(JSON.stringify(body))))),
      client,
    );
  const update = (body: object) => {
    const read = runAtOnce(readUpdateByQueryBody(Buffer.from(JSON.stringify(body)), 0));
    return bases.byQuery.update(space, bodyWith(read), anyone);
  };
  const stored = async (): Promise<Item[]> => {
    const found: Item[] = [];
    for await (const rows of items.scanText(space)) {
      for (const { text } of rows) found.push(JSON.parse(text) as Item);
    }
    return found;
  };

  const item = fc.record(
    {
      key: fc.constantFrom(...'abcdefgh').chain((first) => fc.constantFrom(first, `${first}a`, `${first}b`)),
      n: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom('text', '1')),
      log: fc.constant([0]),
      __expires: fc.constantFrom(nowSeconds, nowSeconds + 1),
    },
    { requiredKeys: ['key'], noNullPrototype: true },
  );
  const otherConditions = fc.record(
    { n: fc.integer({ min: 0, max: 4 }), 'n?gte': fc.integer({ min: 0, max: 4 }), 'n?ne': fc.constant(1) },
    { requiredKeys: [] },
  );
  const query = fc
    .tuple(fc.array(otherConditions, { maxLength: 3 }), fc.constantFrom(undefined, '', 'a', 'b', 'ca'))
    .map(([objects, prefix]) =>
      prefix === undefined ? objects : objects.map((object) => ({ ...object, 'key?pfx': prefix })),
    );
  const limit = fc.constantFrom(undefined, 1, 2, 100);

  test('a body is forgotten while its count waits, and not before', async () => {
    await put([{ key: 'a' }]);
    let released = 0;
    const body = {
      ...bodyWith(runAtOnce(readCountBody(Buffer.from('{}')))),
      release: () => {
        released++;
      },
    };
    const counts = (times: number) =>
      Promise.all(Array.from({ length: times }, () => bases.byQuery.count(space, body, anyone)));
    await counts(4);
    assert.equal(released, 0);
    await counts(6);
    assert.equal(released, 2);
  });

  test('what is counted, deleted and updated is what a plain model says', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(item, { selector: ({ key }) => key, minLength: 1, maxLength: 16 }),
        query,
        limit,
        fc.boolean(),
        fc.constantFrom('delete', 'update'),
        async (given, query, limit, dry_run, kind) => {
          await bases.removeAll('p', 'b', '', () => false);
          await put(given as Item[]);
          const sorted = (given as Item[]).toSorted((a, b) => (a.key < b.key ? -1 : 1));
          const matching = sorted.filter((one) => matchesModel(one, query));
          const most = limit ?? Number.POSITIVE_INFINITY;
          assert.equal(await count({ query }), matching.length);
          const options = { query, all: true, dry_run, limit: limit ?? null };
          if (kind === 'delete') {
            const gone = matching.slice(0, most);
            const result = await remove(options);
            assert.equal(result.changed, gone.length);
            assert.deepEqual(await stored(), dry_run ? sorted : sorted.filter((one) => !gone.includes(one)));
            return;
          }
          const changes = { increment: { n: 10 }, append: { log: [1] } };
          const result = await update({ ...options, ...changes });
          const expected = new Map(sorted.map((one) => [one.key, one]));
          const failed: string[] = [];
          let updated = 0;
          for (const one of matching) {
            if (updated === most) break;
            if (typeof one.n === 'string' && !dry_run) failed.push(one.key);
            else {
              updated++;
              const { n = 0, log = [] } = one;
              if (!dry_run) expected.set(one.key, { ...one, n: Number(n) + 10, log: [...log, 1] });
            }
          }
          assert.equal(result.changed, updated);
          assert.deepEqual(
            result.failed.map(({ key }) => key),
            failed,
          );
          assert.equal(result.failedCount, failed.length);
          assert.deepEqual(await stored(), [...expected.values()]);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('updates by query and updates of the same items by others lose nothing', async () => {
    const keys = Array.from({ length: 40 }, (_, n) => `k${n}`);
    await put(keys.map((key) => ({ key, n: 0, log: [] })));
    let others = 0;
    let isOver = false;
    const write = async () => {
      for (let n = 0; !isOver; n++) {
        await bases.update('p', 'b', {
          key: keys[n % keys.length] as string,
          update: readUpdate('{"increment":{"n":1}}'),
        });
        others++;
        // In memory nothing waits for a disk: without this, nobody else would have a turn.
        await new Promise(setImmediate);
      }
    };
    const writers = [write(), write(), write()];
    let bySets = 0;
    for (let run = 0; run < 30; run++) {
      const result = await update({ query: { 'n?gte': 0 }, increment: { n: 1 } });
      assert.deepEqual(result.failed, []);
      bySets += result.changed;
    }
    isOver = true;
    await Promise.all(writers);
    assert.equal(bySets, 30 * keys.length);
    const sum = (await stored()).reduce((total, { n }) => total + Number(n), 0);
    assert.equal(sum, others + bySets);
  });

  test('what no longer matches when its turn comes is left alone', async () => {
    await put(Array.from({ length: 10 }, (_, n) => ({ key: `k${n}`, n: 1 })));
    // The store is changed between the read and the transaction.
    const transact = items.transact.bind(items);
    let isFirst = true;
    items.transact = async (where, keys, decide) => {
      if (isFirst) {
        isFirst = false;
        await put([
          { key: 'k3', n: 2 },
          { key: 'k4', n: 1, log: [1] },
        ]);
        await bases.remove('p', 'b', 'k5');
      }
      return await transact(where, keys, decide);
    };
    const result = await remove({ query: { n: 1 } });
    assert.equal(result.changed, 8);
    assert.deepEqual(await stored(), [{ key: 'k3', n: 2 }]);
  });

  test('the first hundred failures are reported, and all are counted', async () => {
    await put(Array.from({ length: 150 }, (_, n) => ({ key: `k${String(n).padStart(3, '0')}`, n: 'text' })));
    const result = await update({ all: true, increment: { n: 1 } });
    assert.equal(result.failed.length, 100);
    assert.equal(result.failedCount, 150);
    assert.match(result.failed[0]?.errors.join() ?? '', /^increment\.n: /);
  });

  test('it stops when the client has left', async () => {
    await put(Array.from({ length: 1200 }, (_, n) => ({ key: `k${n}`, n })));
    let hasLeft = false;
    const leaving: Client = {
      ...anyone,
      get isAbandoned() {
        return hasLeft;
      },
    };
    bases = createBaseService(
      {
        ...items,
        transact(...change) {
          hasLeft = true;
          return items.transact(...change);
        },
      },
      () => nowSeconds * 1000,
    );
    await assert.rejects(remove({ all: true }, leaving), RequestError);
    const left = (await stored()).length;
    assert.ok(left > 0 && left < 1200, `${left} items are left`);
  });
});
