import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../processes/free-port.js';
import { commandPath } from '../processes/installed.js';
import { type Running, startServer } from '../processes/server-process.js';

/** A PostgreSQL with its default settings, so that every commit is synced. */
export interface PostgresCluster {
  readonly running: Running;
  readonly port: number;
}

export function missingPostgres(): string | undefined {
  return binary('initdb') === undefined ? 'postgresql not installed' : undefined;
}

/** Starts the cluster in the folder, and creates it the first time. */
export async function startPostgresCluster(folder: string): Promise<PostgresCluster> {
  const user = systemUser();
  const data = join(folder, 'postgres');
  if (!existsSync(data)) createCluster(data, user);
  const port = await freePort();
  const running = await startServer({
    name: 'postgresql',
    command: binary('postgres')!,
    args: ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-k', data],
    folder,
    port,
    http: false,
    // PostgreSQL's fast shutdown: it closes the connections instead of waiting for them.
    stopSignal: 'SIGINT',
    ...(user === undefined ? {} : { user }),
  });
  return { running, port };
}

export const databaseUser = 'bench';

/** Distributions keep the programs of the server in a folder for each version, which is not on the path. */
function binary(name: string): string | undefined {
  const versions = '/usr/lib/postgresql';
  const newestFirst = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a)) : [];
  const apart = newestFirst.map((version) => join(versions, version, 'bin', name));
  return apart.find((file) => existsSync(file)) ?? commandPath(name);
}

/** PostgreSQL refuses to run as root, so root starts it as the user that its package created. */
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
