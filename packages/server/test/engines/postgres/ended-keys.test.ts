import { after, before, describe } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { testEndedKeys } from '../../support/ended-keys.js';
import { freshDatabase, withStoresAt } from '../../support/postgres-databases.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

describe('requests in progress over PostgreSQL', () => {
  testEndedKeys(async (work) => {
    const { url } = await freshDatabase(postgres);
    await withStoresAt([url], async ([items]) => {
      if (items !== undefined) await work(items);
    });
  });
});
