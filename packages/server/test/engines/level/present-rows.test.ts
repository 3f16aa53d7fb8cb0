import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { notPresent } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';

const space = 'base/p/b';
const keys = Array.from({ length: 40 }, (_, n) => `k${n}`);

test('present rows are read from the disk one by one, and only a few of them while everybody waits', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'basedrive-present-rows-'));
  const folder = join(parent, 'rows');
  try {
    const first = await openLevelStore({ folder, create: true });
    const puts = keys.map((key) => ({ key, value: Buffer.from(key) }));
    await first.transact(space, [], () => ({ puts, result: undefined }));
    await first.close();
    const store = await openLevelStore({ folder, create: false });
    const read: string[] = [];
    const readOn = () => {
      const rows = store.present?.(space);
      for (const key of keys.slice(read.length)) read.push(`${rows?.get(key)}`);
    };
    for (const known of [16, 32]) {
      assert.throws(readOn, (cause) => cause === notPresent);
      assert.equal(read.length, known);
    }
    readOn();
    assert.deepEqual(read, keys);
    // All of them are in memory now.
    const rows = store.present?.(space);
    assert.deepEqual(
      keys.map((key) => `${rows?.get(key)}`),
      keys,
    );
    await store.close();
  } finally {
    await rm(parent, { recursive: true });
  }
});
