import { after, before, describe } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { openPostgresStore } from '../../../src/engines/postgres/store.js';
import { testKeysOfTwoServers } from '../../support/keys-of-two-servers.js';
import { freshDatabase } from '../../support/postgres-databases.js';

let postgres: TestPostgres;

before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

describe('keys of two servers over PostgreSQL', () => {
  testKeysOfTwoServers(async () => openPostgresStore({ url: (await freshDatabase(postgres)).url }));
});
