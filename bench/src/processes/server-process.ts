import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { send } from '../load/send.js';
import { memoryMb, signalTree } from './process-tree.js';

/** How to start a server of somebody else's: a command that listens on a port we chose. */
export interface ServerCommand {
  /** Names the log file. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Working folder, and where the log goes. */
  readonly folder: string;
  readonly port: number;
  /** Whether it answers HTTP; else an accepted connection is all that we wait for. Default true. */
  readonly http?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  /** For servers that refuse to run as root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
}

/** A running server, or several that are one contender. */
export interface Running {
  readonly url: string;
  /** From the start of the command to its first answer. */
  readonly startMs: number;
  /** Resident memory in MB now; undefined where the system does not tell. */
  memoryMb(): number | undefined;
  /** Stops it in its tracks, so that it costs the contender at work nothing. */
  pause(): void;
  resume(): void;
  /** Waits for its own orderly end; after 30 s it is killed. */
  stop(): Promise<void>;
}

const startLimitMs = 60_000;
const stopLimitMs = 30_000;
const live = new Set<number>();

// Whatever ends this process, no server outlives it.
process.on('exit', () => {
  for (const pid of live) signalTree(pid, 'SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Starts a server and waits for its first answer, of whatever status. */
export async function startServer(server: ServerCommand): Promise<Running> {
  const began = performance.now();
  const logFile = join(server.folder, `${server.name}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn(server.command, server.args, {
    cwd: server.folder,
    env: { ...process.env, ...server.env },
    stdio: ['ignore', log, log],
    ...server.user,
  });
  closeSync(log);
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message)).on('exit', (code) => resolve(`exit code ${code}`));
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${server.name} cannot start: ${await ended}`);
  live.add(pid);
  void ended.then(() => live.delete(pid));

  const url = `http://127.0.0.1:${server.port}`;
  await firstAnswer(server, url, ended, logFile);
  return {
    url,
    startMs: performance.now() - began,
    memoryMb: () => memoryMb(pid),
    pause: () => signalTree(pid, 'SIGSTOP'),
    resume: () => signalTree(pid, 'SIGCONT'),
    stop: () => stop(child, pid, ended, server.stopSignal ?? 'SIGTERM'),
  };
}

/** Makes one contender of servers that need each other; the last one is spoken to. */
export function together(servers: readonly Running[]): Running {
  const memories = () => servers.map((server) => server.memoryMb()).filter((size) => size !== undefined);
  return {
    url: servers.at(-1)!.url,
    startMs: servers.reduce((sum, server) => sum + server.startMs, 0),
    memoryMb: () => (memories().length === 0 ? undefined : memories().reduce((sum, size) => sum + size, 0)),
    pause() {
      for (const server of servers) server.pause();
    },
    resume() {
      for (const server of servers) server.resume();
    },
    async stop() {
      for (const server of servers.toReversed()) await server.stop();
    },
  };
}

async function firstAnswer(server: ServerCommand, url: string, ended: Promise<string>, logFile: string) {
  const deadline = performance.now() + startLimitMs;
  let end: string | undefined;
  void ended.then((reason) => {
    end = reason;
  });
  while (!(await (server.http === false ? accepts(server.port) : answers(url)))) {
    if (end !== undefined || performance.now() > deadline) {
      const said = readFileSync(logFile, 'utf8').slice(-2000);
      throw new Error(`${server.name} does not answer (${end ?? 'too slow'}): ${said}`);
    }
    await wait(5);
  }
}

const notYet = ['ECONNREFUSED', 'ECONNRESET'];

async function answers(url: string): Promise<boolean> {
  try {
    await send(url, { method: 'GET', path: '/' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && notYet.includes(String(error.code))) return false;
    throw error;
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

async function stop(child: ChildProcess, pid: number, ended: Promise<string>, signal: NodeJS.Signals) {
  if (!live.has(pid)) return;
  signalTree(pid, 'SIGCONT');
  child.kill(signal);
  const killer = setTimeout(() => signalTree(pid, 'SIGKILL'), stopLimitMs);
  await ended;
  clearTimeout(killer);
}
