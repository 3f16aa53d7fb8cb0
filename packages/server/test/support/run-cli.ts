import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

export const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** Only what a process needs: the settings of whoever runs the tests stay out. */
const environment = { PATH: process.env.PATH, TMPDIR: tmpdir() };

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a command of the real program to its end. */
export async function run(options: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn(process.execPath, [main, ...options], {
    env: { ...environment, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, out, err };
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  /** What it has written so far. */
  out(): string;
  err(): string;
  /** Waits until standard error holds this. */
  said(words: string | RegExp): Promise<void>;
  /** Sends a signal and waits for the end; gives the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts the real server on a free port; it is killed after the test if it still runs. */
export async function startServer(
  context: TestContext,
  options: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<RunningServer> {
  const child = spawn(process.execPath, [main, '--port', '0', ...options], {
    env: { ...environment, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    err += chunk;
  });
  context.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });

  const said = async (words: string | RegExp): Promise<void> => {
    while (!(typeof words === 'string' ? err.includes(words) : words.test(err))) {
      const went = await Promise.race([once(child.stderr, 'data'), ended.then(() => 'ended' as const)]);
      if (went === 'ended') throw new Error(`The server ended:\n${err}`);
    }
  };
  await said(/^Data is stored .*\n/m);
  const [, url = '', port] = /listens on (\S+:(\d+))/.exec(err) ?? [];
  return {
    url,
    port: Number(port),
    child,
    out: () => out,
    err: () => err,
    said,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
      return child.exitCode;
    },
  };
}

/** A folder that is gone after the test. A server that has not been stopped yet may write into it while it is removed. */
export async function temporaryFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-test-'));
  context.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
