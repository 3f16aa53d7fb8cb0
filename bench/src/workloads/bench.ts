import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Contender } from '../contenders/contender.js';
import type { LoadGenerator } from '../load/load.js';
import type { Options } from '../options.js';
import type { Running } from '../processes/server-process.js';
import type { Measurement } from '../results/measurement.js';

/** What all workloads of a run share. */
export interface Bench {
  readonly options: Options;
  /** The contenders that take part. */
  readonly contenders: readonly Contender[];
  readonly load: LoadGenerator;
  /** Keeps a measurement and prints it. */
  record(measurement: Measurement): void;
  note(text: string): void;
  /** Whether a workload is to be run. */
  wants(workload: string): boolean;
  /** The numbers of connections with which a workload is measured. */
  connectionsFor(workload: string): readonly number[];
  /** An empty folder on the disk under test. */
  folder(name: string): string;
  /** The first of ten million key numbers that no request has used. */
  freshKeys(): number;
}

/** Workloads in which a lone client waits for something else than many: for its own sync, and for each answer. */
const worthOneConnection = ['get', 'put', 'put 25', 'transaction', 'put with an index'];

/** All of those asked for; one connection beside others only where it tells something else. */
export function connectionsFor(workload: string, asked: readonly number[]): readonly number[] {
  const many = asked.filter((count) => count > 1);
  return many.length === 0 || worthOneConnection.includes(workload) ? asked : many;
}

/** A contender that runs on a folder of its own. */
export interface Instance {
  readonly name: string;
  readonly contender: Contender;
  readonly running: Running;
  readonly folder: string;
}

/** Starts a contender for one group of workloads and leaves it paused. */
export async function startInstance(
  bench: Bench,
  contender: Contender,
  group: string,
  name = contender.name,
): Promise<Instance> {
  const folder = bench.folder(`${group} ${name}`);
  const running = await contender.start(folder);
  running.pause();
  return { name, contender, running, folder };
}

const drainMs = 100;

/** Runs `work` with one instance while all others are paused. */
export async function alone<T>({ running }: Instance, work: () => Promise<T>): Promise<T> {
  running.resume();
  try {
    return await work();
  } finally {
    // A load ends by cutting its connections. Requests in flight finish now, and not during the next load.
    await wait(drainMs);
    running.pause();
  }
}

export async function stopAll(instances: readonly Instance[]): Promise<void> {
  for (const { running } of instances) await running.stop();
}

/** The path of a folder that is named after a contender. */
export function folderIn(parent: string, name: string): string {
  return join(parent, name.replaceAll(/[^a-z0-9]+/gi, '-'));
}
