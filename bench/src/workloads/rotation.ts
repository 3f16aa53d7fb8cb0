import type { KeyChoice, LoadResult, WeightedRequest } from '../load/load.js';
import { type Measurement, median } from '../results/measurement.js';
import { alone, type Bench, type Entrant } from './bench.js';
import { watchMemory } from './memory.js';

/** One kind of load, and how its figure is read. */
export interface Drive {
  readonly workload: string;
  readonly connections: number;
  readonly unit: Measurement['unit'];
  value(result: LoadResult): number;
}

/** What one entrant is driven with. */
export interface Heat {
  readonly entrant: Entrant;
  readonly requests: readonly WeightedRequest[];
  readonly keys: KeyChoice;
}

/**
 * Drives one entrant after the other, and all of them again in every round: what changes on the machine
 * meanwhile changes for all. Records each one's medians.
 */
export async function rotate(bench: Bench, drive: Drive, heats: readonly Heat[]): Promise<void> {
  const seen = heats.map(() => ({ results: [] as LoadResult[], memory: [] as number[] }));
  for (let round = 0; round < bench.options.rounds; round++) {
    for (const [index, heat] of heats.entries()) {
      const { result, memoryMb } = await alone(heat.entrant, () => runOnce(bench, drive, heat));
      seen[index]!.results.push(result);
      if (memoryMb !== undefined) seen[index]!.memory.push(memoryMb);
    }
  }
  for (const [index, { entrant }] of heats.entries()) {
    bench.record(summary(drive, entrant.name, seen[index]!.results, seen[index]!.memory));
  }
}

async function runOnce(bench: Bench, drive: Drive, { entrant, requests, keys }: Heat) {
  const { quick, seconds } = bench.options;
  const load = { url: entrant.running.url, connections: drive.connections, requests };
  // So that no server is measured while its code is still being compiled.
  if (!quick) await bench.load({ ...load, seconds: 1, keys: unused(bench, keys) });
  const memory = watchMemory(entrant.running);
  const result = await bench.load({ ...load, seconds, keys: unused(bench, keys) });
  return { result, memoryMb: memory.stop() };
}

/** Fresh keys are fresh once. */
function unused(bench: Bench, keys: KeyChoice): KeyChoice {
  return keys.kind === 'fresh' ? { kind: 'fresh', from: bench.freshKeys() } : keys;
}

function summary(
  drive: Drive,
  contender: string,
  results: readonly LoadResult[],
  memory: readonly number[],
): Measurement {
  const rounds = results.map((result) => drive.value(result));
  const errors = results.reduce((sum, result) => sum + result.errors, 0);
  return {
    workload: drive.workload,
    contender,
    connections: drive.connections,
    unit: drive.unit,
    value: median(rounds),
    rounds,
    p50Ms: median(results.map((result) => result.p50Ms)),
    p99Ms: median(results.map((result) => result.p99Ms)),
    p999Ms: median(results.map((result) => result.p999Ms)),
    maxMs: Math.max(...results.map((result) => result.maxMs)),
    ...(memory.length === 0 ? {} : { memoryMb: Math.max(...memory) }),
    ...(errors === 0 ? {} : { errors }),
  };
}
