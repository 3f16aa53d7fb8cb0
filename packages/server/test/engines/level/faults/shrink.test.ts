import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { ItemStore } from '../../../../src/engines/item-store.js';
import { bytesOfRows } from '../../../../src/engines/level/database/disk-room.js';
import { readEmptied } from '../../../../src/engines/level/shrink/emptied-spans.js';
import { openLevelStore } from '../../../../src/engines/level/store.js';
import { copyOf, filesOf, openStore, temporaryFolder } from '../../../support/level-folder.js';

const space = 'base/demo/emptied';
const neighbours = ['base/demo/a', 'base/demo/z'];
const mib = 1024 * 1024;
const rowCount = 5000;
const rowBytes = 8 * 1024;
const batchRows = 250;
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `k${String(n).padStart(6, '0')}`);
const keys = numbered(rowCount);
/** LevelDB's log, and what it has not merged yet. */
const restBytes = 6 * mib;

async function inBatches(
  rows: readonly string[],
  work: (batch: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += batchRows) await work(rows.slice(at, at + batchRows));
}

const put = (store: ItemStore, rows: readonly string[], bytes: number, into = space) =>
  inBatches(rows, (batch) =>
    store.transact(into, [], () => ({
      puts: batch.map((key) => ({ key, value: randomBytes(bytes) })),
      result: undefined,
    })),
  );

const remove = (store: ItemStore, rows: readonly string[]) =>
  inBatches(rows, (batch) => store.transact(space, batch, () => ({ deletes: batch, result: undefined })));

/** Every row of a store, as a text for each. */
async function contentOf(store: Pick<ItemStore, 'scan' | 'spaces'>): Promise<string[]> {
  const rows: string[] = [];
  for await (const name of store.spaces(''))
    for await (const batch of store.scan(name))
      for (const { key, value } of batch)
        rows.push(`${name} ${key} ${createHash('sha256').update(value).digest('hex')}`);
  return rows;
}

/** What a kill would leave. LevelDB may replace files while they are copied: then they are copied again. */
async function imageOf(t: TestContext, folder: string): Promise<string> {
  for (;;) {
    const before = await readdir(folder);
    const image = await copyOf(t, folder).catch(() => undefined);
    const after = await readdir(folder);
    if (image !== undefined && after.join() === before.join()) return image;
  }
}

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await setImmediate();
}

async function stepsOf(store: ItemStore): Promise<number> {
  let steps = 0;
  await store.shrink?.({ rest: async () => void steps++ });
  return steps;
}

/** A store with 40 MB of rows in one space, and a few before and after it. */
async function filled(
  t: TestContext,
  rows = keys,
  bytes = rowBytes,
): Promise<{ readonly folder: string; readonly store: ItemStore }> {
  const folder = await temporaryFolder(t);
  const store = await openLevelStore({ folder, create: true });
  for (const name of neighbours) await put(store, keys.slice(0, 100), 1000, name);
  await put(store, rows, bytes);
  return { folder, store };
}

/** Nothing is lost, whether the store is closed or killed. */
async function sameEverywhere(t: TestContext, folder: string, store: ItemStore, content: readonly string[]) {
  assert.deepEqual(await contentOf(store), content);
  const killed = await openStore(await imageOf(t, folder));
  assert.deepEqual(await contentOf(killed), content);
  await killed.close();
  await store.close();
  const closed = await openStore(folder);
  assert.deepEqual(await contentOf(closed), content);
  for await (const damage of closed.verify?.() ?? []) assert.fail(JSON.stringify(damage));
  await closed.close();
}

describe('shrink gives back what deleted and replaced rows took', () => {
  test('of a space all of whose rows are deleted', async (t) => {
    const { folder, store } = await filled(t);
    await remove(store, keys);
    const content = await contentOf(store);
    assert.equal(content.length, 200);
    const before = await bytesOfRows(folder);
    assert.ok(before > rowCount * rowBytes * 0.7, `${before} bytes before`);
    await store.shrink?.();
    const after = await bytesOfRows(folder);
    assert.ok(after < restBytes, `${before} bytes became ${after}`);
    await sameEverywhere(t, folder, store, content);
  });

  for (const [what, isDeleted] of [
    ['the second half', (n: number) => n >= rowCount / 2],
    ['two of three', (n: number) => n % 3 !== 0],
    ['two of three, here and there', (n: number) => n % 600 < 400],
  ] as const) {
    test(`of rows of which many are deleted: ${what}`, async (t) => {
      const { folder, store } = await filled(t);
      const deleted = keys.filter((_, n) => isDeleted(n));
      await remove(store, deleted);
      const content = await contentOf(store);
      await store.shrink?.();
      const after = await bytesOfRows(folder);
      const live = (rowCount - deleted.length) * rowBytes;
      assert.ok(after < live * 1.2 + restBytes, `${after} bytes for ${live}`);
      await sameEverywhere(t, folder, store, content);
    });
  }

  test('of rows that are replaced by small ones', async (t) => {
    // So many that at least two are looked at: at most every 8,191st, when many are put.
    const many = numbered(4 * rowCount);
    const { folder, store } = await filled(t, many, rowBytes / 4);
    await put(store, many, 10);
    const content = await contentOf(store);
    await store.shrink?.();
    const after = await bytesOfRows(folder);
    assert.ok(after < restBytes, `${after} bytes`);
    await sameEverywhere(t, folder, store, content);
  });

  test('of rows that are replaced all the time: when that ends, or after some minutes', async (t) => {
    const { folder, store } = await filled(t);
    const replaced = async () => {
      // So many that at least one is looked at: at most every 8,191st, when many are put.
      for (let n = 0; n < 9; n++) await put(store, keys.slice(0, 1000), 2000);
    };
    const isSmaller = async (before: number) => (await bytesOfRows(folder)) < before;
    await put(store, keys, 100);
    const before = await bytesOfRows(folder);
    for (let looks = 0; looks < 3; looks++) {
      await replaced();
      await store.shrink?.({ mayWait: true, rest: () => assert.fail('it did not wait') });
    }
    await store.shrink?.({ mayWait: true });
    assert.ok(await isSmaller(before - 20 * mib));
    await store.close();
  });

  test('of rows with a due time, whose entries in the due index go, too', async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openLevelStore({ folder, create: true });
    await inBatches(keys, (batch) =>
      store.transact(space, [], () => ({
        puts: batch.map((key) => ({ key, value: randomBytes(rowBytes), dueSeconds: 1_900_000_000 })),
        result: undefined,
      })),
    );
    await remove(store, keys);
    assert.ok((await bytesOfRows(folder)) > rowCount * rowBytes * 0.7);
    await store.shrink?.();
    const after = await bytesOfRows(folder);
    assert.ok(after < restBytes, `${after} bytes`);
    assert.deepEqual(await store.due(2_000_000_000, 10), []);
    await sameEverywhere(t, folder, store, []);
  });

  test('after a kill, and after a stop', async (t) => {
    const { folder, store } = await filled(t);
    await remove(store, keys);
    // It has found what is to be done, and then it is killed, or told to stop.
    await store.shrink?.({ mayContinue: () => false });
    const content = await contentOf(store);
    const killedFolder = await imageOf(t, folder);
    await store.close();
    for (const left of [killedFolder, folder]) {
      const next = await openStore(left);
      assert.ok((await bytesOfRows(left)) > rowCount * rowBytes * 0.7);
      await next.shrink?.();
      const after = await bytesOfRows(left);
      assert.ok(after < restBytes, `${after} bytes`);
      await sameEverywhere(t, left, next, content);
    }
  });

  test('after a kill after any step', async (t) => {
    const { folder, store } = await filled(t);
    await remove(store, keys);
    const content = await contentOf(store);
    const images: string[] = [];
    await store.shrink?.({ rest: async () => void images.push(await imageOf(t, folder)) });
    await store.close();
    assert.ok(images.length > 0);
    for (const image of images) {
      const next = await openStore(image);
      await next.shrink?.();
      assert.ok((await bytesOfRows(image)) < restBytes);
      await sameEverywhere(t, image, next, content);
    }
  });
});

test('what is deleted while a step rests is known after a kill', async (t) => {
  const { folder, store } = await filled(t);
  const half = rowCount / 2;
  await remove(store, keys.slice(0, half));
  let image: string | undefined;
  const rest = async () => {
    if (image !== undefined) return;
    await remove(store, keys.slice(half));
    await eventually(async () =>
      (await readEmptied(folder)).some(({ to }) => to > `${space}\0${keys[rowCount - 1000]}`),
    );
    image = await imageOf(t, folder);
  };
  await store.shrink?.({ rest });
  await store.close();
  assert.ok(image !== undefined);
  const next = await openStore(image);
  await next.shrink?.();
  assert.ok((await bytesOfRows(image)) < restBytes);
  await next.close();
});

describe('shrink waits', () => {
  test('for a backup that still needs the rows, also if LevelDB has moved them meanwhile', async (t) => {
    const { folder, store } = await filled(t);
    const content = await contentOf(store);
    const frozen = await store.freeze?.();
    assert.ok(frozen !== undefined);
    await remove(store, keys);
    await store.shrink?.();
    // LevelDB merges tables while these are written and deleted.
    const others = keys.map((key) => `${key}x`);
    await put(store, others, rowBytes);
    await remove(store, others);
    await store.shrink?.();
    assert.ok((await bytesOfRows(folder)) > rowCount * rowBytes * 0.7);
    assert.deepEqual(await contentOf(frozen), content);
    await frozen.close();
    const left = await contentOf(store);
    // What was deleted while the backup was open is counted anew.
    for (let turn = 0; turn < 3; turn++) await store.shrink?.();
    const after = await bytesOfRows(folder);
    assert.ok(after < restBytes, `${after} bytes`);
    await sameEverywhere(t, folder, store, left);
  });

  test('for a reader that began before the rows were deleted', async (t) => {
    const { folder, store } = await filled(t);
    const reading = store.scan(space)[Symbol.asyncIterator]();
    await reading.next();
    await remove(store, keys);
    await store.shrink?.();
    assert.ok((await bytesOfRows(folder)) > rowCount * rowBytes * 0.7);
    let rows = 0;
    for (let next = await reading.next(); next.done !== true; next = await reading.next())
      rows += next.value.length;
    assert.ok(rows > rowCount * 0.9, `${rows} rows`);
    await store.shrink?.();
    assert.ok((await bytesOfRows(folder)) < restBytes);
    await store.close();
  });
});

describe('shrink does nothing', () => {
  test('where little was deleted', async (t) => {
    const { folder, store: before } = await filled(t);
    // What is in LevelDB's memory is not known to take space. It goes into tables when it is opened.
    await before.close();
    const store = await openStore(folder);
    await remove(store, keys.slice(0, rowCount / 20));
    assert.equal(await stepsOf(store), 0);
    // A fifth, everywhere: five times as much would have to be written again.
    await remove(
      store,
      keys.filter((_, n) => n % 5 === 0),
    );
    assert.equal(await stepsOf(store), 0);
    await store.close();
  });

  /** LevelDB itself may compact the damaged table before. */
  async function keepsDamaged(t: TestContext): Promise<boolean> {
    const { folder, store } = await filled(t);
    await store.close();
    const opened = await openStore(folder);
    await remove(opened, keys);
    const tables = await filesOf(folder, '.ldb');
    const table = tables[Math.floor(tables.length / 2)] ?? '';
    // In place: LevelDB has mapped it into memory.
    const file = await open(table, 'r+');
    const place = 1000;
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, place);
    byte[0] = (byte[0] as number) ^ 1;
    await file.write(byte, 0, 1, place);
    await file.close();
    await opened.shrink?.();
    const isKept = (await filesOf(folder, '.ldb')).includes(table);
    const found: unknown[] = [];
    for await (const damage of opened.verify?.() ?? []) found.push(damage);
    await opened.close();
    return isKept && found.length > 0;
  }

  test('where a block is damaged: its checksum would become right', async (t) => {
    let isKept = false;
    for (let attempt = 0; attempt < 5 && !isKept; attempt++) isKept = await keepsDamaged(t);
    assert.ok(isKept);
  });

  test('in memory, where there are no files', async () => {
    const store = await openLevelStore({ memory: true });
    assert.equal(store.shrink, undefined);
    await store.close();
  });
});

test('rows are read and written as ever while their space is given back', async (t) => {
  const { folder, store } = await filled(t);
  await remove(store, keys);
  let isOver = false;
  let written = 0;
  const write = async () => {
    for (; !isOver; written++) {
      const key = `w${written}`;
      await store.transact(space, [], () => ({
        puts: [{ key, value: Buffer.from(key) }],
        result: undefined,
      }));
      assert.equal((await store.get(space, key))?.toString(), key);
      assert.equal(await store.get(space, keys[written % rowCount] as string), undefined);
    }
  };
  const writing = write();
  await store.shrink?.();
  isOver = true;
  await writing;
  const content = await contentOf(store);
  assert.equal(content.length, written + 200);
  await sameEverywhere(t, folder, store, content);
});
