import { execFile, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { end, whenPrinted } from './child.js';
import { freePort } from './free-port.js';
import { ownerOf } from './owner.js';

const run = promisify(execFile);

/** A PgBouncer on 127.0.0.1 that a test has started. It lets everyone in as the user `postgres`. */
export interface TestPgBouncer {
  readonly port: number;
  /** The address of a database of its PostgreSQL, through it. */
  url(database: string): string;
  /** Sends it to a PostgreSQL on another port, as an operator does: a changed file, and SIGHUP. */
  retarget(port: number): Promise<void>;
  /** Gives it other lines of its section `[pgbouncer]` in the same way. Its clients stay connected. */
  configure(settings: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** An installed PgBouncer. */
export interface PgBouncerProgram {
  readonly path: string;
  /** `1.24`: the second number of the version. */
  readonly minor: number;
}

/** The first version that can keep prepared statements in transaction mode. */
export const preparesFrom = 21;

/**
 * The programs that are installed, the newest first: of the path, and the one that `BASEDRIVE_TEST_PGBOUNCER` names,
 * because a distribution may have only an old one.
 */
export async function findPgBouncers(): Promise<readonly PgBouncerProgram[]> {
  const paths = [process.env.BASEDRIVE_TEST_PGBOUNCER ?? '', 'pgbouncer', '/usr/sbin/pgbouncer'];
  const found = await Promise.all(paths.filter((path) => path !== '').map(programAt));
  const programs = found.filter((program) => program !== undefined);
  const minors = new Map(programs.map((program) => [program.minor, program]));
  return [...minors.values()].sort((a, b) => b.minor - a.minor);
}

async function programAt(path: string): Promise<PgBouncerProgram | undefined> {
  const { stdout } = await run(path, ['--version']).catch(() => ({ stdout: '' }));
  const minor = /^PgBouncer 1\.(\d+)/m.exec(stdout)?.[1];
  return minor === undefined ? undefined : { path, minor: Number(minor) };
}

export interface PgBouncerOptions {
  readonly program: PgBouncerProgram;
  /** The port of its PostgreSQL on 127.0.0.1. */
  readonly target: number;
  /** Lines of its section `[pgbouncer]`: `pool_mode = transaction`. */
  readonly settings: readonly string[];
}

/** Starts a PgBouncer on a free port. */
export async function startPgBouncer({
  program,
  target,
  settings,
}: PgBouncerOptions): Promise<TestPgBouncer> {
  // It refuses to run as root.
  const owner = await ownerOf();
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-pgbouncer-'));
  await chmod(folder, 0o755);
  const file = join(folder, 'pgbouncer.ini');
  const port = await freePort();

  let lines = settings;
  let targetPort = target;

  async function write(): Promise<void> {
    const all = [
      '[databases]',
      `* = host=127.0.0.1 port=${targetPort} user=postgres`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'admin_users = postgres',
      ...lines,
    ];
    await writeFile(file, `${all.join('\n')}\n`);
  }

  await write();
  const child = spawn(program.path, [file], { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  await whenPrinted(child, 'PgBouncer', /process up/);
  return {
    port,
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    async retarget(to) {
      targetPort = to;
      await write();
      child.kill('SIGHUP');
    },
    async configure(settings) {
      lines = settings;
      await write();
      child.kill('SIGHUP');
    },
    async stop() {
      await end(child, 'SIGKILL');
      await rm(folder, { recursive: true });
    },
  };
}

/** The PgBouncer that `BASEDRIVE_TEST_POOLER` asks for, in front of a PostgreSQL on this port; else undefined. */
export async function startTestPooler(target: number): Promise<TestPgBouncer | undefined> {
  const kind = process.env.BASEDRIVE_TEST_POOLER ?? '';
  if (kind === '') return undefined;
  const programs = await findPgBouncers();
  const isPrepared = kind === 'prepared';
  const program = isPrepared ? programs.find(({ minor }) => minor >= preparesFrom) : programs.at(-1);
  if (program === undefined) throw new Error(`No PgBouncer is installed for ${kind} statements`);
  const settings = [
    ...transactionMode(program, isPrepared),
    'server_login_retry = 1',
    'server_idle_timeout = 1',
  ];
  return await startPgBouncer({ program, target, settings });
}

/** The settings of a PgBouncer in transaction mode, which keeps prepared statements or does not. */
export function transactionMode({ minor }: PgBouncerProgram, isPrepared: boolean): readonly string[] {
  const statements = minor < preparesFrom ? [] : [`max_prepared_statements = ${isPrepared ? 200 : 0}`];
  return ['pool_mode = transaction', 'default_pool_size = 10', 'max_client_conn = 1000', ...statements];
}
