import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { withPacedScans } from '../../../src/engines/shared/paced-scans.js';

const space = 'drive/demo/files';
const keys = Array.from({ length: 3000 }, (_, n) => String(n).padStart(4, '0'));

/** A store that counts the batches which are being read. */
async function open() {
  const items = await openLevelStore({ memory: true });
  const puts = keys.map((key) => ({ key, value: Buffer.from(`{"of":"${key}"}`.padEnd(300)) }));
  await items.transact(space, [], () => ({ puts, result: undefined }));
  const reading = { now: 0, most: 0, batches: 0 };
  async function* counted<Batch>(batches: AsyncIterable<Batch>) {
    const iterator = batches[Symbol.asyncIterator]();
    try {
      for (;;) {
        reading.most = Math.max(reading.most, ++reading.now);
        const next = await iterator.next().finally(() => reading.now--);
        if (next.done) return;
        reading.batches++;
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  const store: ItemStore = {
    ...items,
    scan: (...given) => counted(items.scan(...given)),
    scanText: (...given) => counted(items.scanText(...given)),
  };
  return { store, reading, close: () => items.close() };
}

async function keysOf(rows: AsyncIterable<readonly { readonly key: string }[]>): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of rows) for (const { key } of batch) found.push(key);
  return found;
}

describe('paced scans', () => {
  test('give all rows, and read two batches at once at most', async () => {
    const { store, reading, close } = await open();
    const paced = withPacedScans(store);
    const scans = Array.from({ length: 30 }, (_, n) =>
      keysOf(n % 2 === 0 ? paced.scan(space) : paced.scanText(space)),
    );
    for (const found of await Promise.all(scans)) assert.deepEqual(found, keys);
    assert.ok(reading.batches > 60, `only ${reading.batches} batches`);
    assert.equal(reading.most, 2);
    await close();
  });

  test('a scan that ends early, or fails, keeps no turn', async () => {
    const { store, reading, close } = await open();
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
    assert.equal(reading.now, 0);
    await close();
  });

  test('a store whose scans hold connections stays as it is', async () => {
    const { store, close } = await open();
    const shared: ItemStore = { ...store, momentsAtOnce: 4 };
    assert.equal(withPacedScans(shared), shared);
    await close();
  });
});
