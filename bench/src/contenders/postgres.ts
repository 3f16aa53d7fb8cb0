import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../processes/free-port.js';
import { commandPath, missingPackage, peersFolder } from '../processes/installed.js';
import { startServer, together } from '../processes/server-process.js';
import type { Contender } from './contender.js';
import { handwrittenItems } from './handwritten-operations.js';

/** What a developer would write on PostgreSQL: its settings as they come, so every commit is synced. */
export const postgres: Contender = {
  name: 'postgres by hand',
  about: 'node:http and pg on PostgreSQL with its own defaults (every commit synced)',
  missing: () =>
    missingPackage('pg') ?? (binary('initdb') === undefined ? 'postgresql not installed' : undefined),
  async start(folder) {
    const user = systemUser();
    const data = join(folder, 'postgres');
    if (!existsSync(data)) createCluster(data, user);
    const databasePort = await freePort();
    const database = await startServer({
      name: 'postgresql',
      command: binary('postgres')!,
      args: ['-D', data, '-p', String(databasePort), '-c', 'listen_addresses=127.0.0.1', '-k', data],
      folder,
      port: databasePort,
      http: false,
      // "Fast": cuts the connections instead of waiting for them.
      stopSignal: 'SIGINT',
      ...(user === undefined ? {} : { user }),
    });
    const port = await freePort();
    const args = [join(peersFolder, 'postgres-server.mjs'), String(port), String(databasePort), databaseUser];
    const server = await startServer({ name: 'server', command: process.execPath, args, folder, port });
    return together([database, server]);
  },
  items: handwrittenItems,
};

const databaseUser = 'bench';

/** Distributions keep the servers' programs off the path, by version. */
function binary(name: string): string | undefined {
  const versions = '/usr/lib/postgresql';
  const newestFirst = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a)) : [];
  const apart = newestFirst.map((version) => join(versions, version, 'bin', name));
  return apart.find((file) => existsSync(file)) ?? commandPath(name);
}

/** PostgreSQL refuses to run as root: then it runs as the user that its package made. */
function systemUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function createCluster(data: string, user: { uid: number; gid: number } | undefined): void {
  mkdirSync(data, { mode: 0o700 });
  if (user !== undefined) chownSync(data, user.uid, user.gid);
  const made = spawnSync(
    binary('initdb')!,
    ['-D', data, '--username', databaseUser, '--auth', 'trust', '--encoding', 'UTF8', '--no-locale'],
    { encoding: 'utf8', cwd: data, ...user },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.error?.message ?? made.stderr}`);
}
