import { after, before, describe, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { claimAll } from '../../support/claims.js';
import { freshDatabase, withStoresAt } from '../../support/postgres-databases.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

describe('many callers at two servers over one database', () => {
  for (const isIndexed of [false, true]) {
    test(`never claim the same item, ${isIndexed ? 'by an index' : 'without an index'}`, async () => {
      const { url } = await freshDatabase(postgres);
      await withStoresAt([url, url], (stores) => claimAll(stores, isIndexed));
    });
  }
});
