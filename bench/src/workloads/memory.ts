import { setTimeout as wait } from 'node:timers/promises';
import type { Running } from '../processes/server-process.js';
import { alone, type Bench, type Instance } from './bench.js';

const sampleIntervalMs = 100;

/** Samples a server's memory ten times a second; `stop` returns the highest value in MB. */
export function watchMemory(running: Running): { stop(): number | undefined } {
  let highest: number | undefined;
  const sample = () => {
    const now = running.memoryMb();
    if (now !== undefined) highest = Math.max(highest ?? 0, now);
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

/** Records the memory of a server that has just started and has no requests. */
export async function measureRest(bench: Bench, workload: string, instance: Instance): Promise<void> {
  const highest = await alone(instance, async () => {
    const memory = watchMemory(instance.running);
    await wait(bench.options.quick ? 200 : 3000);
    return memory.stop();
  });
  if (highest === undefined) return;
  bench.record({
    workload,
    contender: instance.name,
    connections: 0,
    unit: 'MB',
    value: highest,
    rounds: [highest],
  });
}
