import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../../src/engines/memory/blob-store.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { createMetrics, type Metrics } from '../../../src/server/metrics/metrics.js';
import { valueIn } from '../../support/metrics-text.js';

const space = 'base/demo/a';

async function count(metrics: Metrics, name: string, labels = {}): Promise<number> {
  return valueIn(await metrics.text(), name, labels);
}

test('transactions that wait share a group commit: its size, their waits and its rows are counted', async () => {
  const metrics = createMetrics();
  const items = await openLevelStore({ memory: true }, metrics.onGroup);
  const put = (key: string) =>
    items.transact(space, [key], () => ({ puts: [{ key, value: Buffer.from('x') }], result: undefined }));
  const before = await count(metrics, 'basedrive_commit_rows_total');
  await Promise.all(Array.from({ length: 40 }, (_, n) => put(`key${n}`)));
  assert.equal((await count(metrics, 'basedrive_commit_rows_total')) - before, 40);
  const groups = await count(metrics, 'basedrive_commit_transactions_count');
  const transactions = await count(metrics, 'basedrive_commit_transactions_sum');
  assert.ok(transactions >= 40 && groups < transactions, `${transactions} transactions in ${groups} groups`);
  assert.equal(await count(metrics, 'basedrive_commit_wait_seconds_count'), transactions);
  assert.equal(await count(metrics, 'basedrive_commit_duration_seconds_count'), groups);
  await items.close();
});

test('a call that finds the storage unavailable is counted, and an error of the caller is not', async () => {
  const metrics = createMetrics();
  const away: ItemStore = {
    ...(await openLevelStore({ memory: true })),
    get: () => Promise.reject(new StorageUnavailable('away')),
  };
  const { items } = metrics.observe({ items: away, blobs: openMemoryBlobStore() });
  await assert.rejects(async () => await items.get(space, 'a'), StorageUnavailable);
  const refuse = () => {
    throw new RangeError('a condition does not hold');
  };
  await assert.rejects(items.transact(space, [], refuse), RangeError);
  const unavailable = (operation: string) =>
    count(metrics, 'basedrive_engine_unavailable_total', { store: 'rows', operation });
  assert.deepEqual([await unavailable('get'), await unavailable('write')], [1, 0]);
  await items.close();
});

test('the buckets of a histogram are cumulative, and a value on a bound belongs to its bucket', async () => {
  const metrics = createMetrics();
  for (const waits of [1, 2, 3, 2000]) {
    metrics.onGroup({ waitsMs: Array.from({ length: waits }, () => 0), operations: 0, durationMs: 1 });
  }
  const upTo = (le: string) => count(metrics, 'basedrive_commit_transactions_bucket', { le });
  assert.deepEqual(
    [await upTo('1'), await upTo('2'), await upTo('4'), await upTo('1024'), await upTo('+Inf')],
    [1, 2, 3, 3, 4],
  );
  assert.equal(await count(metrics, 'basedrive_commit_transactions_sum'), 2006);
});
