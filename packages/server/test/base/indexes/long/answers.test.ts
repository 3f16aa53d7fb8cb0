import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openLevelStore } from '../../../../src/engines/level/store.js';
import { sameAnswersWhileWritten, sameAnswersWithIndexes } from '../../../support/same-answers.js';

describe('a query has the same answer with and without indexes', () => {
  for (const seed of [1, 2, 3]) {
    test(`in memory, seed ${seed}`, async () => {
      const items = await openLevelStore({ memory: true });
      try {
        await sameAnswersWithIndexes(items, { seed, rounds: 6, queries: 25 });
      } finally {
        await items.close();
      }
    });
  }

  test('at each moment while writers change everything and indexes come and go, on LevelDB', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'basedrive-indexes-'));
    const items = await openLevelStore({ folder, create: true });
    try {
      const asked = await sameAnswersWhileWritten([items], { seed: 5, moments: 8, queries: 8 });
      assert.ok(asked.withIndex > 10, JSON.stringify(asked));
    } finally {
      await items.close();
      await rm(folder, { recursive: true });
    }
  });
});
