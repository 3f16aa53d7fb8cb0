import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createBaseService } from '../../../src/base/service.js';
import { createCatalogService } from '../../../src/catalog/service.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { createStorageHistory } from '../../../src/server/activity/storage-history.js';
import { readPut } from '../../support/read-bodies.js';

describe('what projects store over time', () => {
  let items: ItemStore;
  let nowSeconds = 1_700_000_000;
  const clock = () => nowSeconds * 1000;

  beforeEach(async () => {
    items = await openLevelStore({ memory: true });
  });
  afterEach(() => items.close());

  function history(active: readonly string[]) {
    return createStorageHistory({
      catalog: createCatalogService(items, clock),
      clock,
      activeProjects: () => active,
    });
  }
  const put = (project: string, base: string, keys: readonly string[]) =>
    createBaseService(items, clock).put(
      project,
      base,
      readPut(JSON.stringify({ items: keys.map((key) => ({ key })) }), keys.length),
    );

  test('is measured over all bases of the projects that were active', async () => {
    await put('a', 'one', ['x', 'y']);
    await put('a', 'two', ['z']);
    await put('b', 'one', ['x']);
    const { of, measure } = history(['a']);
    await measure();
    assert.deepEqual(of('a'), [
      {
        at: nowSeconds,
        items: 3,
        item_bytes: 3 * '{"key":"x"}'.length,
        files: 0,
        file_bytes: 0,
        exact: true,
      },
    ]);
    assert.deepEqual(of('b'), []);
  });

  test('keeps of equal points the first and the last', async () => {
    const { of, measure } = history(['a']);
    const from = nowSeconds;
    await put('a', 'one', ['x']);
    for (let hour = 0; hour < 5; hour++) {
      await measure();
      nowSeconds += 3600;
    }
    await put('a', 'one', ['y']);
    await measure();
    assert.deepEqual(
      of('a').map(({ at, items }) => [(at - from) / 3600, items]),
      [
        [0, 1],
        [4, 1],
        [5, 2],
      ],
    );
  });

  test('keeps 400 points', async () => {
    const { of, measure } = history(['a']);
    for (let hour = 0; hour < 405; hour++) {
      await put('a', 'one', [`k${hour}`]);
      await measure();
      nowSeconds += 3600;
    }
    assert.equal(of('a').length, 400);
    assert.equal(of('a').at(-1)?.items, 405);
    assert.equal(of('a')[0]?.items, 6);
  });
});
