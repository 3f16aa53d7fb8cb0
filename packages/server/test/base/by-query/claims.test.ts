import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { claimAll } from '../../support/claims.js';

/** Two services over one store do not know of each other's callers. */
describe('many callers of two services over LevelDB', () => {
  let folder: string;
  let items: ItemStore;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'basedrive-claims-'));
    items = await openLevelStore({ folder, create: true });
  });
  afterEach(async () => {
    await items.close();
    await rm(folder, { recursive: true });
  });

  for (const isIndexed of [false, true]) {
    test(`never claim the same item, ${isIndexed ? 'by an index' : 'without an index'}`, () =>
      claimAll([items, items], isIndexed));
  }
});
