import assert from 'node:assert/strict';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ItemStore } from '../../../../src/engines/item-store.js';
import { readFooter, readIndex } from '../../../../src/engines/level/format/table.js';
import { openLevelStore } from '../../../../src/engines/level/store.js';
import { type DamagedRow, type RowDamage, RowsDamaged } from '../../../../src/engines/storage-errors.js';
import { filesOf, openStore, space, temporaryFolder } from '../../../support/level-folder.js';

/** Random letters and digits: LevelDB stores blocks that it cannot compress as they are. */
function randomTexts(count: number, length: number): string[] {
  let state = 7;
  const letter = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * 36).toString(36);
  };
  return Array.from({ length: count }, () => Array.from({ length }, letter).join(''));
}

/** An open store whose rows are in one table, and a function that damages the table. */
async function openTable(t: TestContext) {
  const folder = await temporaryFolder(t);
  const rows = new Map(randomTexts(600, 200).map((text, n) => [`k${String(n).padStart(5, '0')}`, text]));
  const filled = await openLevelStore({ folder, create: true });
  const puts = [...rows].map(([key, text]) => ({ key, value: Buffer.from(text) }));
  await filled.transact(space, [], () => ({ puts, result: undefined }));
  await filled.close();
  // Opening writes the log's rows into a table.
  await (await openStore(folder)).close();
  const [table = ''] = await filesOf(folder, '.ldb');
  const reported: (RowDamage | DamagedRow)[] = [];
  let onReport = () => {};
  const store = await openLevelStore({
    folder,
    create: false,
    onDamage(damage) {
      reported.push(damage);
      onReport();
    },
  });
  t.after(() => store.close());
  return {
    folder,
    rows,
    table,
    store,
    reported,
    async flip(place: (bytes: Buffer) => number, bit = 4) {
      const bytes = await readFile(table);
      const at = place(bytes);
      assert.ok(at >= 0 && at < bytes.length, `${at}`);
      bytes[at] = (bytes[at] as number) ^ bit;
      // In place: LevelDB has the file mapped, and a file that was cut off ends the process that reads it.
      await writeFile(table, bytes, { flag: 'r+' });
    },
    /** Waits until the place in the table was reported. */
    async placeFound() {
      const isPlace = (damage: RowDamage | DamagedRow) => 'file' in damage;
      while (!reported.some(isPlace)) await new Promise<void>((resolve) => (onReport = resolve));
    },
  };
}

type Rows = ReadonlyMap<string, string>;

/** Reads every row by itself. */
async function readAll(store: ItemStore, rows: Rows) {
  const found = { right: 0, refused: [] as string[], wrong: [] as string[] };
  for (const [key, text] of rows) {
    try {
      if ((await store.get(space, key))?.toString() === text) found.right++;
      else found.wrong.push(key);
    } catch (cause) {
      assert.ok(cause instanceof RowsDamaged, String(cause));
      found.refused.push(key);
    }
  }
  return found;
}

/** The keys that a scan gives before it throws `RowsDamaged`. */
async function scanned(store: ItemStore, reverse = false): Promise<string[]> {
  const keys: string[] = [];
  await assert.rejects(async () => {
    for await (const batch of store.scanText(space, { reverse })) keys.push(...batch.map(({ key }) => key));
  }, RowsDamaged);
  return keys;
}

test('a flipped bit in a value: the row is never served, then its block is fenced off, and all other rows are served', async (t) => {
  const { rows, store, reported, flip, placeFound, table } = await openTable(t);
  const [victim = '', text = ''] = [...rows][300] ?? [];
  await flip((bytes) => bytes.indexOf(text.slice(20, 60)));
  await assert.rejects(async () => await store.get(space, victim), RowsDamaged);
  assert.deepEqual(reported[0], { space, key: victim, problem: 'its checksum does not match' });
  await placeFound();
  const place = reported.find((damage) => 'file' in damage);
  assert.equal(place && 'file' in place && place.file, table);
  const { right, refused, wrong } = await readAll(store, rows);
  assert.deepEqual(wrong, []);
  assert.ok(refused.includes(victim) && refused.length < 40, `${refused.length} are refused`);
  assert.equal(right + refused.length, rows.size);

  const keys = [...rows.keys()];
  const first = keys.indexOf(refused[0] as string);
  assert.deepEqual(keys.slice(first, first + refused.length), refused, 'they follow each other');
  assert.deepEqual(await scanned(store), keys.slice(0, first));
  assert.deepEqual(await scanned(store, true), keys.slice(first + refused.length).toReversed());
  const beside: string[] = [];
  for await (const batch of store.scanText(space, { lt: refused[0] as string }))
    beside.push(...batch.map(({ key }) => key));
  assert.deepEqual(beside, keys.slice(0, first), 'what ends before the fence is read');
  const put = (key: string) =>
    store.transact(space, [], () => ({ puts: [{ key, value: Buffer.from('new') }], result: undefined }));
  await assert.rejects(put(victim), RowsDamaged, 'nobody could read it');
  await put(keys[0] as string);
  assert.equal((await store.get(space, keys[0] as string))?.toString(), 'new');
});

test('a flipped bit in a key hides rows: the next damaged row, or a comparison of the tables, fences them off', async (t) => {
  const { rows, store, flip } = await openTable(t);
  const text = [...rows.values()][300] ?? '';
  // The end of the key comes before the sequence number, which comes before the value.
  await flip((bytes) => bytes.indexOf(text.slice(0, 40)) - 9);
  assert.deepEqual((await readAll(store, rows)).refused, [], 'no row that is read is damaged');
  const found: (RowDamage | DamagedRow)[] = [];
  for await (const damage of store.verify?.({ filesOnly: true }) ?? []) found.push(damage);
  assert.equal(found.length, 1);
  const { refused, wrong } = await readAll(store, rows);
  assert.deepEqual(wrong, []);
  assert.ok(refused.length > 0 && refused.length < 40);
});

test('what is fenced off stays so when compaction has replaced the table and the store is opened again', async (t) => {
  const { folder, rows, store, flip, placeFound } = await openTable(t);
  const [victim = '', text = ''] = [...rows][300] ?? [];
  await flip((bytes) => bytes.indexOf(text.slice(20, 60)));
  await assert.rejects(async () => await store.get(space, victim), RowsDamaged);
  await placeFound();
  const { refused } = await readAll(store, rows);
  const value = Buffer.alloc(300_000, 'v');
  const outside = [...rows.keys()].filter((key) => !refused.includes(key));
  const before = await filesOf(folder, '.ldb');
  for (let n = 0; (await filesOf(folder, '.ldb')).includes(before[0] as string); n++) {
    assert.ok(n < 2000, 'the table is still there');
    const key = outside[n % outside.length] as string;
    await store.transact(space, [], () => ({ puts: [{ key, value }], result: undefined }));
  }
  const copy = await temporaryFolder(t);
  await store.close();
  await cp(folder, copy, { recursive: true });
  const reported: (RowDamage | DamagedRow)[] = [];
  const again = await openLevelStore({
    folder: copy,
    create: false,
    onDamage: (damage) => reported.push(damage),
  });
  assert.match(
    reported[0]?.problem ?? '',
    /^a damaged table had the rows from "k00\d+" to "k00\d+" of base\/demo/,
  );
  const kept = new Map(refused.map((key) => [key, rows.get(key) as string]));
  assert.deepEqual((await readAll(again, kept)).refused, refused);
  const named: (RowDamage | DamagedRow)[] = [];
  for await (const damage of again.verify?.({ filesOnly: true }) ?? []) named.push(damage);
  assert.equal(named.length, 1);
  await again.close();
  const accepting = await openStore(copy, true);
  assert.deepEqual((await readAll(accepting, kept)).refused, []);
  await accepting.close();
});

test('a block that cannot be read at all stops no writer: compaction goes on without it, and its rows are fenced off', async (t) => {
  const { folder, rows, store, flip, reported } = await openTable(t);
  // What says how the block is compressed.
  await flip((bytes) => {
    const blocks = readIndex(bytes, readFooter(bytes)[1]);
    const { offset, size } = blocks[Math.floor(blocks.length / 2)]?.handle ?? { offset: 0, size: 0 };
    return offset + size;
  });
  const keys = [...rows.keys()];
  const value = Buffer.alloc(300_000, 'v');
  const written = new Map<string, string>();
  const before = await filesOf(folder, '.ldb');
  let refusedInARow = 0;
  for (let n = 0; (await filesOf(folder, '.ldb')).includes(before[0] as string); n++) {
    assert.ok(n < 4000, 'the table is still there');
    const key = keys[n % 100] as string;
    try {
      await store.transact(space, [], () => ({ puts: [{ key, value }], result: undefined }));
      written.set(key, value.toString());
      refusedInARow = 0;
    } catch {
      refusedInARow++;
      assert.ok(refusedInARow < 20, 'writes go on');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  assert.ok(reported.some((damage) => 'file' in damage));
  const { refused, wrong } = await readAll(store, new Map([...rows, ...written]));
  assert.deepEqual(wrong, []);
  assert.ok(refused.length > 0 && refused.length < 60, `${refused.length} are refused`);
});

test('damage in the last block of a table fences off nothing after the table', async (t) => {
  const { rows, store, flip } = await openTable(t);
  const later = ['l', 'z'];
  const put = (to: string, keys: readonly string[]) => {
    const puts = keys.map((key) => ({ key, value: Buffer.from('later') }));
    return store.transact(to, [], () => ({ puts, result: undefined }));
  };
  await put(space, later);
  await put(`${space}-other`, ['k']);
  // The index names a last block by a short text after all of its rows, which may be after those of other tables, too.
  await flip((bytes) => {
    const blocks = readIndex(bytes, readFooter(bytes)[1]);
    const { offset, size } = blocks.at(-1)?.handle ?? { offset: 0, size: 0 };
    return offset + Math.floor(size / 2);
  });
  const found: (RowDamage | DamagedRow)[] = [];
  for await (const damage of store.verify?.({ filesOnly: true }) ?? []) found.push(damage);
  assert.equal(found.length, 1);
  const { refused } = await readAll(store, rows);
  assert.ok(refused.length > 0 && refused.length < 40, `${refused.length} are refused`);
  assert.equal(refused.at(-1), [...rows.keys()].at(-1));
  for (const key of later) assert.equal((await store.get(space, key))?.toString(), 'later');
  assert.equal((await store.get(`${space}-other`, 'k'))?.toString(), 'later');
  await put(space, ['m']);
});

test('without CURRENT, a comparison names the file, and everything is served until the store is opened again', async (t) => {
  const { folder, rows, store } = await openTable(t);
  const current = join(folder, 'CURRENT');
  await rm(current);
  await assert.rejects(
    async () => {
      for await (const _damage of store.verify?.() ?? []) assert.fail('it is not of a row');
    },
    { name: 'RowsDamaged', damage: [{ file: current, problem: 'the file is missing' }] },
  );
  const { right } = await readAll(store, rows);
  assert.equal(right, rows.size);
});
