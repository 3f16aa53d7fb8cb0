import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { freshDatabase, withStoresAt } from '../../support/postgres-databases.js';
import { sameAnswersWhileWritten, sameAnswersWithIndexes } from '../../support/same-answers.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

describe('indexes of several servers over one database', () => {
  test('a query has the same answer with and without them', async () => {
    const { url } = await freshDatabase(postgres);
    await withStoresAt([url], async ([items]) => {
      assert.ok(items !== undefined);
      await sameAnswersWithIndexes(items, { seed: 1, rounds: 6, queries: 15 });
    });
  });

  test('at each moment while writers at two servers change everything and indexes come and go', async () => {
    const { url } = await freshDatabase(postgres);
    await withStoresAt([url, url], async (stores) => {
      const asked = await sameAnswersWhileWritten(stores, { seed: 2, moments: 10, queries: 5 });
      assert.ok(asked.withIndex > 5, JSON.stringify(asked));
    });
  });
});
