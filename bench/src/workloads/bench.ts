import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Contender } from '../contenders/contender.js';
import type { LoadGenerator } from '../load/load.js';
import type { Options } from '../options.js';
import type { Running } from '../processes/server-process.js';
import type { Measurement } from '../results/measurement.js';

/** What every part of a run shares. */
export interface Bench {
  readonly options: Options;
  /** Those that can run here. */
  readonly contenders: readonly Contender[];
  readonly load: LoadGenerator;
  /** Keeps a measurement and says it on the screen. */
  record(measurement: Measurement): void;
  note(text: string): void;
  /** Whether a workload is to be run. */
  wants(workload: string): boolean;
  /** An empty folder on the disk under test. */
  folder(name: string): string;
  /** Key numbers that no request has named: ten million of them, from this one on. */
  freshKeys(): number;
}

/** A contender that runs on a folder. */
export interface Entrant {
  readonly name: string;
  readonly contender: Contender;
  readonly running: Running;
  readonly folder: string;
}

/** Starts a contender on a folder of its own, for one group of workloads, and leaves it paused. */
export async function enter(
  bench: Bench,
  contender: Contender,
  group: string,
  name = contender.name,
): Promise<Entrant> {
  const folder = bench.folder(`${group} ${name}`);
  const running = await contender.start(folder);
  running.pause();
  return { name, contender, running, folder };
}

const drainMs = 100;

/** Lets one entrant work while all others stand still. */
export async function alone<T>({ running }: Entrant, work: () => Promise<T>): Promise<T> {
  running.resume();
  try {
    return await work();
  } finally {
    // A load ends by cutting its connections: what was under way ends now, and not in the next one's answers.
    await wait(drainMs);
    running.pause();
  }
}

export async function stopAll(entrants: readonly Entrant[]): Promise<void> {
  for (const { running } of entrants) await running.stop();
}

/** A folder's name from a contender's. */
export function folderIn(parent: string, name: string): string {
  return join(parent, name.replaceAll(/[^a-z0-9]+/gi, '-'));
}
