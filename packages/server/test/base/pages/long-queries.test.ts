import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBaseService } from '../../../src/base/service.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { withTurns } from '../../../src/engines/shared/reading-turns.js';
import { baseSpace } from '../../../src/spaces.js';
import { askQuery } from '../../support/read-bodies.js';

const rows = 5000;

/** As an engine whose scans hold connections, three of which are for what takes long. */
function holding(items: ItemStore): ItemStore {
  return withTurns({ ...items, momentsAtOnce: 4, rowsSync: undefined });
}

async function fill(items: ItemStore, project: string, count: number): Promise<void> {
  const puts = Array.from({ length: count }, (_, n) => {
    const key = String(n).padStart(5, '0');
    return { key, value: Buffer.from(JSON.stringify({ key, n })) };
  });
  await items.transact(baseSpace(project, 'b'), [], () => ({ puts, result: undefined }));
}

for (const body of ['{"count":true,"limit":1}', '{"order":["n"]}', `{"offset":${rows - 1}}`]) {
  test(`no long query waits for others that wait for it: ${body}`, async () => {
    const level = await openLevelStore({ memory: true });
    const items = holding(level);
    const service = createBaseService(items, Date.now);
    await fill(level, 'p', rows);
    // While others ask for items, one batch is read at a time.
    const others = setInterval(() => {
      for (let n = 0; n < 8; n++) void service.get('p', 'b', '00001');
    }, 1);
    try {
      const pages = await Promise.all(
        Array.from({ length: 16 }, () => service.query('p', 'b', askQuery(body))),
      );
      assert.equal(pages.length, 16);
    } finally {
      clearInterval(others);
      await level.close();
    }
  });
}

for (const { title, storeOf } of [
  {
    title: 'in an engine of one process',
    storeOf: (level: ItemStore) => ({ ...level, rowsSync: undefined }),
  },
  { title: 'where scans hold connections', storeOf: holding },
]) {
  test(`a long query of a project waits for no whole one of another project, ${title}`, async () => {
    const level = await openLevelStore({ memory: true });
    const service = createBaseService(storeOf(level), Date.now);
    await fill(level, 'busy', rows);
    await fill(level, 'other', 1);
    try {
      let answered = 0;
      const ask = (project: string) => service.query(project, 'b', askQuery('{"order":["n"],"limit":1}'));
      const busy = Array.from({ length: 16 }, async () => {
        await ask('busy');
        answered++;
      });
      await ask('other');
      assert.equal(answered, 0);
      await Promise.all(busy);
    } finally {
      await level.close();
    }
  });
}
