import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBaseService } from '../../../src/base/service.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { readInsert } from '../../support/read-bodies.js';

test('two batches of the imports of a project and four large puts are stored at once, and another project waits for none', async (context) => {
  const items = await openLevelStore({ memory: true });
  context.after(() => items.close());
  let atOnce = 0;
  let most = 0;
  let release: () => void = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held: ItemStore = {
    ...items,
    async transact(space, keys, decide) {
      most = Math.max(most, ++atOnce);
      if (space.includes('importer')) await isReleased;
      const result = await items.transact(space, keys, decide);
      atOnce--;
      return result;
    },
  };
  const service = createBaseService(held, Date.now);
  const item = readInsert(Buffer.from('{"item":{"key":"k"}}'));
  const large = readInsert(Buffer.from(`{"item":{"key":"k","text":"${'x'.repeat(200_000)}"}}`));
  const batches = Array.from({ length: 3 }, (_, n) => [
    service.putBatch('importer', `a${n}`, [item]),
    service.insertBatch('importer', `b${n}`, [item]),
    service.put('importer', `c${n}`, [large]),
    service.insert('importer', `d${n}`, large),
  ]);
  while (atOnce < 6) await nextTurn();
  await service.putBatch('other', 'b', [item]);
  await service.put('other', 'b', [large]);
  assert.equal(most, 7);
  // A small put waits for no large one of its project.
  const small = service.put('importer', 'e', [item]);
  while (atOnce < 7) await nextTurn();
  release();
  await Promise.all([...batches.flat(), small]);
  assert.equal(atOnce, 0);
});
