import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { sameAsModel } from '../../support/aggregate-model.js';

describe('aggregates over LevelDB', () => {
  let items: ItemStore;

  beforeEach(async () => {
    items = await openLevelStore({ memory: true });
  });
  afterEach(() => items.close());

  test('are those of a plain model, with an index and without', async () => {
    const byEntries = await sameAsModel(items, { numRuns: 120 });
    assert.ok(byEntries > 8, `${byEntries} were answered from entries alone`);
  });
});
