import type { KeyChoice, LoadResult, WeightedRequest } from '../load/load.js';
import { type Measurement, median } from '../results/measurement.js';
import { alone, type Bench, type Instance } from './bench.js';
import { type Highest, highestOf, watchMemory } from './memory.js';

/** A series of measurements: one workload at one number of connections, and how its figure follows from a result. */
export interface Series {
  readonly workload: string;
  readonly connections: number;
  readonly unit: Measurement['unit'];
  /** The least duration of a round in seconds, unless the run is a quick one. */
  readonly leastSeconds?: number;
  value(result: LoadResult): number;
}

/** The requests that one instance gets. */
export interface InstanceLoad {
  readonly instance: Instance;
  readonly requests: readonly WeightedRequest[];
  readonly keys: KeyChoice;
}

/**
 * Loads one instance after the other, and all of them again in every round, so that a change of the machine affects
 * all of them. Records the medians of each.
 */
export async function measureInRotation(
  bench: Bench,
  series: Series,
  loads: readonly InstanceLoad[],
): Promise<void> {
  const seen = loads.map(() => ({ results: [] as LoadResult[], memory: [] as Highest[] }));
  for (let round = 0; round < bench.options.rounds; round++) {
    for (const [index, load] of loads.entries()) {
      const { result, memory } = await alone(load.instance, () => runOnce(bench, series, load));
      seen[index]!.results.push(result);
      seen[index]!.memory.push(memory);
    }
  }
  for (const [index, { instance }] of loads.entries()) {
    bench.record(summary(series, instance.name, seen[index]!.results, seen[index]!.memory));
  }
}

async function runOnce(bench: Bench, series: Series, { instance, requests, keys }: InstanceLoad) {
  const { quick } = bench.options;
  const seconds = quick ? bench.options.seconds : Math.max(bench.options.seconds, series.leastSeconds ?? 0);
  const load = { url: instance.running.url, connections: series.connections, requests };
  // A warm-up, so that no server is measured while its code is still compiled.
  if (!quick) await bench.load({ ...load, seconds: 1, keys: unused(bench, keys) });
  const memory = watchMemory(instance.running);
  const result = await bench.load({ ...load, seconds, keys: unused(bench, keys) });
  return { result, memory: memory.stop() };
}

/** Fresh keys can be used only once, so every load gets new ones. */
function unused(bench: Bench, keys: KeyChoice): KeyChoice {
  return keys.kind === 'fresh' ? { kind: 'fresh', from: bench.freshKeys() } : keys;
}

function summary(
  series: Series,
  contender: string,
  results: readonly LoadResult[],
  memory: readonly Highest[],
): Measurement {
  const rounds = results.map((result) => series.value(result));
  const errors = results.reduce((sum, result) => sum + result.errors, 0);
  return {
    workload: series.workload,
    contender,
    connections: series.connections,
    unit: series.unit,
    value: median(rounds),
    rounds,
    p50Ms: median(results.map((result) => result.p50Ms)),
    p99Ms: median(results.map((result) => result.p99Ms)),
    p999Ms: median(results.map((result) => result.p999Ms)),
    maxMs: Math.max(...results.map((result) => result.maxMs)),
    ...highestOf(memory),
    ...(errors === 0 ? {} : { errors }),
  };
}
