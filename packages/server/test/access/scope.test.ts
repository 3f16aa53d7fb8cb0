import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { limitedGrant } from '../../src/access/grant.js';
import { narrowedRange, requireWithin } from '../../src/access/scope.js';
import type { ItemStore, ScanRange } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { RequestError } from '../../src/request-error.js';

const grantOf = (prefix: string) => limitedGrant('id', 'p', { access: 'read', ...(prefix && { prefix }) });
const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', 'é', '😀'), maxLength: 3 });

async function keysOf(items: ItemStore, range: ScanRange): Promise<string[]> {
  const keys: string[] = [];
  for await (const batch of items.scan('base/p/b', range)) keys.push(...batch.map(({ key }) => key));
  return keys;
}

test('a narrowed range holds the keys of the range that begin with the prefix', async () => {
  const items = await openLevelStore({ memory: true });
  const letters = ['a', 'b', '/', 'é', '😀'];
  const all = letters.flatMap((x) => [
    x,
    ...letters.flatMap((y) => [x + y, ...letters.map((z) => x + y + z)]),
  ]);
  const puts = all.map((key) => ({ key, value: Buffer.from('{}') }));
  await items.transact('base/p/b', [], () => ({ puts, result: undefined }));
  const bound = fc.option(text, { nil: undefined });
  const range = fc.record({
    prefix: bound,
    gte: bound,
    gt: bound,
    lte: bound,
    lt: bound,
    reverse: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(text, range, async (prefix, given) => {
      const asked = Object.fromEntries(
        Object.entries(given).filter(([, value]) => value !== undefined),
      ) as ScanRange;
      const expected = (await keysOf(items, asked)).filter((key) => key.startsWith(prefix));
      assert.deepEqual(await keysOf(items, narrowedRange(grantOf(prefix), asked)), expected);
    }),
    { numRuns: 300 },
  );
  await items.close();
});

test('a key or name is within exactly if it begins with the prefix', () => {
  const isRefused = (prefix: string, name: string) => {
    try {
      requireWithin(grantOf(prefix), name);
      return false;
    } catch (cause) {
      assert.ok(cause instanceof RequestError && cause.status === 403);
      return true;
    }
  };
  fc.assert(
    fc.property(text, text, (prefix, name) => {
      assert.equal(isRefused(prefix, name), !name.startsWith(prefix));
    }),
  );
});
