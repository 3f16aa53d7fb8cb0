import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileIdOf } from '../../../../src/engines/level/damage/compared-tables.js';
import { openLevelStore } from '../../../../src/engines/level/store.js';
import { RowsDamaged } from '../../../../src/engines/storage-errors.js';
import {
  asAfterCrash,
  changeFile,
  filesOf,
  flipped,
  openStore,
  readRows,
  rowsInTable,
  space,
  temporaryFolder,
} from '../../../support/level-folder.js';

const dayMs = 24 * 60 * 60 * 1000;

const openAsServer = (folder: string) => openLevelStore({ folder, create: false, checksWhileOpen: true });

/** A closed store whose rows are in one table, which its last start has compared. */
async function comparedRows(t: TestContext) {
  const { folder, rows, table } = await rowsInTable(t);
  await (await openAsServer(folder)).close();
  const flip = () => changeFile(table, (bytes) => flipped(bytes, Math.floor(bytes.length / 2)));
  /** As if the file had not been written since, and was compared so long ago. */
  async function rot(agoMs = 0): Promise<void> {
    await flip();
    const fileId = fileIdOf(await stat(table, { bigint: true }));
    const number = String(Number.parseInt(basename(table), 10));
    await changeFile(join(folder, 'COMPARED'), (text) => {
      const [first, ...lines] = text.toString().trimEnd().split('\n');
      assert.deepEqual(
        lines.map((line) => line.split(' ')[0]),
        [number],
      );
      return Buffer.from(`${first}\n${number} ${Date.now() - agoMs} ${fileId}\n`);
    });
  }
  return { folder, rows, flip, rot };
}

test('a server relies on a comparison before the stop, and compares again while it runs', async (t) => {
  const { folder, rows, rot } = await comparedRows(t);
  await rot();
  const store = await openAsServer(folder);
  const found: unknown[] = [];
  for await (const damage of store.verify?.({ filesOnly: true }) ?? []) found.push(damage);
  assert.equal(found.length, 1);
  let refused = 0;
  for (const [key, text] of rows) {
    try {
      assert.equal((await store.get(space, key))?.toString(), text);
    } catch (cause) {
      if (cause instanceof assert.AssertionError) throw cause;
      refused++;
    }
  }
  assert.ok(refused > 0 && refused < 40, `the rows of one block are refused, none is missing: ${refused}`);
  await store.close();
  await assert.rejects(openAsServer(folder), RowsDamaged, 'the next start does not rely on it');
});

test('who accepts damage gets rid of it at once', async (t) => {
  const { folder, rot } = await comparedRows(t);
  await rot();
  const store = await openLevelStore({ folder, create: false, checksWhileOpen: true, acceptDamage: true });
  for await (const damage of store.verify?.({ filesOnly: true }) ?? []) assert.fail(JSON.stringify(damage));
  await store.close();
});

test('damage is not forgotten when the search for it ends early', async (t) => {
  const { folder, rot } = await comparedRows(t);
  await rot();
  const store = await openAsServer(folder);
  for await (const _damage of store.verify?.({ filesOnly: true }) ?? []) break;
  await store.close();
  await assert.rejects(openAsServer(folder), RowsDamaged);
});

test('after a restart of the system all tables are compared', async (t) => {
  const { folder, rot } = await comparedRows(t);
  await rot();
  const file = join(folder, 'COMPARED');
  const text = await readFile(file, 'utf8');
  const [first = ''] = text.split('\n');
  assert.match(first, /^\d+ \d+ [0-9a-f-]{36}$/);
  const another = first.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  await writeFile(file, text.replace(first, another));
  await assert.rejects(openAsServer(folder), RowsDamaged);
});

test('who does not compare while the store is open compares before', async (t) => {
  const { folder, rot } = await comparedRows(t);
  await rot();
  await assert.rejects(openStore(folder), RowsDamaged);
});

test('a table that was written since is compared', async (t) => {
  const { folder, flip } = await comparedRows(t);
  await flip();
  await assert.rejects(openAsServer(folder), RowsDamaged);
});

const asAfterCrashes = {
  'a crash': asAfterCrash,
  'a crash that came after a stop in good order': (folder: string) =>
    writeFile(join(folder, '999999.log'), ''),
};

for (const [name, crash] of Object.entries(asAfterCrashes)) {
  test(`after ${name} all tables are compared`, async (t) => {
    const { folder, rot } = await comparedRows(t);
    await rot();
    await crash(folder);
    await assert.rejects(openAsServer(folder), RowsDamaged);
  });
}

for (const [name, agoMs] of [
  ['more than a day ago', dayMs + 60_000],
  ['in the future, by a clock that was wrong', -60_000],
] as const) {
  test(`a comparison ${name} does not count`, async (t) => {
    const { folder, rot } = await comparedRows(t);
    await rot(agoMs);
    await assert.rejects(openAsServer(folder), RowsDamaged);
  });
}

for (const content of ['', '\0\xff', '7 7 7\n5 1 1 1 1\n', '9'.repeat(10_000)]) {
  test(`a file of comparisons with ${JSON.stringify(content.slice(0, 20))} counts for nothing`, async (t) => {
    const { folder, rows, flip } = await comparedRows(t);
    await writeFile(join(folder, 'COMPARED'), content);
    const store = await openAsServer(folder);
    assert.deepEqual(await readRows(store), rows);
    await store.close();
    await writeFile(join(folder, 'COMPARED'), content);
    await flip();
    await assert.rejects(openAsServer(folder), RowsDamaged);
  });
}

test('a comparison that was interrupted goes on with the tables that it has not seen', async (t) => {
  const folder = await temporaryFolder(t);
  const filled = await openLevelStore({ folder, create: true });
  for (let group = 0; group < 120; group++) {
    const puts = Array.from({ length: 20 }, (_, n) => ({ key: `${n} ${group}`, value: randomBytes(20_000) }));
    await filled.transact(space, [], () => ({ puts, result: undefined }));
  }
  await filled.close();
  const store = await openAsServer(folder);
  const tables = await filesOf(folder, '.ldb');
  assert.ok(tables.length > 2, String(tables.length));
  await store.close();
  /** The times of comparison, by table. */
  const compared = async () => {
    const text = await readFile(join(folder, 'COMPARED'), 'utf8');
    const lines = text.trimEnd().split('\n').slice(1);
    return new Map(lines.map((line) => line.split(' ').map(Number) as [number, number]));
  };
  /** Compares a part of the tables, and gives those whose time of comparison has changed. */
  async function compareSome(): Promise<number[]> {
    await (await openAsServer(folder)).close();
    const before = await compared();
    const open = await openAsServer(folder);
    let steps = 0;
    // A table of 2 MB takes nine.
    const pace = { filesOnly: true, mayContinue: () => ++steps < 50 };
    for await (const damage of open.verify?.(pace) ?? []) assert.fail(JSON.stringify(damage));
    await open.close();
    const after = await compared();
    return [...after.keys()].filter(
      (number) => before.has(number) && before.get(number) !== after.get(number),
    );
  }
  const [first, second] = [await compareSome(), await compareSome()];
  assert.ok(first.length > 0 && second.length > 0, `${first} and ${second}`);
  assert.ok(!second.some((number) => first.includes(number)), `${first} and ${second}`);
});
