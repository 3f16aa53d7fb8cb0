import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { collectChanges, Room } from '../../src/feed/collect-changes.js';
import type { Batch } from '../../src/feed/position.js';
import { garbageCollector } from '../../src/lib/garbage-collector.js';

const mib = 1024 * 1024;
const pages = 64;
const position = { epoch: 'e', next: '1', given: 0 };

async function* changes(): AsyncGenerator<Batch> {
  yield { changes: [Buffer.alloc(mib, 'x').toString('latin1')], position, isLive: true };
}

test('pages that wait for memory keep nothing of the large changes that they have seen', async () => {
  const collect = garbageCollector();
  const usedBytes = () => {
    collect();
    // Another thread frees what lies outside the heap, at the latest before the second collection.
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = usedBytes();
  let asked = 0;
  let admit = () => {};
  const admitted = new Promise<void>((resolve) => {
    admit = resolve;
  });
  const reserve = () => {
    asked++;
    return admitted;
  };
  const collected = Array.from({ length: pages }, () =>
    collectChanges({ open: changes }, new Room(100, reserve), 0),
  );
  while (asked < pages) await setImmediate();
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  const keptMiB = (usedBytes() - before) / mib;
  assert.ok(keptMiB < pages / 4, `${Math.round(keptMiB)} MiB`);
  admit();
  for (const page of await Promise.all(collected)) assert.equal(page?.changes.length, 1);
});
