import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../../packages/server/dist/src/main.js', import.meta.url));
const startMs = 30_000;

export interface RunningServer {
  readonly port: number;
  readonly pid: number;
  /** SIGKILL: no handler runs, nothing is flushed. Resolves when the process is gone, at once when it is. */
  kill(): Promise<void>;
}

/**
 * The service on a data folder and a port of its choice, with a program before it when one is given (`strace …`).
 * Rejects with what it printed when it does not come up.
 */
export async function startServer(
  folder: string,
  key: string,
  before: readonly string[] = [],
): Promise<RunningServer> {
  const [program = '', ...words] = [...before, process.execPath, main];
  const child = spawn(
    program,
    [...words, '--data', folder, '--port', '0', '--key', key, '--log-level', 'warn'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await portOf(child);
  return {
    port,
    pid: child.pid as number,
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
    const timer = setTimeout(() => reject(new Error(`The server did not come up: ${printed}`)), startMs);
    const look = (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /https?:\/\/127\.0\.0\.1:(\d+)/.exec(printed);
      if (found === null) return;
      clearTimeout(timer);
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
