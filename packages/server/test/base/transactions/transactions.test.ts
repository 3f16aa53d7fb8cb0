import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { transactionAnswer } from '../../../src/base/operations/run-transaction.js';
import { type BaseService, createBaseService } from '../../../src/base/service.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { runAtOnce } from '../../../src/lib/concurrency/time-slices.js';
import { RequestError } from '../../../src/request-error.js';
import { readPut, readTransaction } from '../../support/read-bodies.js';

interface Item {
  readonly key: string;
  readonly n?: number;
  readonly log?: readonly unknown[];
  readonly text?: string;
  readonly __expires?: number;
}

type Query = { readonly n?: number; readonly 'n?gte'?: number; readonly 'n?ne'?: number };

interface Update {
  readonly key: string;
  readonly if?: Query | Query[] | null;
  readonly set?: {
    readonly n?: number;
    readonly text?: string;
    readonly __expires?: number;
    readonly 'none.a'?: number;
  };
  readonly increment?: { readonly n: number };
  readonly append?: { readonly log: readonly unknown[] };
  readonly delete?: readonly string[];
}

type Operation =
  | { readonly put: Item }
  | { readonly insert: Item }
  | { readonly update: Update }
  | { readonly delete: { readonly key: string; readonly if?: Query | Query[] | null } }
  | { readonly check: { readonly key: string; readonly if: Query | Query[] | null } };

type Outcome = { readonly results: readonly object[] } | { readonly index: number; readonly status: number };

const nowSeconds = 1_700_000_000;

/** The plain model: a map, changed by each operation in turn, and thrown away if one fails. */
function apply(items: ReadonlyMap<string, Item>, operations: readonly Operation[]) {
  const copy = new Map(items);
  const results: object[] = [];
  for (const [index, operation] of operations.entries()) {
    const result = applyOne(copy, operation);
    if (typeof result === 'number') return { items, outcome: { index, status: result } satisfies Outcome };
    results.push(result);
  }
  return { items: copy, outcome: { results } satisfies Outcome };
}

/** The result, or the status of what fails. */
function applyOne(items: Map<string, Item>, operation: Operation): object | number {
  const alive = (key: string) => {
    const item = items.get(key);
    return item?.__expires !== undefined && item.__expires <= nowSeconds ? undefined : item;
  };
  if ('put' in operation) {
    items.set(operation.put.key, operation.put);
    return operation.put;
  }
  if ('insert' in operation) {
    if (alive(operation.insert.key) !== undefined) return 409;
    items.set(operation.insert.key, operation.insert);
    return operation.insert;
  }
  if ('update' in operation) {
    const { key, if: query, ...members } = operation.update;
    const item = alive(key);
    if (item === undefined) return 404;
    if (query !== undefined && query !== null && !matches(item, query)) return 412;
    if (members.set?.['none.a'] !== undefined) return 400;
    const { set, increment, append, delete: removed = [] } = members;
    const changed: Record<string, unknown> = { ...item, ...set };
    if (increment !== undefined) changed.n = (item.n ?? 0) + increment.n;
    if (append?.log !== undefined) changed.log = [...(item.log ?? []), ...append.log];
    for (const name of removed) delete changed[name];
    items.set(key, changed as unknown as Item);
    return { key, ...members };
  }
  const { key, if: query } = 'delete' in operation ? operation.delete : operation.check;
  const item = alive(key);
  const mustBeMissing = 'check' in operation && query === null;
  if (mustBeMissing && item !== undefined) return 412;
  if (query !== undefined && query !== null && (item === undefined || !matches(item, query))) return 412;
  if ('delete' in operation) items.delete(key);
  return { key };
}

function matches(item: Item, query: Query | Query[]): boolean {
  const list = Array.isArray(query) ? query : [query];
  if (list.length === 0) return true;
  return list.some(({ n, 'n?gte': least, 'n?ne': other }) => {
    if (n !== undefined && item.n !== n) return false;
    if (least !== undefined && !(item.n !== undefined && item.n >= least)) return false;
    return other === undefined || item.n !== other;
  });
}

const key = fc.constantFrom('a', 'b', 'c');
const n = fc.integer({ min: 0, max: 3 });
/** Beyond 16 KiB, an item is changed outside of the engine's transaction. */
const text = fc.constantFrom('', 'x', 'y'.repeat(20_000));
const expires = fc.constantFrom(nowSeconds - 1, nowSeconds, nowSeconds + 100);
const optional = { requiredKeys: [] };
const query: fc.Arbitrary<Query> = fc.record({ n, 'n?gte': n, 'n?ne': n }, optional);
const condition = fc.oneof(
  { weight: 4, arbitrary: query },
  fc.array(query, { maxLength: 2 }),
  fc.constant(null),
);
const item: fc.Arbitrary<Item> = fc.record(
  { key, n, text, log: fc.constant([]), __expires: expires },
  { requiredKeys: ['key'] },
);
const update: fc.Arbitrary<Update> = fc
  .tuple(
    key,
    fc.option(condition, { nil: undefined }),
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ increment: fc.record({ n }) }) },
      { weight: 2, arbitrary: fc.record({ append: fc.record({ log: fc.tuple(n) }) }) },
      { weight: 2, arbitrary: fc.record({ set: fc.record({ n, text }, { requiredKeys: ['n'] }) }) },
      fc.record({ set: fc.record({ __expires: expires }) }),
      fc.record({ delete: fc.constant(['n', 'text']) }),
      { weight: 3, arbitrary: fc.record({ set: fc.record({ 'none.a': n }) }) },
    ),
  )
  .map(([key, condition, members]) => ({
    key,
    ...(condition === undefined ? {} : { if: condition }),
    ...members,
  }));
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ put: item }),
  fc.record({ insert: item }),
  { weight: 4, arbitrary: fc.record({ update }) },
  fc.record({ delete: fc.record({ key, if: condition }, { requiredKeys: ['key'] }) }),
  fc.record({ check: fc.record({ key, if: condition }) }),
);
const transactions = fc
  .array(fc.array(operation, { minLength: 1, maxLength: 6 }), { maxLength: 8 })
  // As it is sent: the records of fast-check have no prototype.
  .map((list) => JSON.parse(JSON.stringify(list)) as Operation[][]);

describe('transactions', () => {
  let items: ItemStore;
  let service: BaseService;

  beforeEach(async () => {
    items = await openLevelStore({ memory: true });
    service = createBaseService(items, () => nowSeconds * 1000);
  });
  afterEach(() => items.close());

  async function run(
    base: string,
    operations: readonly Operation[],
    by: BaseService = service,
  ): Promise<Outcome> {
    const read = readTransaction(JSON.stringify({ operations }));
    const { failure, items } = await by.transact('p', base, read);
    if (failure !== undefined) return { index: failure.index, status: failure.error.status };
    return JSON.parse(runAtOnce(transactionAnswer(read, items)).toString()) as Outcome;
  }

  async function stored(base: string, key: string): Promise<Item | undefined> {
    const row = await service.get('p', base, key);
    return row === undefined ? undefined : (JSON.parse(row.toString()) as Item);
  }

  const put = (base: string, ...values: Item[]) =>
    service.put('p', base, readPut(JSON.stringify({ items: values })));

  test('do what a plain model does, and answer what it answers', async () => {
    let bases = 0;
    let done = 0;
    const failed = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(transactions, async (list) => {
        const base = `b${++bases}`;
        let model: ReadonlyMap<string, Item> = new Map();
        for (const operations of list) {
          const expected = apply(model, operations);
          model = expected.items;
          assert.deepEqual(await run(base, operations), expected.outcome);
          const { status } = { status: undefined, ...expected.outcome };
          if (status !== undefined) {
            failed.set(status, (failed.get(status) ?? 0) + 1);
          } else done++;
          for (const key of ['a', 'b', 'c']) {
            const item = model.get(key);
            const isAlive = item !== undefined && !((item.__expires ?? nowSeconds + 1) <= nowSeconds);
            assert.deepEqual(await stored(base, key), isAlive ? item : undefined);
          }
        }
      }),
      { numRuns: 400 },
    );
    assert.ok(done > 50, `${done} transactions were done`);
    for (const status of [400, 404, 409, 412]) {
      assert.ok((failed.get(status) ?? 0) > 0, `${failed.get(status)} failed with ${status}`);
    }
  });

  test('a put after which an item expires is due then', async () => {
    await run('b', [{ put: { key: 'a', __expires: nowSeconds + 5 } }, { put: { key: 'b' } }]);
    assert.deepEqual(await items.due(nowSeconds + 5, 10), [{ space: 'base/p/b', key: 'a' }]);
    await run('b', [{ update: { key: 'a', delete: ['__expires'] } }]);
    assert.deepEqual(await items.due(nowSeconds + 5, 10), []);
  });

  describe('large items that others change meanwhile', () => {
    const large = 'x'.repeat(200_000);

    /** Before each of the engine's transactions, somebody else changes the item. */
    function interrupted(times: number) {
      let left = times;
      let attempts = 0;
      const store: ItemStore = {
        ...items,
        async transact(space, keys, decide) {
          attempts++;
          if (left-- > 0) await run('b', [{ update: { key: 'a', increment: { n: 1 } } }]);
          return items.transact(space, keys, decide);
        },
      };
      return {
        service: createBaseService(store, () => nowSeconds * 1000),
        attempts: () => attempts,
      };
    }

    const both: readonly Operation[] = [
      { update: { key: 'a', increment: { n: 100 } } },
      { update: { key: 'b', increment: { n: 100 } } },
    ];

    test('the work is done again over what they left', async () => {
      await put('b', { key: 'a', n: 0, text: large }, { key: 'b', n: 0, text: large });
      const other = interrupted(3);
      assert.ok('results' in (await run('b', both, other.service)));
      assert.equal((await stored('b', 'a'))?.n, 103);
      assert.equal((await stored('b', 'b'))?.n, 100);
      assert.ok(other.attempts() > 3);
    });

    test('items that change all the time are changed within a transaction of the engine in the end', async () => {
      await put('b', { key: 'a', n: 0, text: large }, { key: 'b', n: 0, text: large });
      const other = interrupted(1000);
      assert.ok('results' in (await run('b', both, other.service)));
      assert.equal((await stored('b', 'a'))?.n, 100 + other.attempts());
      assert.equal((await stored('b', 'b'))?.n, 100);
    });

    test('when that would take too long, nothing is changed and the answer is 429', async () => {
      await put('b', { key: 'a', n: 0, text: large }, { key: 'b', n: 0, text: large });
      const increments = Array.from({ length: 10 }, () => both).flat();
      const other = interrupted(1000);
      await assert.rejects(run('b', increments, other.service), (cause) => {
        assert.ok(cause instanceof RequestError);
        assert.equal(cause.status, 429);
        assert.equal(cause.headers['Retry-After'], '1');
        return true;
      });
      assert.equal((await stored('b', 'a'))?.n, other.attempts());
      assert.equal((await stored('b', 'b'))?.n, 0);
    });
  });
});
