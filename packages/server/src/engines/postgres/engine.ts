import type { ItemEngine, StoreLocation } from '../engine.js';

/** PostgreSQL, or a database that speaks its protocol: the item store that several servers share. */
export const postgresEngine: ItemEngine = {
  schemes: ['postgres:', 'postgresql:'],
  isRemote: true,
  urlForm: 'postgres://user@host/database',
  variables: ['PGUSER', 'PGPASSWORD'],
  urlProblem: () => undefined,
  async open(location) {
    const { openPostgresStore } = await import('./store.js');
    return await openPostgresStore({ url: connectionUrl(location), onGroup: location.onGroup });
  },
  async migrate(location) {
    const { migrateSchema } = await import('./schema.js');
    return await migrateSchema(connectionUrl(location));
  },
};

/**
 * The address with the user and the password of the given variables, if it has none. The driver would read the
 * variables of the process, but a command can give others to a server that copies for it.
 */
function connectionUrl({ url, variables }: StoreLocation): string {
  const { PGUSER, PGPASSWORD } = variables;
  const complete = new URL(url);
  // As parameters, because an address without a host cannot contain a user.
  const { searchParams } = complete;
  if (url.username === '' && !searchParams.has('user') && PGUSER) searchParams.set('user', PGUSER);
  if (url.password === '' && !searchParams.has('password') && PGPASSWORD)
    searchParams.set('password', PGPASSWORD);
  return complete.href;
}
