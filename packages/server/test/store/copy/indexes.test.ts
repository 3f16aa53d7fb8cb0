import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { headerChange } from '../../../src/base/indexes/building/background-work.js';
import { buildIndexesNow } from '../../../src/base/indexes/building/build-now.js';
import { checkIndexes } from '../../../src/base/indexes/check-indexes.js';
import { readDeclarations } from '../../../src/base/indexes/declarations/declarations.js';
import { createIndexedStore } from '../../../src/base/indexes/writing/indexed-store.js';
import { headerKey } from '../../../src/engines/item-store.js';
import type { Store } from '../../../src/engines/store.js';
import { counted, memoryStore, runCopy } from '../../support/copy-fixture.js';

const space = 'base/demo/staff';
const itemCount = 250;

/** Puts items as the service does, with the rows of indexes. */
async function put({ items }: Store, from: number, to: number, age: number): Promise<void> {
  const puts = Array.from({ length: to - from }, (_, at) => {
    const key = `k${String(from + at).padStart(4, '0')}`;
    return { key, value: Buffer.from(JSON.stringify({ key, age: age + (at % 7), mail: `${key}@x` })) };
  });
  const indexed = createIndexedStore(items, () => false);
  await indexed.transact(space, [], () => ({ puts, result: undefined }));
}

/** A base with two indexes, which are ready. */
async function sourceWithIndexes(context: TestContext): Promise<Store> {
  const source = await memoryStore(context);
  await put(source, 0, itemCount, 20);
  const building = { state: 'building' } as const;
  const change = headerChange({
    next: 3,
    indexes: [
      { id: '1', name: 'by-age', fields: ['age'], ...building },
      { id: '2', name: 'by-mail', fields: ['mail'], unique: true, ...building },
    ],
  });
  await source.items.transact(space, [headerKey], () => ({ ...change, result: undefined }));
  await buildIndexesNow(source.items, space, Date.now);
  await assertReady(source);
  return source;
}

async function assertReady({ items }: Store): Promise<void> {
  const { indexes } = readDeclarations(await items.get(space, headerKey));
  assert.deepEqual(
    indexes.map(({ name, state }) => [name, state]),
    [
      ['by-age', 'ready'],
      ['by-mail', 'ready'],
    ],
  );
  for await (const problem of checkIndexes(items, space)) assert.fail(JSON.stringify(problem));
  const { length } = await entriesOf({ items });
  assert.ok(length >= 2 * itemCount, `${length} rows of indexes`);
}

async function entriesOf({ items }: Pick<Store, 'items'>): Promise<string[]> {
  const keys: string[] = [];
  for await (const batch of items.scan(space, { gt: headerKey, lt: 'k' }))
    keys.push(...batch.map(({ key }) => key));
  return keys;
}

test('a copy has its indexes ready, and another run leaves them', async (context) => {
  const source = await sourceWithIndexes(context);
  const { store: destination, writes } = counted(await memoryStore(context));
  assert.deepEqual((await runCopy(source, destination)).problems, []);
  await assertReady(destination);
  assert.deepEqual(await entriesOf(destination), await entriesOf(source));
  writes.rowsPut = 0;
  writes.rowsDeleted = 0;
  assert.equal((await runCopy(source, destination)).rowsPut, 0);
  assert.deepEqual([writes.rowsPut, writes.rowsDeleted], [0, 0]);
  await assertReady(destination);
});

test('indexes fit the items that another run has brought', async (context) => {
  const source = await sourceWithIndexes(context);
  const destination = await memoryStore(context);
  await runCopy(source, destination);
  await put(source, 100, 200, 70);
  assert.equal((await runCopy(source, destination)).rowsPut, 100);
  await assertReady(destination);
  assert.deepEqual(await entriesOf(destination), await entriesOf(source));
  const indexed = createIndexedStore(source.items, () => false);
  await indexed.transact(space, [], () => ({ deletes: ['k0005'], result: undefined }));
  assert.equal((await runCopy(source, destination)).rowsDeleted, 1);
  assert.deepEqual(await entriesOf(destination), await entriesOf(source));
});

test('a copy that is cut off at any write leaves no entry that another run does not mend', async (context) => {
  const source = await sourceWithIndexes(context);
  for (const before of [0, itemCount]) {
    let cuts = 0;
    for (let left = 1; ; left++) {
      const whole = await memoryStore(context);
      if (before > 0) {
        // It was copied before, with other values.
        await put(source, 0, 50, 90);
        await runCopy(source, whole);
        await put(source, 0, 50, 20);
      }
      let writes = 0;
      const cut: Store = {
        ...whole,
        items: {
          ...whole.items,
          transact(of, keys, decide) {
            if (of === space && ++writes >= left) throw new Error('cut off');
            return whole.items.transact(of, keys, decide);
          },
        },
      };
      const isDone = await runCopy(source, cut).then(
        () => true,
        (cause) => {
          assert.match(String(cause), /cut off/);
          return false;
        },
      );
      if (isDone) break;
      cuts++;
      assert.deepEqual((await runCopy(source, whole)).problems, []);
      await assertReady(whole);
      assert.deepEqual(await entriesOf(whole), await entriesOf(source));
    }
    assert.ok(cuts >= 4, `${cuts} cuts`);
  }
});
