import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLevelStore } from '../../src/engines/level.js';
import { itemStoreSuite } from '../conformance/item-store-suite.js';

itemStoreSuite('LevelDB in a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-level-'));
  const store = await openLevelStore({ folder });
  return {
    store,
    reopen: async () => {
      await store.close();
      return openLevelStore({ folder });
    },
    cleanup: () => rm(folder, { recursive: true }),
  };
});

itemStoreSuite('LevelDB over memory', async () => ({
  store: await openLevelStore({ memory: true }),
  cleanup: async () => {},
}));
