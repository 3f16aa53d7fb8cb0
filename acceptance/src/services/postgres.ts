import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { childProcesses } from '../child-processes.js';
import { freePort } from './free-port.js';

const run = promisify(execFile);
const startWithinMs = 30_000;

/** A PostgreSQL of our own on 127.0.0.1, which can be killed. */
export interface TestPostgres {
  readonly port: number;
  /** Of the database that every PostgreSQL has. */
  readonly url: string;
  /** Makes a database and gives its address. */
  createDatabase(name: string): Promise<string>;
  /** The first column of what a statement gives, in the database `name`. */
  ask(statement: string, name?: string): Promise<readonly string[]>;
  /** SIGKILL of the first process and of all its children: nothing is flushed. */
  kill(): Promise<void>;
  /** On the same folder and port. Resolves when it takes connections. */
  restart(): Promise<void>;
  /** Ends it and takes its folder away. */
  stop(): Promise<void>;
}

/** The folder of PostgreSQL's programs: `BASEDRIVE_TEST_POSTGRES_BIN`, Debian's newest, or where the path has them. */
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

/** Starts one on a fresh folder and a free port, with `fsync` on. Rejects when there is none on this machine. */
export async function startPostgres(): Promise<TestPostgres> {
  const bin = await findPostgres();
  if (bin === undefined) throw new Error('There is no PostgreSQL: install the package `postgresql`');
  const owner = await ownerOf();
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-postgres-'));
  if (owner.uid !== undefined) await chown(folder, owner.uid, owner.gid ?? owner.uid);
  const data = join(folder, 'data');
  const how = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  await run(join(bin, 'initdb'), [`--pgdata=${data}`, ...how], { ...owner, cwd: folder });
  const port = await freePort();
  const options = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'];
  const connection = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres'];
  const urlOf = (name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`;

  async function start(): Promise<ChildProcess> {
    const child = spawn(join(bin as string, 'postgres'), options, {
      ...owner,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await readyToConnect(child);
    return child;
  }

  let running = await start();
  return {
    port,
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
      for (const pid of children) killIfThere(pid);
      // A new one refuses to start while an old process still has the shared memory.
      for (const pid of children) while (await lives(pid)) await wait(5);
    },
    async restart() {
      running = await start();
    },
    async stop() {
      await end(running, 'SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root: it then runs as the user that its package has made. */
async function ownerOf(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const id = async (option: string) => Number((await run('id', [option, 'postgres'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}

function readyToConnect(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const fail = (why: string) => reject(new Error(`PostgreSQL ${why}: ${printed}`));
    const timer = setTimeout(() => fail('did not come up'), startWithinMs);
    const look = (chunk: Buffer) => {
      printed += chunk.toString();
      if (!printed.includes('ready to accept connections')) return;
      clearTimeout(timer);
      // It goes on to write its log, which nobody needs but a full pipe would stop.
      child.stderr?.off('data', look).resume();
      resolve();
    };
    child.stderr?.on('data', look);
    child.once('error', (cause) => fail(String(cause)));
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`ended with ${code}`);
    });
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

/** What is dead and waits for its parent to notice holds nothing any more. */
async function lives(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat !== undefined && !/\) Z /.test(stat);
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause;
  }
}
