import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { createFieldReader } from '../../../../src/engines/level/format/coding.js';
import { openLevelStore } from '../../../../src/engines/level/store.js';
import { RowsDamaged } from '../../../../src/engines/storage-errors.js';
import {
  filesOf,
  flipped,
  openStore,
  readRows,
  rowsInTable,
  space,
  temporaryFolder,
} from '../../../support/level-folder.js';

/** Where the parts of a table are: data blocks, the filter, the metaindex, the index, the footer. */
function placesIn(bytes: Buffer): Record<string, number> {
  const footer = bytes.length - 48;
  const fields = createFieldReader(bytes.subarray(footer));
  const metaindex = fields.varint();
  fields.varint();
  const index = fields.varint();
  return {
    'the first data block': 20,
    'a data block': Math.floor(metaindex / 2),
    'the filter': metaindex - Math.min(400, metaindex >> 4),
    'the metaindex': metaindex + 3,
    'the index': index + 10,
    'the footer': footer + 1,
    'the last byte': bytes.length - 1,
  };
}

const parts = Object.keys(placesIn(Buffer.alloc(48)));

describe('a table with one flipped bit is refused when the store is opened', () => {
  for (const part of parts) {
    test(part, async (t) => {
      const { folder, rows, table, bytes } = await rowsInTable(t);
      const place = placesIn(bytes)[part] ?? 0;
      await writeFile(table, flipped(bytes, place));
      await assert.rejects(openStore(folder), (cause: unknown) => {
        assert.ok(cause instanceof RowsDamaged, String(cause));
        assert.ok(cause.damage.every(({ file }) => file === table));
        assert.ok((cause.damage[0]?.offset ?? Number.POSITIVE_INFINITY) <= place);
        return true;
      });
      assert.ok((await readFile(table)).equals(flipped(bytes, place)), 'the table is as it was');
      await writeFile(table, bytes);
      const store = await openStore(folder);
      t.after(() => store.close());
      assert.deepEqual(await readRows(store), rows);
    });
  }
});

describe('who accepts a damaged table', () => {
  for (const part of parts) {
    test(`loses at most the rows of one block: ${part}`, async (t) => {
      const { folder, rows, table, bytes } = await rowsInTable(t);
      const damaged = flipped(bytes, placesIn(bytes)[part] ?? 0);
      await writeFile(table, damaged);
      const store = await openStore(folder, true);
      const left = await readRows(store);
      for (const [key, text] of left) assert.equal(text, rows.get(key));
      for (const [key, text] of rows) {
        const found = await store.get(space, key);
        assert.equal(found?.toString(), left.get(key), 'a get and a scan show the same');
        if (found !== undefined) assert.equal(found.toString(), text);
      }
      const isInRows = part.includes('data block');
      assert.ok(isInRows ? left.size < rows.size && left.size > rows.size - 80 : left.size === rows.size);
      await store.close();
      assert.ok((await readFile(`${table}.damaged`)).equals(damaged));
      const again = await openStore(folder);
      t.after(() => again.close());
      assert.deepEqual(await readRows(again), left, 'it opens as usual afterwards');
    });
  }

  test('opens without a table that is missing, and with what is left of one that is cut', async (t) => {
    const { folder, rows, table, bytes } = await rowsInTable(t);
    await writeFile(table, bytes.subarray(0, Math.floor(bytes.length / 2)));
    const half = await openStore(folder, true);
    const left = await readRows(half);
    await half.close();
    assert.ok(left.size > rows.size / 3 && left.size < rows.size);
    for (const [key, text] of left) assert.equal(text, rows.get(key));
    const [rest = ''] = await filesOf(folder, '.ldb');
    await rm(rest);
    const empty = await openStore(folder, true);
    assert.equal((await readRows(empty)).size, 0);
    await empty.close();
    await (await openStore(folder)).close();
  });

  test('does not see rows of the damaged table in the place of newer ones', async (t) => {
    const folder = await temporaryFolder(t);
    const keys = Array.from({ length: 100 }, (_, n) => `k${String(n).padStart(3, '0')}`);
    // Each opening writes the rows of the log before into a table of level 0, where the newest table counts.
    for (let round = 0; round < 3; round++) {
      const store = await openLevelStore({ folder, create: true });
      const puts = keys.map((key) => ({ key, value: Buffer.from(`${round} ${key}`) }));
      await store.transact(space, [], () => ({ puts, result: undefined }));
      await store.close();
    }
    await (await openStore(folder)).close();
    const tables = await filesOf(folder, '.ldb');
    const older = tables.at(-2) as string;
    const bytes = await readFile(older);
    // A place in no block of rows: all of them are readable.
    await writeFile(older, flipped(bytes, placesIn(bytes)['the filter'] ?? 0));
    const store = await openStore(folder, true);
    t.after(() => store.close());
    for (const key of keys) assert.equal((await store.get(space, key))?.toString(), `2 ${key}`);
  });

  test('can write, compact and read the rows that are left', async (t) => {
    const { folder, rows, table, bytes } = await rowsInTable(t);
    await writeFile(table, flipped(bytes, 20));
    const store = await openStore(folder, true);
    t.after(() => store.close());
    const left = await readRows(store);
    const value = Buffer.alloc(300_000, 'v');
    for (let n = 0; n < 90; n++) {
      await store.transact(space, [], () => ({ puts: [{ key: `x${n % 7}`, value }], result: undefined }));
    }
    for (const key of rows.keys()) assert.equal((await store.get(space, key))?.toString(), left.get(key));
  });
});
