import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ClassicLevel } from 'classic-level';
import fc from 'fast-check';
import type { ItemStore, Put } from '../../../src/engines/item-store.js';
import { createKeyFilter } from '../../../src/engines/level/due/key-filter.js';
import { afterDueIndex, dueKey, dueMark, rowKey } from '../../../src/engines/level/rows/row-encoding.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { openStore, space, temporaryFolder } from '../../support/level-folder.js';
import { propertyRuns } from '../../support/property-runs.js';

/** The entries of the due index, as they are in the files of a closed store. */
async function entriesIn(folder: string): Promise<string[]> {
  const level = new ClassicLevel(folder);
  const entries = await level.keys({ gte: dueMark, lt: afterDueIndex }).all();
  await level.close();
  return entries;
}

const put = (store: ItemStore, ...puts: Put[]) =>
  store.transact(space, [], () => ({ puts, result: undefined }));
const row = (key: string, dueSeconds?: number): Put => {
  const value = Buffer.from('1');
  return dueSeconds === undefined ? { key, value } : { key, value, dueSeconds };
};

async function folderWith(t: TestContext, work: (store: ItemStore) => Promise<unknown>): Promise<string> {
  const folder = await temporaryFolder(t);
  const store = await openLevelStore({ folder, create: true });
  await work(store);
  await store.close();
  return folder;
}

test('a row that is put 4,000 times with a later due time has one entry', async (t) => {
  const folder = await folderWith(t, (store) =>
    Promise.all(Array.from({ length: 4000 }, (_, n) => put(store, row('k', 5000 + n)))),
  );
  assert.deepEqual(await entriesIn(folder), [dueKey(8999, rowKey(space, 'k'))]);
});

test('puts without a due time and deletes leave no entries, before and after the store is opened again', async (t) => {
  const remove = (store: ItemStore, key: string) =>
    store.transact(space, [], () => ({ deletes: [key], result: undefined }));
  const folder = await folderWith(t, async (store) => {
    for (let n = 0; n < 500; n++) {
      await Promise.all([put(store, row('a', 5000 + n)), put(store, row('b', 5000 + n))]);
      await Promise.all([put(store, row('a')), remove(store, 'b')]);
    }
    await put(store, row('a', 7000), row('b', 7000), row('c', 7000));
  });
  assert.equal((await entriesIn(folder)).length, 3);
  const store = await openStore(folder);
  await put(store, row('a'));
  await remove(store, 'b');
  await store.close();
  assert.deepEqual(await entriesIn(folder), [dueKey(7000, rowKey(space, 'c'))]);
});

test('the index has an entry for each row with a due time and no others, whatever was written', async (t) => {
  const key = fc.constantFrom('a', 'b', 'c');
  const due = fc.constantFrom(undefined, 1000, 2000, 3000);
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('put' as const), key, due, reads: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), key, reads: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const folder = await temporaryFolder(t);
      const model = new Map<string, number | undefined>();
      let store = await openLevelStore({ folder, create: true });
      let writes: Promise<unknown>[] = [];
      for (const any of steps) {
        if (any.kind === 'put') {
          const puts = [row(any.key, any.due)];
          writes.push(store.transact(space, any.reads ? [any.key] : [], () => ({ puts, result: undefined })));
          model.set(any.key, any.due);
        } else if (any.kind === 'delete') {
          const deletes = [any.key];
          writes.push(
            store.transact(space, any.reads ? deletes : [], () => ({ deletes, result: undefined })),
          );
          model.delete(any.key);
        } else {
          await Promise.all(writes);
          writes = [];
          if (any.kind === 'settle') continue;
          await store.close();
          store = await openStore(folder);
        }
      }
      await Promise.all(writes);
      await store.close();
      const expected = [...model].flatMap(([name, seconds]) =>
        seconds === undefined ? [] : [dueKey(seconds, rowKey(space, name))],
      );
      assert.deepEqual(await entriesIn(folder), expected.sort());
    }),
    { numRuns: propertyRuns(60) },
  );
});

test('entries that an older version left are dropped when they are due', async (t) => {
  const folder = await folderWith(t, (store) => put(store, row('k', 9000)));
  const level = new ClassicLevel(folder);
  for (let n = 0; n < 10; n++) await level.put(dueKey(1000 + n, rowKey(space, 'k')), '');
  await level.close();
  const store = await openStore(folder);
  assert.deepEqual(await store.due(5000, 10), []);
  await store.close();
  assert.deepEqual(await entriesIn(folder), [dueKey(9000, rowKey(space, 'k'))]);
});

test('many more rows with a due time than the filter began with: it grows, and none keeps an entry', async (t) => {
  const keys = Array.from({ length: 30_000 }, (_, n) => `row ${n}`);
  const folder = await folderWith(t, async (store) => {
    for (let at = 0; at < keys.length; at += 1000) {
      await put(store, ...keys.slice(at, at + 1000).map((key) => row(key, 5000)));
    }
    for (let at = 0; at < keys.length; at += 1000) {
      await put(store, ...keys.slice(at, at + 1000).map((key) => row(key)));
    }
  });
  assert.deepEqual(await entriesIn(folder), []);
});

test('a filter affirms every key that was added, and few others', () => {
  const filter = createKeyFilter(10_000);
  const keys = Array.from({ length: 10_000 }, (_, n) => `base/demo/sessions\0user-${n * 7}`);
  for (const key of keys) filter.add(key);
  assert.ok(keys.every(filter.mayHave));
  assert.ok(!filter.isFull);
  const affirmed = Array.from({ length: 10_000 }, (_, n) => `base/demo/users\0user-${n}`).filter(
    filter.mayHave,
  );
  assert.ok(affirmed.length < 400, `${affirmed.length} of 10,000`);
  // It was made for up to 2^14.
  for (let n = 0; n < 10_000; n++) filter.add(`base/demo/more\0user-${n}`);
  assert.ok(filter.isFull);
});
