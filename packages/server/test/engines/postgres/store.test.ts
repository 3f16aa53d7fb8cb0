import { after, before } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { openPostgresStore } from '../../../src/engines/postgres/store.js';
import { itemStoreSuite } from '../../conformance/item-store-suite.js';
import { freshDatabase } from '../../support/postgres-databases.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

itemStoreSuite('PostgreSQL', async () => {
  const { url } = await freshDatabase(postgres);
  const store = await openPostgresStore({ url });
  return {
    store,
    reopen: async () => {
      await store.close();
      return openPostgresStore({ url });
    },
    cleanup: async () => {},
  };
});
