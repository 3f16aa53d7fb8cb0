import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../packages/server/dist/src/main.js', import.meta.url));
const startMs = 30_000;

export interface RunningServer {
  readonly port: number;
  readonly pid: number;
  /** Resolves when the process is gone, whoever ended it. */
  readonly gone: Promise<void>;
  /** SIGKILL: no handler runs, nothing is flushed. Resolves when the process is gone, at once when it is. */
  kill(): Promise<void>;
}

export interface ServerOptions {
  /** A program before the service: `strace …`. */
  readonly before?: readonly string[];
  /** Further flags. */
  readonly flags?: readonly string[];
  /** Variables beside those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** A file that what it prints is added to. */
  readonly output?: string;
}

/** The service on a data folder and a port of its choice. Rejects with what it printed when it does not come up. */
export async function startServer(
  folder: string,
  key: string,
  { before = [], flags = [], environment = {}, output }: ServerOptions = {},
): Promise<RunningServer> {
  const own = ['--data', folder, '--port', '0', '--key', key, '--log-level', 'warn'];
  const [program = '', ...words] = [...before, process.execPath, main, ...own, ...flags];
  const child = spawn(program, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  if (output !== undefined) {
    const file = createWriteStream(output, { flags: 'a' });
    child.stdout.pipe(file, { end: false });
    child.stderr.pipe(file, { end: false });
    child.once('close', () => file.end());
  }
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await portOf(child);
  return {
    port,
    pid: child.pid as number,
    gone,
    async kill() {
      for (const pid of await childrenOf(child.pid as number)) process.kill(pid, 'SIGKILL');
      // A program before the service ends with it, and writes out what it has seen.
      if (before.length === 0) child.kill('SIGKILL');
      await gone;
    },
  };
}

async function childrenOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return children.split(' ').filter(Boolean).map(Number);
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`The server did not come up: ${printed}`));
    }, startMs);
    const look = (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /listens on https?:\/\/127\.0\.0\.1:(\d+)/.exec(printed);
      if (found === null) return;
      clearTimeout(timer);
      for (const output of [child.stdout, child.stderr]) output?.off('data', look).resume();
      resolve(Number(found[1]));
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`The server ended with ${code}: ${printed}`));
    });
  });
}
