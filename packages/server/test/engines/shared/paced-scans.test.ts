import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { withPacedScans } from '../../../src/engines/shared/paced-scans.js';
import { countReads } from '../../support/count-reads.js';

const space = 'drive/demo/files';
const keys = Array.from({ length: 3000 }, (_, n) => String(n).padStart(4, '0'));

async function open() {
  const items = await openLevelStore({ memory: true });
  const puts = keys.map((key) => ({ key, value: Buffer.from(`{"of":"${key}"}`.padEnd(300)) }));
  await items.transact(space, [], () => ({ puts, result: undefined }));
  return { ...countReads(items), close: () => items.close() };
}

async function keysOf(rows: AsyncIterable<readonly { readonly key: string }[]>): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of rows) for (const { key } of batch) found.push(key);
  return found;
}

describe('paced scans', () => {
  test('give all rows, and read two batches at once at most', async () => {
    const { store, reads, close } = await open();
    const paced = withPacedScans(store);
    const scans = Array.from({ length: 30 }, (_, n) =>
      keysOf(n % 2 === 0 ? paced.scan(space) : paced.scanText(space)),
    );
    for (const found of await Promise.all(scans)) assert.deepEqual(found, keys);
    assert.ok(reads.batches > 60, `only ${reads.batches} batches`);
    assert.equal(reads.most, 2);
    await close();
  });

  test('a scan that ends early, or fails, keeps no turn', async () => {
    const { store, reads, close } = await open();
    const paced = withPacedScans(store);
    for (let n = 0; n < 5; n++) {
      for await (const batch of paced.scan(space)) {
        assert.ok(batch.length > 0);
        break;
      }
    }
    const failing = withPacedScans({
      ...store,
      scan() {
        throw new Error('no rows');
      },
    });
    for (let n = 0; n < 5; n++) await assert.rejects(async () => keysOf(failing.scan(space)), /no rows/);
    assert.deepEqual(await keysOf(paced.scan(space)), keys);
    assert.equal(reads.now, 0);
    await close();
  });

  test('a store whose scans hold connections stays as it is', async () => {
    const { store, close } = await open();
    const shared: ItemStore = { ...store, momentsAtOnce: 4 };
    assert.equal(withPacedScans(shared), shared);
    await close();
  });
});
