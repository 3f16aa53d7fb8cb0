import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { checkIndexes } from '../../../src/base/indexes/check-indexes.js';
import { type BaseService, createBaseService } from '../../../src/base/service.js';
import { headerKey, type ItemStore } from '../../../src/engines/item-store.js';
import { RequestError } from '../../../src/request-error.js';
import { baseSpace } from '../../../src/spaces.js';
import { folderStore, memoryStore } from '../../support/copy-fixture.js';
import { readInsert, readPut, readTransaction } from '../../support/read-bodies.js';
import { settled } from '../../support/same-answers.js';
import { forgetful, winnersOfRaces } from '../../support/unique-races.js';

const space = baseSpace('p', 'b');
let seconds = 1000;

/** A base with a unique index of these fields, and what its tests ask of it. */
async function uniqueBase(context: TestContext, fields: readonly string[], items?: ItemStore) {
  const store = items ?? (await memoryStore(context)).items;
  const bases = createBaseService(store, () => seconds * 1000);
  await bases.indexes.declare(space, 'one', { fields, unique: true });
  await settled(store, space);
  return { items: store, bases, ...asking(bases) };
}

function asking(bases: BaseService) {
  /** Puts items. Gives what is refused. */
  async function put(...items: string[]): Promise<string> {
    try {
      await bases.put('p', 'b', readPut(`{"items":[${items}]}`));
      return '';
    } catch (cause) {
      if (!(cause instanceof RequestError)) throw cause;
      return `${cause.status} ${cause.problems.map(({ code, path }) => `${code} ${path}`)}`;
    }
  }
  async function transact(...operations: string[]): Promise<string> {
    const { failure } = await bases.transact('p', 'b', readTransaction(`{"operations":[${operations}]}`));
    return failure === undefined ? '' : `${failure.index} ${failure.error.problems[0]?.code}`;
  }
  return { put, transact };
}

async function problemsOf(items: ItemStore): Promise<string[]> {
  const problems: string[] = [];
  for await (const { key, problem } of checkIndexes(items, space)) problems.push(`${key}: ${problem}`);
  return problems;
}

const long = 'x'.repeat(300);

describe('a unique index', () => {
  test('compares values as queries do: whole, and with their types', async (context) => {
    const { put, items } = await uniqueBase(context, ['v']);
    const different = [
      '1',
      '"1"',
      'true',
      'null',
      '[]',
      '{}',
      '[1]',
      '[1,2]',
      '[[1],2]',
      '{"a":1}',
      '{"a":[1]}',
      '"a,b"',
      `"${long}a"`,
      `"${long}b"`,
      '1e300',
      '-1',
      '0.1',
      '"\\n"',
    ];
    for (const [n, value] of different.entries()) assert.equal(await put(`{"key":"k${n}","v":${value}}`), '');
    const equal = [
      '1.0',
      '"1"',
      'true',
      'null',
      '[]',
      '{}',
      '[10e-1]',
      '{"a":1.0}',
      `"${long}a"`,
      '"\\u000a"',
    ];
    for (const value of equal)
      assert.equal(await put(`{"key":"other","v":${value}}`), '409 not_unique items[0]', value);
    assert.equal(await put('{"key":"x","v":{"a":1,"b":2}}'), '');
    assert.equal(await put('{"key":"y","v":{"b":2,"a":1}}'), '409 not_unique items[0]');
    assert.equal(await put('{"key":"free"}', '{"key":"free too"}'), '');
    assert.deepEqual(await problemsOf(items), []);
  });

  test('compares all fields together, and an item without one of them is free', async (context) => {
    const { put } = await uniqueBase(context, ['a', 'b.c']);
    assert.equal(await put('{"key":"1","a":1,"b":{"c":1}}', '{"key":"2","a":1,"b":{"c":2}}'), '');
    assert.equal(await put('{"key":"3","a":1}', '{"key":"4","a":1}', '{"key":"5","b":{"c":1}}'), '');
    assert.equal(await put('{"key":"6"}', '{"key":"7","a":1,"b":{"c":2}}'), '409 not_unique items[1]');
  });

  test('judges a write by what it leaves: values are exchanged, passed on, and given back', async (context) => {
    const { put, transact, bases, items } = await uniqueBase(context, ['v']);
    assert.equal(await put('{"key":"a","v":1}', '{"key":"b","v":2}'), '');
    assert.equal(await put('{"key":"a","v":2}', '{"key":"b","v":1}'), '');
    assert.equal(await put('{"key":"c","v":3}', '{"key":"d","v":3}'), '409 not_unique items[1]');
    assert.equal(await put('{"key":"a","v":2,"same":true}'), '');
    assert.equal(await transact('{"delete":{"key":"a"}}', '{"put":{"key":"c","v":2}}'), '');
    const twice = [
      '{"put":{"key":"e","v":9}}',
      '{"check":{"key":"b","if":{"v":1}}}',
      '{"put":{"key":"f","v":1}}',
    ];
    assert.equal(await transact(...twice), '2 not_unique');
    assert.equal(await transact('{"update":{"key":"b","set":{"v":2}}}'), '0 not_unique');
    assert.equal(await transact('{"update":{"key":"b","delete":["v"]}}', '{"put":{"key":"f","v":1}}'), '');
    await bases.remove('p', 'b', 'f');
    assert.equal(await put('{"key":"b","v":1}'), '');
    assert.deepEqual(await problemsOf(items), []);
    await bases.removeAll('p', 'b', '', () => false);
    assert.equal(await put('{"key":"z","v":1}', '{"key":"y","v":2}'), '');
    assert.deepEqual(await problemsOf(items), []);
  });

  test('says which values large items have already, if there are many', async (context) => {
    const { put, items } = await uniqueBase(context, ['v']);
    const zeros = Array(100_000).fill(0);
    for (let n = 0; n < 10; n++) assert.equal(await put(`{"key":"k${n}","v":${n}}`), '');
    const takers = Array.from(
      { length: 20 },
      (_, n) => `{"key":"t${n}","v":${n % 2 === 0 ? n / 2 : n + 100}}`,
    );
    const refused = await put(...takers);
    assert.equal(refused, '409 not_unique items[0]');
    for (let n = 0; n < 10; n++) assert.equal(await put(`{"key":"k${n}","v":${n},"zeros":[${zeros}]}`), '');
    assert.equal(await put(...takers), refused);
    assert.deepEqual(await problemsOf(items), []);
  });

  test('an item that has expired holds no value, though its row is still there', async (context) => {
    const { put, bases, items } = await uniqueBase(context, ['v']);
    seconds = 1000;
    assert.equal(await put('{"key":"a","v":1,"__expires":1010}', '{"key":"b","v":2}'), '');
    assert.equal(await put('{"key":"c","v":1}'), '409 not_unique items[0]');
    seconds = 1010;
    assert.notEqual(await items.get(space, 'a'), undefined);
    assert.equal(await put('{"key":"b","v":2}', '{"key":"c","v":1}'), '');
    assert.equal(await items.get(space, 'a'), undefined);
    await bases.handleDue(space, 'a');
    assert.equal(await put('{"key":"d","v":1}'), '409 not_unique items[0]');
    assert.deepEqual(await problemsOf(items), []);
  });

  test('lines of an import that it does not allow are refused, and all others stored', async (context) => {
    const { put, bases, items } = await uniqueBase(context, ['v']);
    await put('{"key":"a","v":1}');
    const lines = (...written: string[]) => written.map((line) => readInsert(`{"item":${line}}`));
    const batch = lines(
      '{"key":"b","v":2}',
      '{"key":"c","v":1}',
      '{"key":"d","v":2}',
      '{"key":"e","v":3}',
      '{"key":"b","v":4}',
      '{"key":"d","v":2}',
    );
    const refused = async (store: 'putBatch' | 'insertBatch', of = batch) =>
      (await bases[store]('p', 'b', of)).map(({ index, error }) => `${index} ${error.problems[0]?.code}`);
    // The last line of a key counts: so 2 was free for d, at first.
    assert.deepEqual(await refused('putBatch'), ['1 not_unique']);
    assert.deepEqual(await refused('putBatch'), ['1 not_unique']);
    const others = lines('{"key":"e"}', '{"key":"f","v":5}', '{"key":"g","v":5}', '{"key":"h","v":1}');
    assert.deepEqual(await refused('insertBatch', others), ['0 item_exists', '2 not_unique', '3 not_unique']);
    assert.deepEqual(await problemsOf(items), []);
  });

  test('that items collide with is not built, says which, and can be declared again', async (context) => {
    const { items } = await memoryStore(context);
    const bases = createBaseService(items, () => seconds * 1000);
    const { put } = asking(bases);
    seconds = 1000;
    for (let n = 0; n < 40; n += 20) {
      const part = Array.from({ length: 20 }, (_, at) => n + at);
      await put(...part.map((of) => `{"key":"k${String(of).padStart(2, '0')}","v":${of % 33}}`));
    }
    const one = { fields: ['v'], unique: true } as const;
    const described = { name: 'one', ...one };
    assert.deepEqual(await bases.indexes.declare(space, 'one', one), {
      index: { ...described, state: 'building' },
      isNew: true,
    });
    await settled(items, space);
    const colliding = Array.from({ length: 7 }, (_, n) => [`k0${n}`, `k${33 + n}`])
      .flat()
      .sort();
    const collisions = colliding.slice(0, 10);
    const failed = { ...described, state: 'failed', collisions, entries: 0, exact: true, uses: 0 };
    assert.deepEqual(await bases.indexes.list(space, () => false), [failed]);
    assert.equal(await put('{"key":"new","v":1}'), '', 'nothing is refused for it');
    assert.deepEqual(await problemsOf(items), []);
    await bases.remove('p', 'b', 'new');
    for (let n = 33; n < 40; n++) await bases.remove('p', 'b', `k${n}`);
    assert.equal((await bases.indexes.declare(space, 'one', one)).isNew, true);
    await settled(items, space);
    assert.equal((await bases.indexes.list(space, () => false))[0]?.state, 'ready');
    assert.equal(await put('{"key":"new","v":1}'), '409 not_unique items[0]');
    assert.deepEqual(await problemsOf(items), []);
    await bases.indexes.drop(space, 'one');
    await settled(items, space);
    assert.equal(await put('{"key":"new","v":1}'), '');
    for await (const rows of items.scan(space))
      assert.ok(rows.every(({ key }) => !key.startsWith(headerKey)));
  });

  test('is built over items that have expired, whatever their values', async (context) => {
    const { items } = await memoryStore(context);
    const bases = createBaseService(items, () => seconds * 1000);
    const { put } = asking(bases);
    seconds = 1000;
    await put('{"key":"a","v":1,"__expires":1010}', '{"key":"b","v":1}', '{"key":"c","v":2}');
    await put('{"key":"d","v":2,"__expires":1010}', '{"key":"e","v":3,"__expires":1010}');
    seconds = 1010;
    await bases.indexes.declare(space, 'one', { fields: ['v'], unique: true });
    await settled(items, space);
    assert.equal((await bases.indexes.list(space, () => false))[0]?.state, 'ready');
    assert.deepEqual(await problemsOf(items), []);
  });

  test('check notices unique rows that are wrong or missing', async (context) => {
    const { put, items } = await uniqueBase(context, ['v']);
    await put('{"key":"a","v":1}', '{"key":"b","v":2}');
    const uniqueRows: string[] = [];
    for await (const rows of items.scan(space))
      uniqueRows.push(...rows.filter(({ key }) => /^\0\w+!/.test(key)).map(({ key }) => key));
    assert.equal(uniqueRows.length, 2);
    await items.transact(space, [], () => ({
      deletes: [uniqueRows[0] as string],
      puts: [{ key: `${uniqueRows[1]}x`, value: Buffer.from('a') }],
      result: undefined,
    }));
    assert.deepEqual(await problemsOf(items), [
      'a: the unique index one has values for it that it does not have',
      'index one: the values of 1 items are not kept from others: drop the index, and declare it again',
    ]);
  });

  test('of many writers that give one value to different items, exactly one wins', async (context) => {
    for (const store of [await memoryStore(context), await folderStore(context)]) {
      assert.deepEqual(await winnersOfRaces([store.items], 20), Array(20).fill(1));
    }
  });

  test('several win if the service forgets who has a value', async (context) => {
    const winners = await winnersOfRaces([forgetful((await memoryStore(context)).items)], 4);
    assert.ok(
      winners.some((won) => won > 1),
      winners.join(),
    );
  });
});
