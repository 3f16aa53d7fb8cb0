import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLevelStore } from '../../../src/engines/level/store.js';

const space = 'base/demo/users';
const rows = 1000;
const valueBytes = 300;
/** Each leaves some 200 KB until V8 collects what is in front of it. */
const scans = 3000;
const mostGrowthBytes = 250 * 1024 * 1024;

test('scans that are left early do not pile up memory that V8 does not see', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-external-'));
  const store = await openLevelStore({ folder: join(folder, 'rows'), create: true });
  context.after(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  const value = Buffer.alloc(valueBytes, 'x');
  const puts = Array.from({ length: rows }, (_, n) => ({ key: String(n).padStart(6, '0'), value }));
  await store.transact(space, [], () => ({ puts, result: null }));
  const before = process.memoryUsage().rss;
  for (let n = 0; n < scans; n++)
    for await (const batch of store.scanText(space, { firstBatch: rows, isOneBatch: true }))
      assert.ok(batch.length > 100);
  const growth = process.memoryUsage().rss - before;
  context.diagnostic(`${Math.round(growth / 1024 / 1024)} MiB more`);
  assert.ok(growth < mostGrowthBytes, `${growth} bytes more`);
});
