import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { findTableDamage } from '../../../src/engines/level/damage/table-damage.js';
import { uncompressSnappy } from '../../../src/engines/level/format/snappy.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import type { DamagedRow, RowDamage } from '../../../src/engines/storage-errors.js';
import {
  filesOf,
  newestLog,
  openStore,
  space,
  storedRows,
  temporaryFolder,
} from '../../support/level-folder.js';

const sizes = Array.from({ length: 1200 }, (_, n) => (n * 37) % 900);

async function damageOf(store: ItemStore): Promise<(RowDamage | DamagedRow)[]> {
  const found: (RowDamage | DamagedRow)[] = [];
  for await (const damage of store.verify?.() ?? []) found.push(damage);
  return found;
}

test('each byte of a table has a checksum: verify names the file and the block of a flipped bit', async (t) => {
  const folder = await temporaryFolder(t);
  await storedRows(folder, sizes);
  const store = await openStore(folder);
  t.after(() => store.close());
  assert.deepEqual(await damageOf(store), []);
  const [table = ''] = await filesOf(folder, '.ldb');
  const bytes = await readFile(table);
  // After the index the footer has its two places and unused zeros before its last 8 bytes.
  const footer = bytes.length - 48;
  const places = [0, footer - 1, footer, bytes.length - 8, bytes.length - 1];
  for (let n = 1; n < 60; n++) places.push(Math.floor((n * footer) / 60));
  for (const [n, place] of places.entries()) {
    const changed = Buffer.from(bytes);
    changed[place] = (changed[place] as number) ^ (1 << (n % 8));
    await writeFile(table, changed);
    const inTable = (await damageOf(store)).filter((damage) => 'file' in damage && damage.file === table);
    const offsets = inTable.map((damage) => ('offset' in damage ? damage.offset : undefined) ?? 0);
    assert.ok(offsets.length > 0 && Math.min(...offsets) <= place, `byte ${place}`);
  }
  await writeFile(table, bytes);
  const left = await damageOf(store);
  assert.ok(left.every((damage) => /^a damaged table had the rows from /.test(damage.problem)));
});

test('verify finds a flipped bit in the log of a store that is open, and a table that is missing', async (t) => {
  const folder = await temporaryFolder(t);
  await storedRows(folder, sizes);
  const store = await openStore(folder);
  for (let n = 0; n < 5; n++) {
    await store.transact(space, [], () => ({ puts: [{ key: `l${n}`, value: Buffer.alloc(50) }], result: n }));
  }
  assert.deepEqual(await damageOf(store), []);
  const log = await newestLog(folder);
  const bytes = await readFile(log);
  bytes[20] = (bytes[20] as number) ^ 1;
  await writeFile(log, bytes);
  assert.deepEqual(await damageOf(store), [{ file: log, offset: 0, problem: 'the checksum does not match' }]);
  const [table = ''] = await filesOf(folder, '.ldb');
  await rm(table);
  assert.deepEqual((await damageOf(store))[1], { file: table, problem: 'the file is missing' });
  await store.close();
});

test('verify finds nothing while rows are written and tables are compacted', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await openLevelStore({ folder, create: true });
  t.after(() => store.close());
  let isOver = false;
  const write = async () => {
    const value = Buffer.alloc(300_000, 'v');
    for (let n = 0; n < 120; n++) {
      await store.transact(space, [], () => ({ puts: [{ key: `k${n % 7}`, value }], result: undefined }));
    }
    isOver = true;
  };
  const writing = write();
  let rounds = 0;
  for (; !isOver; rounds++) assert.deepEqual(await damageOf(store), []);
  await writing;
  assert.ok(rounds > 0);
});

test('an engine that has no files has nothing to verify', async () => {
  const store = await openLevelStore({ memory: true });
  assert.equal(store.verify, undefined);
  await store.close();
});

test('Snappy: literals, copies that overlap, and what is no Snappy', () => {
  const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
  assert.equal(uncompressSnappy(hex('00')).toString(), '');
  // A literal of three bytes, then a copy of six bytes from three bytes back.
  assert.equal(uncompressSnappy(hex('09 08 616263 09 03')).toString(), 'abcabcabc');
  assert.equal(uncompressSnappy(hex('05 00 61 0e 0100')).toString(), 'aaaaa');
  const long = Buffer.alloc(100, 'x');
  assert.deepEqual(uncompressSnappy(Buffer.concat([hex('64 f0 63'), long])), long);
  for (const wrong of ['', '05', '05 00 61', '02 08 616263', '05 00 61 0e 0200', '09 08 616263 09', 'ff']) {
    assert.throws(() => uncompressSnappy(hex(wrong)), RangeError, wrong);
  }
});

test('tables of large rows are compared in steps of few rows', async (t) => {
  const folder = await temporaryFolder(t);
  const value = randomBytes(300_000);
  for (const keys of [['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], []]) {
    const store = await openLevelStore({ folder, create: true });
    for (const key of keys)
      await store.transact(space, [], () => ({ puts: [{ key, value }], result: undefined }));
    // The next start makes a table of the log.
    await store.close();
  }
  let steps = 1;
  const rest = async () => void steps++;
  for await (const damage of findTableDamage(folder, { rest })) assert.fail(damage.problem);
  assert.ok(steps >= 8, `${steps} steps`);
});
