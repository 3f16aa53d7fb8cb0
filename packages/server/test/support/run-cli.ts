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
const stopSignals = ['SIGINT', 'SIGTERM'] as const;
const environment = { PATH: process.env.PATH, TMPDIR: tmpdir() };

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The commands that this process has run as the program. */
const begun = new Set<string>();
/** They last, read standard input or look at the process: they have one of their own each time. */
const ofProcess = ['serve', 'mcp', 'watch', 'doctor'];

/**
 * Runs a command to its end: the first time in a process of tests as the real program, and then in this process, with what the
 * program passes on, because to start Node takes longer than most commands. What only the program does (standard streams,
 * signals, the exit) is for tests that spawn `main`.
 */
export async function run(options: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const [command = '', ...more] = options;
  const name = ['keys', 'projects', 'hooks', 'help'].includes(command) ? `${command} ${more[0]}` : command;
  if (!/^[a-z]/.test(command) || ofProcess.includes(command) || !begun.has(name)) {
    begun.add(name);
    return await runProgram(options, variables);
  }
  return await runHere(options, variables);
}

/** Runs a command of the real program to its end. */
async function runProgram(options: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn(process.execPath, [main, ...options], {
    env: { ...environment, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, out, err };
}

async function runHere(options: readonly string[], variables: NodeJS.ProcessEnv): Promise<Ended> {
  // Loaded when it is needed: many files that start servers run no command twice.
  const { run: runCommand } = await import('../../src/cli/program.js');
  const mask = process.umask();
  const known = stopSignals.map((signal) => process.listeners(signal));
  let out = '';
  let err = '';
  const code = await runCommand({
    arguments: options,
    environment: { ...environment, ...variables },
    out: (line) => {
      out += `${line}\n`;
    },
    err: (line) => {
      err += `${line}\n`;
    },
    outIsTerminal: false,
  });
  // A command keeps its files to their owner, and listens to signals, until its process ends.
  process.umask(mask);
  for (const [n, signal] of stopSignals.entries())
    for (const listener of process.listeners(signal))
      if (!known[n]?.includes(listener)) process.off(signal, listener);
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
  context: Pick<TestContext, 'after'>,
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
