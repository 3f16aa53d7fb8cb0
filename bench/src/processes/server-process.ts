import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { send } from '../load/send.js';
import { cpuSeconds, type Memory, memoryOf, memoryTogether, signalTree } from './process-tree.js';

/** How to start a server: a command that listens on a given port. */
export interface ServerCommand {
  /** The name of the log file. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The working folder, which also gets the log. */
  readonly folder: string;
  readonly port: number;
  /** Whether it answers HTTP; if not, it counts as started once it accepts a connection. Default true. */
  readonly http?: boolean;
  /** Whether it answers HTTPS, with any certificate. Default false. */
  readonly https?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  /** For servers that refuse to run as root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
}

/** A running server, or several servers that are one contender. */
export interface Running {
  readonly url: string;
  /** The time from the start of the command to its first answer. */
  readonly startMs: number;
  /** What it has of memory at the moment; undefined if the system does not report it. */
  memory(): Memory | undefined;
  /** The processor time that it has used so far, in seconds; undefined if the system does not report it. */
  cpuSeconds(): number | undefined;
  /** Suspends it (SIGSTOP), so that it takes nothing from the contender that is measured. */
  pause(): void;
  resume(): void;
  /** Ends it and waits; after 30 s it is killed. */
  stop(): Promise<void>;
}

const startTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;
const running = new Set<number>();

// No server outlives this process, however it ends.
process.on('exit', () => {
  for (const pid of running) signalTree(pid, 'SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Starts a server and waits for its first answer with any status. */
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
  running.add(pid);
  void ended.then(() => running.delete(pid));

  const url = `${server.https === true ? 'https' : 'http'}://127.0.0.1:${server.port}`;
  await firstAnswer(server, url, ended, logFile);
  return {
    url,
    startMs: performance.now() - began,
    memory: () => memoryOf(pid),
    cpuSeconds: () => cpuSeconds(pid),
    pause: () => signalTree(pid, 'SIGSTOP'),
    resume: () => signalTree(pid, 'SIGCONT'),
    stop: () => stop(child, pid, ended, server.stopSignal ?? 'SIGTERM'),
  };
}

/** Joins servers that need each other into one contender; requests go to the last one. */
export function together(servers: readonly Running[]): Running {
  return {
    url: servers.at(-1)!.url,
    startMs: servers.reduce((sum, server) => sum + server.startMs, 0),
    memory: () => memoryTogether(servers.map((server) => server.memory())),
    cpuSeconds() {
      const known = servers.map((server) => server.cpuSeconds()).filter((seconds) => seconds !== undefined);
      return known.length === 0 ? undefined : known.reduce((sum, seconds) => sum + seconds, 0);
    },
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
  const deadline = performance.now() + startTimeoutMs;
  let end: string | undefined;
  void ended.then((reason) => {
    end = reason;
  });
  while (!(await (server.http === false ? accepts(server.port) : answers(url)))) {
    if (end !== undefined || performance.now() > deadline) {
      const printed = readFileSync(logFile, 'utf8').slice(-2000);
      throw new Error(`${server.name} does not answer (${end ?? 'too slow'}): ${printed}`);
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
  if (!running.has(pid)) return;
  signalTree(pid, 'SIGCONT');
  child.kill(signal);
  const killer = setTimeout(() => signalTree(pid, 'SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(killer);
}
