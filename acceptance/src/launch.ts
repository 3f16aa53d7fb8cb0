import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const main = fileURLToPath(new URL('../../../packages/server/dist/src/main.js', import.meta.url));
const startMs = 30_000;

/** A server in a process of its own, on a free port of 127.0.0.1. */
export interface LaunchedServer {
  readonly url: URL;
  readonly pid: number;
  /** What it said to the human who started it. */
  readonly announced: () => string;
  /** Its log, one JSON object a line. */
  readonly log: () => string;
  /** SIGTERM, and wait for the end. Returns the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Starts the built service with these options, and these variables beside those of this process. Rejects with what it
 * printed when it does not come up.
 */
export async function launch(
  options: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<LaunchedServer> {
  const child = spawn(process.execPath, [main, '--port', '0', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let log = '';
  let announced = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    announced += text;
  });
  const gone = once(child, 'close') as Promise<[number | null]>;
  const url = await urlOf(child, () => announced);
  return {
    url,
    pid: child.pid as number,
    announced: () => announced,
    log: () => log,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await gone;
      return code;
    },
  };
}

/** Runs a command of the program (`keys create …`) to its end and gives what it printed. */
export async function runCommand(words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...words]);
  return stdout;
}

function urlOf(child: ChildProcess, announced: () => string): Promise<URL> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${why}: ${announced()}`));
    const timer = setTimeout(() => fail('The server did not come up'), startMs);
    const look = () => {
      const found = /listens on (https?:\/\/\S+)\n/.exec(announced());
      if (found?.[1] === undefined) return;
      // With a certificate it goes on to say what the clients of the old libraries need.
      if (found[1].startsWith('https:') && !announced().includes('DETA_DRIVE_HOST=')) return;
      clearTimeout(timer);
      child.stderr?.off('data', look);
      resolve(new URL(found[1]));
    };
    child.stderr?.on('data', look);
    child.once('error', (cause) => fail(String(cause)));
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`The server ended with ${code}`);
    });
  });
}
