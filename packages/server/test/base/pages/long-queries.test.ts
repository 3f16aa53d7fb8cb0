import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBaseService } from '../../../src/base/service.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { withTurns } from '../../../src/engines/shared/reading-turns.js';
import { baseSpace } from '../../../src/spaces.js';
import { askQuery } from '../../support/read-bodies.js';

const rows = 5000;

for (const body of ['{"count":true,"limit":1}', '{"order":["n"]}', `{"offset":${rows - 1}}`]) {
  test(`no long query waits for others that wait for it: ${body}`, async () => {
    const level = await openLevelStore({ memory: true });
    // As an engine whose scans hold connections, three of which are for what takes long.
    const items = withTurns({ ...level, momentsAtOnce: 4, rowsSync: undefined });
    const service = createBaseService(items, Date.now);
    const puts = Array.from({ length: rows }, (_, n) => {
      const key = String(n).padStart(5, '0');
      return { key, value: Buffer.from(JSON.stringify({ key, n })) };
    });
    await level.transact(baseSpace('p', 'b'), [], () => ({ puts, result: undefined }));
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
