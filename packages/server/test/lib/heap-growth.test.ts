import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const module = new URL('../../src/lib/heap-growth.js', import.meta.url);

/** Prints how often all garbage was collected while many objects became old and were dropped. */
const churn = `
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { boundHeapGrowth } from ${JSON.stringify(module.href)};
if (process.env.IS_BOUND === 'yes') boundHeapGrowth();
let collections = 0;
new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries())
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++;
}).observe({ entryTypes: ['gc'] });
const objects = (count) => Array.from({ length: count }, (_, n) => ({ n, list: [n] }));
const kept = objects(400_000);
const recent = [];
for (let round = 0; round < 400; round++) {
  recent.push(objects(20_000));
  if (recent.length > 8) recent.shift();
  await new Promise(setImmediate);
}
await new Promise((resolve) => setTimeout(resolve, 20));
console.log(collections, kept.length);
`;

async function collections(isBound: 'yes' | 'no'): Promise<number> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--max-old-space-size=4096', '--input-type=module', '--eval', churn],
    { env: { ...process.env, IS_BOUND: isBound } },
  );
  return Number.parseInt(stdout, 10);
}

test('a heap that may have gigabytes is collected before it has more than doubled', async () => {
  const usual = await collections('no');
  const bound = await collections('yes');
  assert.ok(bound >= 1.5 * usual, `${bound} collections, and ${usual} as usual`);
});
