import assert from 'node:assert/strict';
import { cp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { blockBytes } from '../../../../src/engines/level/format/log-format.js';
import { openLevelStore } from '../../../../src/engines/level/store.js';
import { RowsDamaged, StoreMissing } from '../../../../src/engines/storage-errors.js';
import {
  asAfterCrash,
  changeFile,
  closedRows,
  copyOf,
  filesOf,
  newestLog,
  openStore,
  readRows,
  storedRows,
  temporaryFolder,
} from '../../../support/level-folder.js';

/** Where the bytes of a log end and the zeros after them begin. */
function endOf(log: Buffer): number {
  let end = log.length;
  while (end > 0 && log[end - 1] === 0) end--;
  return end;
}

async function damagedStore(
  t: TestContext,
  sizes: readonly number[],
  change: (log: Buffer) => Buffer | undefined,
) {
  const folder = await temporaryFolder(t);
  const rows = await storedRows(folder, sizes);
  await changeFile(await newestLog(folder), change);
  return { folder, rows };
}

async function assertOpens(folder: string, rows: ReadonlyMap<string, string>): Promise<void> {
  const store = await openStore(folder);
  try {
    assert.deepEqual(await readRows(store), rows);
  } finally {
    await store.close();
  }
}

const manyRows = Array.from({ length: 300 }, (_, n) => (n * 37) % 400);
/** Wherever a block ends, it ends within a row. */
const equalRows = Array.from({ length: 120 }, () => 1000);
const largeRows = Array.from({ length: 12 }, (_, n) => 9000 + n * 3000);

describe('a log with one flipped bit', () => {
  for (const [name, sizes] of Object.entries({
    'many small rows': manyRows,
    'rows over several blocks': largeRows,
  })) {
    test(`of ${name} is refused, wherever the bit is`, async (t) => {
      const folder = await temporaryFolder(t);
      const rows = await storedRows(folder, sizes);
      const log = await readFile(await newestLog(folder));
      const end = endOf(log);
      const places = [
        6,
        end - 1,
        ...Array.from({ length: 60 }, (_, n) => Math.floor(((n + 0.37) * end) / 60)),
      ];
      for (const [n, place] of places.entries()) {
        const copy = await copyOf(t, folder);
        const bytes = Buffer.from(log);
        bytes[place] = (bytes[place] as number) ^ (1 << (n % 8));
        const logCopy = await newestLog(copy);
        await writeFile(logCopy, bytes);
        await assert.rejects(openStore(copy), (cause: unknown) => {
          assert.ok(cause instanceof RowsDamaged, `byte ${place}: ${cause}`);
          const [damage] = cause.damage;
          assert.equal(damage?.file, logCopy);
          assert.ok((damage?.offset ?? -1) <= place);
          assert.match(cause.message, /^The rows are damaged: .*\.log, byte \d+: /);
          return true;
        });
        assert.ok((await readFile(logCopy)).equals(bytes), 'the log is as it was');
        await rm(copy, { recursive: true });
      }
      await assertOpens(folder, rows);
    });
  }
});

describe('a log that is damaged in its middle', () => {
  const changes: Readonly<Record<string, (log: Buffer) => Buffer | undefined>> = {
    'a page of zeros': (log) => log.fill(0, 8192, 12_288),
    'a page of other bytes': (log) => log.fill('other bytes', 8192, 12_288),
    'a block of zeros': (log) => log.fill(0, blockBytes, 2 * blockBytes),
    'a wrong length': (log) => {
      log.writeUInt16LE(30_000, 4);
      return log;
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    test(`${name} is refused; who accepts it loses rows, and only those`, async (t) => {
      const { folder, rows } = await damagedStore(t, manyRows, change);
      await assert.rejects(openStore(folder), RowsDamaged);
      const store = await openStore(folder, true);
      const left = await readRows(store);
      await store.close();
      assert.ok(left.size < rows.size);
      for (const [key, text] of left) assert.equal(text, rows.get(key));
      await assertOpens(folder, left);
    });
  }

  test('who accepts one flipped bit loses one row, and the damaged log is kept', async (t) => {
    let damagedLog: Buffer = Buffer.alloc(0);
    const { folder, rows } = await damagedStore(t, manyRows, (log) => {
      log[20_000] = (log[20_000] as number) ^ 1;
      damagedLog = log;
      return log;
    });
    const store = await openStore(folder, true);
    const left = await readRows(store);
    await store.close();
    assert.equal(left.size, rows.size - 1);
    const [kept = ''] = await filesOf(folder, '.damaged');
    assert.ok((await readFile(kept)).equals(damagedLog));
    await assertOpens(folder, left);
  });

  test('a block that is missing is refused: sequence numbers are missing with it', async (t) => {
    const { folder } = await damagedStore(t, equalRows, (log) =>
      Buffer.concat([log.subarray(0, blockBytes), log.subarray(2 * blockBytes)]),
    );
    const message = /\.log, byte \d+: \d+ operations are missing before this record$/;
    await assert.rejects(openStore(folder), { name: 'RowsDamaged', message });
  });

  test('an older log that is cut off is refused when a newer one has rows', async (t) => {
    const folder = await temporaryFolder(t);
    const rows = await storedRows(folder, equalRows);
    const log = await readFile(await newestLog(folder));
    // Two logs are there while LevelDB writes the first one into a table. A log begins at the beginning of a block.
    const numbered = (number: number) => join(folder, `${String(number).padStart(6, '0')}.log`);
    const second = 90;
    await writeFile(numbered(second), log.subarray(blockBytes));
    await writeFile((await filesOf(folder, '.log'))[0] ?? '', log.subarray(0, blockBytes));
    await assert.rejects(openStore(folder), RowsDamaged, 'one row is in neither');
    await writeFile(numbered(second), '');
    const store = await openStore(folder);
    const left = await readRows(store);
    await store.close();
    assert.ok(left.size > 0 && left.size < rows.size, 'a new log without rows may be there after a crash');
  });
});

describe('a log whose end is missing after a crash', () => {
  test('opens without the record that a crash cut off, wherever it was cut', async (t) => {
    const folder = await temporaryFolder(t);
    const rows = await storedRows(folder, [...manyRows, 70_000]);
    const log = await readFile(await newestLog(folder));
    const end = endOf(log);
    rows.delete([...rows.keys()].at(-1) ?? '');
    for (const missing of [1, 6, 7, 8, 300, 4096, 32_768, 40_000, 65_000, 69_990]) {
      for (const tail of ['nothing', 'zeros']) {
        const copy = await copyOf(t, folder);
        const cut = log.subarray(0, end - missing);
        const bytes = tail === 'nothing' ? cut : Buffer.concat([cut, Buffer.alloc(missing + 5000)]);
        await writeFile(await newestLog(copy), bytes);
        await assertOpens(copy, rows);
        await rm(copy, { recursive: true });
      }
    }
  });

  test('opens when only every other page of the last record was written', async (t) => {
    const { folder, rows } = await damagedStore(t, [...manyRows, 200_000], (log) => {
      const start = Math.ceil((endOf(log) - 200_000) / 4096) * 4096;
      for (let page = start; page < endOf(log); page += 8192) {
        log.fill(0, page, Math.min(page + 4096, log.length));
      }
      return log;
    });
    rows.delete([...rows.keys()].at(-1) ?? '');
    await assertOpens(folder, rows);
  });

  test('opens when what it holds of the last record looks like a record itself', async (t) => {
    const folder = await temporaryFolder(t);
    await storedRows(folder, [50, 60]);
    const embedded = (await readFile(await newestLog(folder))).subarray(0, 300);
    await rm(folder, { recursive: true });
    const rows = await storedRows(folder, manyRows);
    const store = await openStore(folder);
    const value = Buffer.concat([Buffer.alloc(100, 'x'), embedded, Buffer.alloc(5000, 'y')]);
    // So many operations that the embedded sequence numbers are long gone.
    const far = Array.from({ length: 1_100_000 }, (_, n) => `d${n}`);
    await store.transact('base/demo/none', [], () => ({ deletes: far, result: undefined }));
    await store.transact('base/demo/none', [], () => ({ puts: [{ key: 'k', value }], result: undefined }));
    await store.close();
    await asAfterCrash(folder);
    await changeFile(await newestLog(folder), (log) => log.subarray(0, endOf(log) - 100));
    await assertOpens(folder, rows);
  });
});

describe('a log whose end is missing although the store was closed', () => {
  for (const [name, change] of Object.entries({
    'it was cut off': (log: Buffer) => log.subarray(0, endOf(log) - 3),
    'its last page is zeros': (log: Buffer) => log.fill(0, Math.floor(endOf(log) / 4096) * 4096),
    'it is empty': () => Buffer.alloc(0),
    'other bytes are in place of its last record': (log: Buffer) =>
      log.fill('other', endOf(log) - 60, endOf(log)),
  })) {
    test(`is refused: ${name}`, async (t) => {
      const folder = await temporaryFolder(t);
      await closedRows(folder, manyRows);
      await changeFile(await newestLog(folder), change);
      await assert.rejects(openStore(folder), RowsDamaged);
    });
  }

  test('the file CLOSED is about the last log only', async (t) => {
    const folder = await temporaryFolder(t);
    const rows = await closedRows(folder, manyRows);
    const closed = await readFile(join(folder, 'CLOSED'));
    await assertOpens(folder, rows);
    await writeFile(join(folder, 'CLOSED'), closed);
    await assertOpens(folder, rows);
    await writeFile(join(folder, 'CLOSED'), 'nothing');
    await assertOpens(folder, rows);
  });
});

describe('rows of which a file is missing or cut', () => {
  /** A store with tables: opening it writes the log's rows into one. */
  async function withTables(t: TestContext) {
    const folder = await temporaryFolder(t);
    const rows = await storedRows(folder, manyRows);
    await assertOpens(folder, rows);
    return { folder, rows };
  }

  test('a table', async (t) => {
    const { folder } = await withTables(t);
    const [table = ''] = await filesOf(folder, '.ldb');
    const copy = `${table}.copy`;
    await cp(table, copy);
    await rm(table);
    await assert.rejects(openStore(folder), { name: 'RowsDamaged', message: /\.ldb: the file is missing$/ });
    await cp(copy, table);
    await changeFile(table, (bytes) => bytes.subarray(0, -1));
    const { size } = await stat(table);
    const message = new RegExp(`\\.ldb: the file has ${size} bytes instead of ${size + 1}$`);
    await assert.rejects(openStore(folder), { name: 'RowsDamaged', message });
  });

  test('the log that the MANIFEST names', async (t) => {
    const { folder } = await withTables(t);
    await rm(await newestLog(folder));
    await assert.rejects(openStore(folder), { name: 'RowsDamaged', message: /\.log: the file is missing$/ });
  });

  test('the MANIFEST, or a flipped bit in it', async (t) => {
    const { folder, rows } = await withTables(t);
    const manifest = join(folder, (await readFile(join(folder, 'CURRENT'), 'utf8')).trim());
    const bytes = await readFile(manifest);
    for (let place = 0; place < bytes.length; place++) {
      const changed = Buffer.from(bytes);
      changed[place] = (changed[place] as number) ^ (1 << (place % 8));
      await writeFile(manifest, changed);
      await assert.rejects(openStore(folder), RowsDamaged, `byte ${place}`);
    }
    await rm(manifest);
    await assert.rejects(openStore(folder), {
      name: 'RowsDamaged',
      message: /MANIFEST-\d+: the file is missing$/,
    });
    await writeFile(manifest, bytes.subarray(0, 60));
    await assert.rejects(openStore(folder), { name: 'RowsDamaged', message: /MANIFEST-\d+: it is cut off$/ });
    await writeFile(manifest, bytes);
    await assertOpens(folder, rows);
    const current = join(folder, 'CURRENT');
    for (const text of ['nothing\n', (await readFile(current, 'utf8')).trim()]) {
      await writeFile(current, text);
      await assert.rejects(openStore(folder), {
        name: 'RowsDamaged',
        message: /CURRENT: it does not name a MANIFEST$/,
      });
    }
  });

  test('CURRENT: nothing is created in its place, and the other files stay', async (t) => {
    const { folder } = await withTables(t);
    await rm(join(folder, 'CURRENT'));
    const tables = await filesOf(folder, '.ldb');
    for (const create of [true, false]) {
      await assert.rejects(openLevelStore({ folder, create }), {
        name: 'RowsDamaged',
        message: `The rows are damaged: ${folder}/CURRENT: the file is missing`,
      });
    }
    assert.deepEqual(await filesOf(folder, '.ldb'), tables);
  });

  test('what a power cut leaves of a store that is being made is no store, and is made anew', async (t) => {
    for (const part of [Buffer.alloc(0), Buffer.alloc(5, 1)]) {
      const folder = await temporaryFolder(t);
      await writeFile(join(folder, 'CURRENT'), 'MANIFEST-000001\n');
      await writeFile(join(folder, 'MANIFEST-000001'), part);
      await writeFile(join(folder, '000003.log'), '');
      await assert.rejects(openLevelStore({ folder, create: false }), { name: 'StoreMissing' });
      await (await openLevelStore({ folder, create: true })).close();
      await assertOpens(folder, await storedRows(folder, [10]));
    }
  });

  test('all of them: a new store is made only for who asks for it', async (t) => {
    const folder = await temporaryFolder(t);
    await assert.rejects(openStore(folder), StoreMissing);
    await assert.rejects(openStore(join(folder, 'none')), StoreMissing);
    assert.deepEqual(await filesOf(folder, ''), []);
    await (await openLevelStore({ folder: join(folder, 'none'), create: true })).close();
    await assertOpens(join(folder, 'none'), new Map());
  });
});

test('a store that is open is reported as in use, whatever its files look like meanwhile', async (t) => {
  const folder = await temporaryFolder(t);
  await storedRows(folder, manyRows);
  const store = await openStore(folder);
  const [table = ''] = await filesOf(folder, '.ldb');
  await changeFile(table, (bytes) => bytes.subarray(1));
  await assert.rejects(openStore(folder), (cause: Error) => {
    assert.equal((cause.cause as { code?: string }).code, 'LEVEL_LOCKED');
    return true;
  });
  await store.close();
  await assert.rejects(openStore(folder), RowsDamaged);
});
