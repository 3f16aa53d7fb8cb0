import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EntriesTooLarge } from '../../../src/base/indexes/writing/entry-budget.js';
import { createPreparedRows, withEntries } from '../../../src/base/indexes/writing/entry-changes.js';
import { inParts } from '../../../src/base/indexes/writing/transaction-bounds.js';
import { createBaseService } from '../../../src/base/service.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { baseSpace } from '../../../src/spaces.js';
import { readPut } from '../../support/read-bodies.js';
import { entriesAreThose, settled } from '../../support/same-answers.js';

const space = baseSpace('p', 'b');
const elements = 1000;

/** An item with a list of `elements` numbers. */
function listed(key: string, first = 0): string {
  const list = Array.from({ length: elements }, (_, n) => first + n);
  return `{"key":"${key}","l":[${list}]}`;
}

/** A base whose eight indexes have thousands of entries for each such item. */
async function openBase() {
  const items = await openLevelStore({ memory: true });
  /** The rows that each transaction has written. */
  const written: number[] = [];
  const counting: typeof items = {
    ...items,
    transact: (in_, keys, decide) =>
      items.transact(in_, keys, (rows) => {
        const change = decide(rows);
        written.push((change.puts ?? []).length + (change.deletes ?? []).length);
        return change;
      }),
  };
  const bases = createBaseService(counting, Date.now);
  for (let n = 0; n < 8; n++) await bases.indexes.declare(space, `i${n}`, { fields: ['l'], each: true });
  await settled(items);
  written.length = 0;
  return { items, bases, most: () => Math.max(...written) };
}

const put = (...items: string[]) => readPut(`{"items":[${items}]}`);

test('a put that is one transaction is refused with more entries than it may have, and stores nothing', async () => {
  const { items, bases } = await openBase();
  const many = Array.from({ length: 25 }, (_, n) => listed(`k${n}`));
  await assert.rejects(bases.put('p', 'b', put(...many)), (cause: Error) => {
    assert.match(
      cause.message,
      /^items: the items together must not have more than 2097152 bytes of entries/,
    );
    return true;
  });
  assert.equal(await bases.get('p', 'b', 'k0'), undefined);
  // Those before the change and those after it are counted by themselves.
  await bases.put('p', 'b', put(...many.slice(0, 2)));
  await bases.put('p', 'b', put(...many.slice(0, 2).map((_, n) => listed(`k${n}`, 5000))));
  await entriesAreThose(items);
  await items.close();
});

test('the entries of large items are computed only until they are too many', async () => {
  const computed: string[] = [];
  const rowsOf = Object.assign(
    (key: string) => {
      computed.push(key);
      return { entries: ['e'.repeat(1000)], uniqueRows: [] };
    },
    { uniqueRowsOf: () => [] },
  );
  const prepared = createPreparedRows();
  const puts = ['a', 'b', 'c', 'd'].map((key) => ({ key, value: Buffer.from(key) }));
  await prepared.add(puts, rowsOf, 2000);
  assert.deepEqual(computed, ['a', 'b']);
  const source = { rowsOf, prepared, maxBytes: 1, maxEntryBytes: 2000, isExpired: () => false };
  // Also if those that are not prepared would take long.
  assert.throws(() => withEntries({ puts }, new Map(), source), EntriesTooLarge);
  assert.deepEqual(computed, ['a', 'b']);
});

test('a single item may have any number of entries', async () => {
  const { items, bases } = await openBase();
  const key = 'k'.repeat(1000);
  await bases.put('p', 'b', put(listed(key)));
  await bases.put('p', 'b', put(listed(key, 10_000)));
  await entriesAreThose(items);
  await bases.remove('p', 'b', key);
  await entriesAreThose(items);
  await items.close();
});

test('imports and operations by query divide what they change, and an index is built in parts', async () => {
  const { items, bases, most } = await openBase();
  const batch = put(...Array.from({ length: 20 }, (_, n) => listed(`k${String(n).padStart(2, '0')}`)));
  assert.deepEqual(await bases.putBatch('p', 'b', batch), []);
  const again = await bases.insertBatch('p', 'b', [...batch, ...put(listed('new'))]);
  assert.deepEqual(
    again.map(({ index }) => index),
    Array.from({ length: 20 }, (_, n) => n),
  );
  assert.equal(await bases.removeAll('p', 'b', 'k0', () => false), 10);
  await entriesAreThose(items);
  await bases.indexes.drop(space, 'i0');
  await settled(items);
  await bases.indexes.declare(space, 'i0', { fields: ['l'], each: true });
  await settled(items);
  const built = (await bases.indexes.list(space, () => false)).at(-1);
  assert.deepEqual([built?.name, built?.state], ['i0', 'ready']);
  // All of them are compared: the list counts for a second at most, which is too short on a busy machine.
  await entriesAreThose(items);
  // A single item, with its counter: no transaction has changed more.
  assert.ok(most() <= 8 * elements + 2, `${most()}`);
  await items.close();
});

test('parts become smaller until they fit, and none is left out', async () => {
  const seen: number[][] = [];
  const results = await inParts([1, 2, 3, 4, 5, 6, 7], async (part) => {
    const fits = part[0] === 1 ? 4 : 2;
    if (part.length > fits) throw new EntriesTooLarge(fits);
    seen.push([...part]);
    return part.length;
  });
  assert.deepEqual(seen, [[1, 2, 3, 4], [5, 6], [7]]);
  assert.deepEqual(results, [4, 2, 1]);
  await assert.rejects(
    inParts([1], () => Promise.reject(new Error('another'))),
    /another/,
  );
});

test('parts become larger again after a heavy item, and are rarely tried in vain where all are heavy', async () => {
  const count = 1000;
  const calls = async (fits: (part: readonly number[]) => number) => {
    let made = 0;
    const done: number[] = [];
    await inParts([...Array(count).keys()], async (part) => {
      made++;
      if (part.length > fits(part)) throw new EntriesTooLarge(fits(part));
      done.push(...part);
    });
    assert.deepEqual(done, [...Array(count).keys()]);
    return made;
  };
  const afterOne = await calls((part) => (part[0] === 0 ? 1 : count));
  assert.ok(afterOne < 25, `${afterOne}`);
  const ofFour = await calls(() => 4);
  assert.ok(ofFour < 1.1 * (count / 4), `${ofFour}`);
});
