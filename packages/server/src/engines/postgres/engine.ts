import type { ItemEngine, StoreLocation } from '../engine.js';

/** PostgreSQL, or a database that speaks its protocol: the item store that several servers share. */
export const postgresEngine: ItemEngine = {
  schemes: ['postgres:', 'postgresql:'],
  isRemote: true,
  urlForm: 'postgres://user@host/database',
  variables: ['PGUSER', 'PGPASSWORD'],
  checkUrl: () => undefined,
  async open(location) {
    const { openPostgresStore } = await import('./store.js');
    return await openPostgresStore({ url: connectionUrl(location) });
  },
  async migrate(location) {
    const { migrateSchema } = await import('./schema.js');
    return await migrateSchema(connectionUrl(location));
  },
};

/** The driver would look for user and password in the variables of the process, which need not be the ones given. */
function connectionUrl({ url, variables }: StoreLocation): string {
  const complete = new URL(url);
  const { PGUSER, PGPASSWORD } = variables;
  if (complete.username === '' && PGUSER) complete.username = encodeURIComponent(PGUSER);
  if (complete.password === '' && PGPASSWORD) complete.password = encodeURIComponent(PGPASSWORD);
  return complete.href;
}
