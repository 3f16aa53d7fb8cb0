import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBaseService } from '../../../../src/base/service.js';
import { openLevelStore } from '../../../../src/engines/level/store.js';
import { baseSpace } from '../../../../src/spaces.js';
import { askQuery, readPut } from '../../../support/read-bodies.js';

/** How many items have the value 0, 1, 2 …: fewer and more than a page needs, and than are sorted in memory. */
const groupSizes = [1, 2, 1, 1, 11, 12, 13, 1, 300, 2, 50, 1];

test('pages by an index go through groups of equal values of every size', async () => {
  const items = await openLevelStore({ memory: true });
  const service = createBaseService(items, Date.now);
  const stored = groupSizes.flatMap((size, n) =>
    Array.from({ length: size }, (_, place) => ({ key: `${(place * 7) % size}-${n}`, n })),
  );
  for (let at = 0; at < stored.length; at += 25)
    await service.put('p', 'b', readPut(Buffer.from(JSON.stringify({ items: stored.slice(at, at + 25) }))));
  await service.indexes.declare(baseSpace('p', 'b'), 'by-n', { fields: ['n'] });
  const indexes = () => service.indexes.list(baseSpace('p', 'b'), () => false);
  while ((await indexes())[0]?.state !== 'ready') await nextTurn();

  for (const order of [['n'], ['-n'], ['n', '-key'], ['-n', '-key']]) {
    const [valueSign, keySign] = [order[0] === 'n' ? 1 : -1, order.includes('-key') ? -1 : 1];
    const expected = stored
      .toSorted((a, b) => valueSign * (a.n - b.n) || keySign * (a.key < b.key ? -1 : 1))
      .map(({ key }) => key);
    for (const limit of [1, 3, 10, 60, 255, 1000]) {
      const keys: string[] = [];
      for (let last: string | undefined; ; ) {
        const query = askQuery(Buffer.from(JSON.stringify({ order, limit, last })));
        const cost: { items: number; bytes: number; index?: string } = { items: 0, bytes: 0 };
        const page = await service.query('p', 'b', query, { isAbandoned: () => false, cost });
        assert.equal(cost.index, 'by-n');
        const found = JSON.parse(page.items.finish('[', ']').toString()) as { key: string }[];
        keys.push(...found.map(({ key }) => key));
        last = page.last;
        if (last === undefined) break;
      }
      assert.deepEqual(keys, expected, `${order.join()}, ${limit} at a time`);
    }
  }
  await service.stop();
  await items.close();
});
