import { setTimeout as wait } from 'node:timers/promises';
import type { Running } from '../processes/server-process.js';
import { alone, type Bench, type Entrant } from './bench.js';

const sampleMs = 100;

/** Looks at a server's memory ten times a second; `stop` tells the most that was seen, in MB. */
export function watchMemory(running: Running): { stop(): number | undefined } {
  let most: number | undefined;
  const look = () => {
    const now = running.memoryMb();
    if (now !== undefined) most = Math.max(most ?? 0, now);
  };
  look();
  const timer = setInterval(look, sampleMs);
  return {
    stop() {
      clearInterval(timer);
      look();
      return most;
    },
  };
}

/** Records what a server holds when it has just started and nothing is asked of it. */
export async function measureRest(bench: Bench, workload: string, entrant: Entrant): Promise<void> {
  const most = await alone(entrant, async () => {
    const memory = watchMemory(entrant.running);
    await wait(bench.options.quick ? 200 : 3000);
    return memory.stop();
  });
  if (most === undefined) return;
  bench.record({
    workload,
    contender: entrant.name,
    connections: 0,
    unit: 'MB',
    value: most,
    rounds: [most],
  });
}
