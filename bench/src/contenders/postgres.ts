import { join } from 'node:path';
import { freePort } from '../processes/free-port.js';
import { missingPackage, peersFolder } from '../processes/installed.js';
import { startServer, together } from '../processes/server-process.js';
import type { Contender } from './contender.js';
import {
  handwrittenBulk,
  handwrittenItems,
  handwrittenRanges,
  makeHandwrittenIndex,
} from './handwritten-operations.js';
import { databaseUser, missingPostgres, startPostgresCluster } from './postgres-cluster.js';

/** What a developer would write on PostgreSQL, with its default settings: every commit is synced. */
export const postgres: Contender = {
  name: 'postgres by hand',
  about: 'node:http and pg on PostgreSQL with its own defaults (every commit synced)',
  missing: () => missingPackage('pg') ?? missingPostgres(),
  async start(folder) {
    const database = await startPostgresCluster(folder);
    const port = await freePort();
    const args = [
      join(peersFolder, 'postgres-server.mjs'),
      String(port),
      String(database.port),
      databaseUser,
    ];
    const server = await startServer({ name: 'server', command: process.execPath, args, folder, port });
    return together([database.running, server]);
  },
  items: handwrittenItems,
  bulk: handwrittenBulk,
  ranges: handwrittenRanges,
  makeIndex: makeHandwrittenIndex,
};
