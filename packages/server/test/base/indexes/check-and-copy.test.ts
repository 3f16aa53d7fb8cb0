import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { checkIndexes, type IndexProblem } from '../../../src/base/indexes/check-indexes.js';
import { createBaseService } from '../../../src/base/service.js';
import { headerKey, type ItemStore } from '../../../src/engines/item-store.js';
import { baseSpace } from '../../../src/spaces.js';
import { memoryStore, runCopy } from '../../support/copy-fixture.js';
import { readPut } from '../../support/read-bodies.js';
import { settled } from '../../support/same-answers.js';

const space = baseSpace('p', 'b');
const first = `${headerKey}1/`;

async function indexedStore(context: TestContext) {
  const store = await memoryStore(context);
  const bases = createBaseService(store.items, Date.now);
  await bases.put('p', 'b', readPut('{"items":[{"key":"a","n":1},{"key":"b","n":2},{"key":"c"}]}'));
  await bases.indexes.declare(space, 'by-n', { fields: ['n'] });
  await settled(store.items, space);
  return { ...store, bases };
}

async function keysOf(items: ItemStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const rows of items.scan(space)) keys.push(...rows.map(({ key }) => key));
  return keys;
}

async function problemsOf(items: ItemStore): Promise<IndexProblem[]> {
  const problems: IndexProblem[] = [];
  for await (const problem of checkIndexes(items, space)) problems.push(problem);
  return problems;
}

test('check finds entries that are wrong, missing or nobody’s, and nothing in sound indexes', async (context) => {
  const { items } = await indexedStore(context);
  assert.deepEqual(await problemsOf(items), []);
  const entries = (await keysOf(items)).filter((key) => key.startsWith(first));
  assert.equal(entries.length, 3);
  const value = Buffer.alloc(0);
  const strange = `${headerKey}z/1a`;
  await items.transact(space, [], () => ({
    deletes: [entries[0] as string],
    puts: [
      { key: strange, value },
      { key: `${first}7nobody`, value },
      { key: `${first}7b`, value },
    ],
    result: undefined,
  }));
  assert.deepEqual(await problemsOf(items), [
    { key: strange, problem: 'its row belongs to no index' },
    { key: 'b', problem: 'the index by-n has a wrong entry for it' },
    { key: 'nobody', problem: 'the index by-n has a wrong entry for it' },
    { key: 'index by-n', problem: '1 items are missing: drop the index, and declare it again' },
  ]);
});

test('a copy has its indexes ready, after each run', async (context) => {
  const source = await indexedStore(context);
  const destination = await memoryStore(context);
  for (const text of ['{"items":[{"key":"c","n":2}]}', '{"items":[{"key":"a","n":9}]}']) {
    await source.bases.put('p', 'b', readPut(text));
    assert.deepEqual((await runCopy(source, destination)).problems, []);
    assert.deepEqual(await problemsOf(destination.items), []);
    assert.deepEqual(await keysOf(destination.items), await keysOf(source.items));
    assert.deepEqual(await destination.items.due(0, 10), []);
  }
});

test('an index that is dropped leaves no row, whoever was building it', async (context) => {
  const { items, bases } = await indexedStore(context);
  await bases.indexes.drop(space, 'by-n');
  await bases.put('p', 'b', readPut('{"items":[{"key":"d","n":1}]}'));
  await settled(items, space);
  assert.deepEqual(await keysOf(items), ['a', 'b', 'c', 'd']);
  assert.deepEqual(await items.due(0, 10), []);
});
