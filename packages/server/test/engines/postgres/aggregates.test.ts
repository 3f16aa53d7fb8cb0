import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { sameAsModel } from '../../support/aggregate-model.js';
import { freshDatabase, withStoresAt } from '../../support/postgres-databases.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

describe('aggregates over PostgreSQL', () => {
  test('are those of a plain model, with an index and without', async () => {
    const { url } = await freshDatabase(postgres);
    await withStoresAt([url], async ([items]) => {
      assert.ok(items !== undefined);
      const byEntries = await sameAsModel(items, { numRuns: 60 });
      assert.ok(byEntries > 3, `${byEntries} were answered from entries alone`);
    });
  });
});
