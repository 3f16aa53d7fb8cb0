import type { ItemEngine, StoreLocation } from '../engine.js';
import { networkAdvice } from '../shared/network-advice.js';
import { hostsProblem, toUrl } from './address.js';

/** PostgreSQL, or a database that speaks its protocol: the item store that several servers share. */
export const postgresEngine: ItemEngine = {
  schemes: ['postgres:', 'postgresql:'],
  isRemote: true,
  urlForm: 'postgres://user@host/database',
  variables: ['PGUSER', 'PGPASSWORD'],
  toUrl,
  urlProblem: hostsProblem,
  async open(location) {
    const { openPostgresStore } = await import('./store.js');
    return await openPostgresStore({ url: connectionUrl(location), onGroup: location.onGroup });
  },
  async migrate(location) {
    const { migrateSchema } = await import('./schema.js');
    return await migrateSchema(connectionUrl(location));
  },
  async examine(location) {
    const { examinePostgres } = await import('./examine.js');
    return await examinePostgres(connectionUrl(location));
  },
  advice: {
    ...networkAdvice,
    '28P01': 'Correct the user and the password: in --items, or in PGUSER and PGPASSWORD.',
    '28000': 'Let the user in (pg_hba.conf), or correct it: in --items, or in PGUSER.',
    '3D000': 'Create the database, or correct its name in --items.',
    '42501': 'Grant the user the rights to the tables.',
    '53300': 'Raise max_connections of the database, or end what holds its connections.',
    ReadOnlyServer: 'Give --items the address of the primary, or those of all servers of the cluster.',
    '57P03': 'It is starting or shutting down: try again.',
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
