import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { needsWait } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';

const space = 'base/p/b';
const keys = Array.from({ length: 40 }, (_, n) => `k${n}`);

test('synchronous rows are read from the disk one by one, and only a few of them while everybody waits', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'basedrive-synchronous-rows-'));
  const folder = join(parent, 'rows');
  try {
    const first = await openLevelStore({ folder, create: true });
    const puts = keys.map((key) => ({ key, value: Buffer.from(key) }));
    await first.transact(space, [], () => ({ puts, result: undefined }));
    await first.close();
    const store = await openLevelStore({ folder, create: false });
    const read: string[] = [];
    const readOn = () => {
      const rows = store.rowsSync?.(space);
      for (const key of keys.slice(read.length)) read.push(`${rows?.get(key)}`);
    };
    for (const known of [16, 32]) {
      assert.throws(readOn, (cause) => cause === needsWait);
      assert.equal(read.length, known);
    }
    readOn();
    assert.deepEqual(read, keys);
    // All of them are in memory now.
    const rows = store.rowsSync?.(space);
    assert.deepEqual(
      keys.map((key) => `${rows?.get(key)}`),
      keys,
    );
    await store.close();
  } finally {
    await rm(parent, { recursive: true });
  }
});

test('a row that is being written is not read synchronously, and others are', async () => {
  const store = await openLevelStore({ memory: true });
  const write = (value: string) =>
    store.transact(space, [], () => ({ puts: [{ key: 'a', value: Buffer.from(value) }], result: undefined }));
  await store.transact(space, [], () => ({
    puts: [{ key: 'b', value: Buffer.from('b') }],
    result: undefined,
  }));
  await write('old');
  const get = (key: string) => `${store.rowsSync?.(space)?.get(key)}`;
  assert.equal(get('a'), 'old');
  let isWritten = false;
  const writing = write('new').then(() => {
    isWritten = true;
  });
  let hidden = 0;
  while (!isWritten) {
    await Promise.resolve();
    if (isWritten) break;
    assert.equal(get('b'), 'b');
    try {
      assert.equal(get('a'), hidden === 0 ? 'old' : 'new');
    } catch (cause) {
      if (cause !== needsWait) throw cause;
      if (++hidden % 10 === 0) await new Promise(setImmediate);
    }
  }
  await writing;
  assert.ok(hidden > 0);
  assert.equal(get('a'), 'new');
  await store.close();
});
