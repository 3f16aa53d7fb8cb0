import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { childProcesses } from '../child-processes.js';
import { end, whenPrinted } from './child.js';
import { freePort } from './free-port.js';
import { ownerOf } from './owner.js';
import { startTestPooler } from './pgbouncer.js';

const run = promisify(execFile);
const keptFolder = fileURLToPath(
  new URL('../../../../node_modules/.cache/basedrive-postgres', import.meta.url),
);

/** Whether a pooler is in front of every PostgreSQL that tests start. */
export const isPooled = (process.env.BASEDRIVE_TEST_POOLER ?? '') !== '';

/**
 * A PostgreSQL on 127.0.0.1 that a test has started and may kill. With `BASEDRIVE_TEST_POOLER`, its port and its
 * addresses are those of a PgBouncer in front of it: `prepared` for one that keeps prepared statements in transaction
 * mode, `unprepared` for one that does not.
 */
export interface TestPostgres {
  readonly port: number;
  /** The address of the database `postgres`, which every PostgreSQL has. */
  readonly url: string;
  /** Creates a database and returns its address. */
  createDatabase(name: string): Promise<string>;
  /** Runs a statement in the database `name` and returns the first column of its result. */
  ask(statement: string, name?: string): Promise<readonly string[]>;
  /** Sends SIGKILL to the first process and all its children: nothing is flushed. */
  kill(): Promise<void>;
  /** Ends it as an operator does: what was committed has reached the standby. */
  shutDown(): Promise<void>;
  /** Starts it again on the same folder and port. Resolves when it accepts connections. */
  restart(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/** The folder of PostgreSQL's programs: `BASEDRIVE_TEST_POSTGRES_BIN`, Debian's newest version, or a folder of the path. */
export async function findPostgres(): Promise<string | undefined> {
  const named = process.env.BASEDRIVE_TEST_POSTGRES_BIN;
  if (named !== undefined && named !== '') return named;
  const debian = '/usr/lib/postgresql';
  const versions = await readdir(debian).catch(() => []);
  const newest = versions.map(Number).sort((a, b) => b - a);
  const folders = newest.map((version) => join(debian, String(version), 'bin'));
  folders.push(...(process.env.PATH ?? '').split(':'));
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

export interface PostgresOptions {
  /** Settings in addition to those of the test: `archive_mode=on`. */
  readonly settings?: readonly string[];
  /** Makes the data folder, which does not exist yet, from a backup; without it, a new database is made. */
  readonly restore?: (data: string) => Promise<void>;
  /** Its system identifier is its own. The others are copies of one folder, and have that of this folder. */
  readonly hasOwnIdentifier?: boolean;
}

/** Starts a PostgreSQL on a new folder and a free port, with `fsync` on. Rejects if PostgreSQL is not installed. */
export async function startPostgres({
  settings = [],
  restore,
  hasOwnIdentifier = false,
}: PostgresOptions = {}): Promise<TestPostgres> {
  const bin = await findPostgres();
  if (bin === undefined) throw new Error('PostgreSQL is not installed: install the package `postgresql`');
  const owner = await ownerOf();
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-postgres-'));
  if (owner.uid !== undefined) await chown(folder, owner.uid, owner.gid ?? owner.uid);
  const data = join(folder, 'data');
  if (restore === undefined) {
    const initialise = async () => {
      const how = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
      await run(join(bin, 'initdb'), [`--pgdata=${data}`, ...how], { ...owner, cwd: folder });
    };
    await (hasOwnIdentifier ? initialise() : copyKept(data, bin, initialise));
  } else {
    await restore(data);
    if (owner.uid !== undefined) await run('chown', ['-R', `${owner.uid}:${owner.gid}`, data]);
  }
  const port = await freePort();
  const pooler = await startTestPooler(port);
  const options = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'];
  // A pooler keeps connections to every database of a test for a while.
  if (pooler !== undefined) options.push('-c', 'max_connections=400');
  for (const setting of settings) options.push('-c', setting);
  const connection = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres'];
  const urlOf = (name: string) => `postgres://postgres@127.0.0.1:${pooler?.port ?? port}/${name}`;

  async function start(): Promise<ChildProcess> {
    const child = spawn(join(bin as string, 'postgres'), options, {
      ...owner,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    // A standby accepts read-only connections.
    await whenPrinted(child, 'PostgreSQL', /ready to accept (read-only )?connections/);
    return child;
  }

  let running = await start();
  return {
    port: pooler?.port ?? port,
    url: urlOf('postgres'),
    async createDatabase(name) {
      await run(join(bin, 'createdb'), [...connection, name]);
      return urlOf(name);
    },
    async ask(statement, name = 'postgres') {
      const { stdout } = await run(join(bin, 'psql'), [...connection, '-AtX', '-d', name, '-c', statement]);
      return stdout.split('\n').filter((line) => line !== '');
    },
    async kill() {
      const children = await childProcesses(running.pid as number);
      await end(running, 'SIGKILL');
      for (const pid of children) killIfRunning(pid);
      // A new PostgreSQL refuses to start while an old process still has the shared memory.
      for (const pid of children) while (await isRunning(pid)) await wait(5);
    },
    shutDown: () => end(running, 'SIGINT'),
    async restart() {
      running = await start();
    },
    async stop() {
      await pooler?.stop();
      await end(running, 'SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Fills a data folder with a copy of the first one of this version: `initdb` takes several times as much processor time. */
async function copyKept(data: string, bin: string, initialise: () => Promise<void>): Promise<void> {
  const { stdout } = await run(join(bin, 'postgres'), ['--version']);
  const kept = join(keptFolder, stdout.trim().replace(/[^\w.]+/g, '-'));
  // With its owner.
  const copy = (from: string, to: string) => run('cp', ['--archive', from, to]);
  if (existsSync(kept)) {
    await copy(kept, data);
    return;
  }
  await initialise();
  await mkdir(keptFolder, { recursive: true });
  const copied = `${kept}.${process.pid}`;
  await copy(data, copied);
  // Another process may have been faster.
  await rename(copied, kept).catch(() => rm(copied, { recursive: true }));
}

/**
 * Starts a synchronous standby of this PostgreSQL: from now on a commit waits for it. `SELECT pg_promote()` makes it take
 * writes.
 */
export async function startStandby(primary: TestPostgres): Promise<TestPostgres> {
  const bin = (await findPostgres()) ?? '';
  const source = `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`;
  const standby = await startPostgres({
    restore: async (data) => {
      const how = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
      await run(join(bin, 'pg_basebackup'), [`--dbname=${source}`, `--pgdata=${data}`, ...how]);
    },
  });
  await primary.ask(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
  await primary.ask('SELECT pg_reload_conf()');
  const isSynchronous = `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`;
  while ((await primary.ask(isSynchronous)).length === 0) await wait(20);
  return standby;
}

/** Whether a process runs. A zombie holds no resources, so it counts as ended. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat !== undefined && !/\) Z /.test(stat);
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause;
  }
}
