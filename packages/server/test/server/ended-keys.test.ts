import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import { openLevelStore } from '../../src/engines/level/store.js';
import { testEndedKeys } from '../support/ended-keys.js';

describe('requests in progress over LevelDB', () => {
  testEndedKeys(async (work) => {
    const folder = await mkdtemp(join(tmpdir(), 'basedrive-keys-'));
    const items = await openLevelStore({ folder, create: true });
    try {
      await work(items);
    } finally {
      await items.close();
      await rm(folder, { recursive: true });
    }
  });
});
