import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createByteList, createItemList } from '../../../src/base/pages/item-list.js';

test('a list is the texts with commas between them, whatever they are and however many', () => {
  const text = fc.oneof(
    { weight: 9, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
    { weight: 1, arbitrary: fc.integer({ min: 3000, max: 300_000 }).map((n) => 'é'.repeat(n)) },
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), text, (items, before) => {
      const texts = createItemList();
      for (const item of items) texts.add(item);
      const bytes = createByteList(items.map((item) => Buffer.from(item)));
      for (const list of [texts, bytes]) {
        assert.equal(list.count, items.length);
        assert.equal(
          list.finish(`${before}[`, ']}').toString(),
          Buffer.from(`${before}[${items.join(',')}]}`).toString(),
        );
      }
    }),
    { numRuns: 200 },
  );
});
