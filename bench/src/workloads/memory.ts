import { setTimeout as wait } from 'node:timers/promises';
import type { Running } from '../processes/server-process.js';
import type { Measurement } from '../results/measurement.js';
import { alone, type Bench, type Instance } from './bench.js';

const sampleIntervalMs = 100;

/** The most that was seen; without what the system does not report. */
export type Highest = Pick<Measurement, 'memoryMb' | 'anonymousMb'>;

/** Samples a server's memory ten times a second; `stop` returns the highest sizes. */
export function watchMemory(running: Running): { stop(): Highest } {
  let highest: Highest = {};
  const sample = () => {
    const now = running.memory();
    if (now !== undefined)
      highest = highestOf([highest, { memoryMb: now.residentMb, anonymousMb: now.anonymousMb }]);
  };
  sample();
  const timer = setInterval(sample, sampleIntervalMs);
  return {
    stop() {
      clearInterval(timer);
      sample();
      return highest;
    },
  };
}

/** The highest of several: each size by itself. */
export function highestOf(sizes: readonly Highest[]): Highest {
  const most = (field: keyof Highest) => {
    const known = sizes.map((size) => size[field]).filter((size) => size !== undefined);
    return known.length === 0 ? {} : { [field]: Math.max(...known) };
  };
  return { ...most('memoryMb'), ...most('anonymousMb') };
}

/** Records the memory of a server that has just started and has no requests. */
export async function measureRest(bench: Bench, workload: string, instance: Instance): Promise<void> {
  const highest = await alone(instance, async () => {
    const memory = watchMemory(instance.running);
    await wait(bench.options.quick ? 200 : 3000);
    return memory.stop();
  });
  if (highest.memoryMb === undefined) return;
  bench.record({
    workload,
    contender: instance.name,
    connections: 0,
    unit: 'MB',
    value: highest.memoryMb,
    rounds: [highest.memoryMb],
    ...highest,
  });
}
