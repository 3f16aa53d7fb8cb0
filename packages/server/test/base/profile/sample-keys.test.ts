import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sampleKeys } from '../../../src/base/profile/sample-keys.js';
import { createBaseService } from '../../../src/base/service.js';
import type { ItemStore, ScanRange } from '../../../src/engines/item-store.js';
import { compareUtf8 } from '../../../src/lib/text/utf8-order.js';
import { baseSpace } from '../../../src/spaces.js';
import { anyCharacter } from '../../support/any-character.js';
import { memoryStore } from '../../support/copy-fixture.js';
import { readPut } from '../../support/read-bodies.js';

async function put(items: ItemStore, base: string, keys: readonly string[]): Promise<void> {
  const bases = createBaseService(items, () => 0);
  for (let at = 0; at < keys.length; at += 25) {
    const some = keys.slice(at, at + 25).map((key) => ({ key }));
    await bases.put('p', base, readPut(JSON.stringify({ items: some })));
  }
}

const sample = (items: ItemStore, base: string, count: number, range: ScanRange = {}) =>
  sampleKeys(count, {
    items,
    space: baseSpace('p', base),
    range: { gte: ' ', ...range },
    turn: (read) => read(),
  });

test('every group of keys is found, and the keys of a large one are far apart', async (context) => {
  const { items } = await memoryStore(context);
  const numbers = (beginning: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${beginning}${String(n).padStart(4, '0')}`);
  await put(items, 'b', [
    ...numbers('order:2025:', 1500),
    ...numbers('order:2026:', 1500),
    ...numbers('user/', 30),
  ]);
  const found = await sample(items, 'b', 32);
  assert.equal(found[0], 'order:2025:0000');
  for (const group of ['order:2025:', 'order:2026:', 'user/'])
    assert.ok(found.filter((key) => key.startsWith(group)).length >= 4, found.join(' '));
  assert.ok(found.includes('user/0000'));
  assert.ok(
    found.some((key) => key > 'order:2025:1200' && key < 'order:2026:'),
    found.join(' '),
  );

  const within = await sample(items, 'b', 8, { prefix: 'order:2026:', lt: 'order:2026:1000' });
  assert.equal(within[0], 'order:2026:0000');
  assert.ok(within.length > 4 && within.every((key) => key >= 'order:2026:' && key < 'order:2026:1000'));
});

test('whatever the keys are, those that are found are among them, in their order, with the first', async (context) => {
  const { items } = await memoryStore(context);
  let bases = 0;
  const key = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 6 }).map((text) => `k${text}`);
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(key, { maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      async (keys, count) => {
        const base = `b${bases++}`;
        const valid = keys.filter((text) => !text.includes('\0'));
        await put(items, base, valid);
        const found = await sample(items, base, count);
        const sorted = valid.toSorted(compareUtf8);
        assert.ok(found.length <= count && found.length >= Math.min(1, valid.length));
        assert.deepEqual(
          found,
          sorted.filter((one) => found.includes(one)),
        );
        assert.equal(found[0], sorted[0]);
      },
    ),
  );
});
