import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { childProcesses } from './child-processes.js';

/** The compiled program of the service. */
export const serverProgram = fileURLToPath(
  new URL('../../../packages/server/dist/src/main.js', import.meta.url),
);
/** A busy machine takes a hundred times as long as an idle one. */
const startTimeoutMs = 120_000;

/** A server that can be reached and killed. */
export interface RunningServer {
  readonly port: number;
  readonly pid: number;
  /** Resolves when the process has ended, whoever ended it. */
  readonly ended: Promise<unknown>;
  /** Sends SIGKILL: no handler runs and nothing is flushed. Resolves when the process has ended. */
  kill(): Promise<void>;
}

/** A server in a process of its own, on a free port of 127.0.0.1. */
export interface ServerProcess extends RunningServer {
  readonly url: URL;
  /** Everything that it has printed for the operator (stderr). */
  readonly announced: () => string;
  /** Its log so far, one JSON object a line (stdout). */
  readonly log: () => string;
  /** Sends SIGTERM and waits for the end. Returns the exit code. */
  stop(): Promise<number | null>;
}

export interface StartOptions {
  /** Variables in addition to those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** A program that runs the service, with its arguments: `strace …`. */
  readonly wrapper?: readonly string[];
  /** A file to which everything that the server prints is appended. */
  readonly outputFile?: string;
}

/** The flags of a server that keeps its data in `folder` and accepts one key. */
export function dataFlags(folder: string, key: string, logLevel: 'warn' | 'error' = 'error'): string[] {
  return ['--data', folder, '--key', key, '--log-level', logLevel];
}

/** Starts the compiled service. Rejects with what it printed when it does not start within two minutes. */
export async function startServer(
  flags: readonly string[],
  { environment = {}, wrapper = [], outputFile }: StartOptions = {},
): Promise<ServerProcess> {
  const [command = '', ...words] = [...wrapper, process.execPath, serverProgram, '--port', '0', ...flags];
  const child = spawn(command, words, {
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
  if (outputFile !== undefined) {
    const file = createWriteStream(outputFile, { flags: 'a' });
    child.stdout.pipe(file, { end: false });
    child.stderr.pipe(file, { end: false });
    child.once('close', () => file.end());
  }
  const ended = once(child, 'close') as Promise<[number | null]>;
  const url = await announcedUrl(child, () => announced);
  return {
    url,
    port: Number(url.port),
    pid: child.pid as number,
    ended,
    announced: () => announced,
    log: () => log,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await ended;
      return code;
    },
    async kill() {
      for (const pid of await childProcesses(child.pid as number)) process.kill(pid, 'SIGKILL');
      // A wrapper ends with the server, and first writes what it has recorded.
      if (wrapper.length === 0) child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The log lines of level 50 and above: errors that are not a client's. */
export function errorsIn(log: string): string[] {
  return log.split('\n').filter((line) => /"level":(50|60|"error"|"fatal")/.test(line));
}

/** Runs a command of the program (`keys create …`) to its end and returns what it printed. */
export async function runCommand(words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [serverProgram, ...words]);
  return stdout;
}

/** What `basedrive check` found wrong. */
export interface StoreProblem {
  readonly where: string;
  readonly key: string;
  readonly problem: string;
}

/** Runs `basedrive check` on a store and returns everything that it found wrong. */
export async function checkStore(
  flags: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<readonly StoreProblem[]> {
  const words = [serverProgram, 'check', '--json', ...flags];
  const env = { ...process.env, ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, words, { env }).catch(
    (cause: { readonly code: number; readonly stdout: string }) => {
      // The exit code of a report with a problem.
      if (cause.code === 1 && cause.stdout !== '') return cause;
      throw cause;
    },
  );
  return (JSON.parse(stdout) as { problems: StoreProblem[] }).problems;
}

/** Whether it is a blob without a row: a request that was cut off may leave one, and maintenance removes it in time. */
export function isOrphan({ where, key }: StoreProblem): boolean {
  return where === 'blobs' && key !== '';
}

function announcedUrl(child: ChildProcess, announced: () => string): Promise<URL> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${why}: ${announced()}`));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail(`The server did not start within ${startTimeoutMs} ms`);
    }, startTimeoutMs);
    const readAnnouncement = () => {
      const url = /listens on (https?:\/\/\S+)\n/.exec(announced())?.[1];
      if (url === undefined) return;
      // With a certificate, the lines for the clients of the old libraries follow.
      if (url.startsWith('https:') && !announced().includes('DETA_DRIVE_HOST=')) return;
      clearTimeout(timer);
      child.stderr?.off('data', readAnnouncement);
      resolve(new URL(url));
    };
    child.stderr?.on('data', readAnnouncement);
    child.once('error', (cause) => fail(String(cause)));
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`The server exited with ${code}`);
    });
  });
}
