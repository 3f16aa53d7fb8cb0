import type { RangeOperations } from '../contenders/contender.js';
import { checkAnswer, type Operation } from '../load/operation.js';
import { alone, type Bench, type Instance, startInstance, stopAll } from './bench.js';
import { fillInBulk } from './bulk.js';
import { measureInRotation } from './rotation.js';

interface RangeLoad {
  readonly workload: string;
  readonly connections: number;
  /** How many items the range has at least: it begins that much before the end. */
  readonly entries: number;
  operation(ranges: RangeOperations): Operation;
}

const many = 64;
const screenful = 20;

/** Random ranges, which nobody asked for lately: of the service and all that have an index. */
const comparedLoads: readonly RangeLoad[] = [
  {
    workload: 'ordered, a random range',
    connections: many,
    entries: 10,
    operation: ({ ordered }) => ordered,
  },
  { ...counting(screenful), workload: 'counted, a random range', connections: many },
];

/** Up to numbers of entries that no limit of a page, a batch or a cache is above. Of the service alone. */
export const countLoads: readonly RangeLoad[] = [100, 1_000, 10_000, 50_000, 300_000].map(counting);

function counting(entries: number): RangeLoad {
  return {
    workload: `count of ${entries.toLocaleString('en')} entries`,
    connections: 1,
    entries,
    operation: ({ counted }) => counted(entries),
  };
}

/** Asks for ranges of an attribute that has an index: the first ten items in order, and how many there are. */
export async function runRangeLoads(bench: Bench): Promise<void> {
  const instances: Instance[] = [];
  try {
    for (const contender of bench.contenders.filter(({ ranges }) => ranges !== undefined))
      instances.push(await startFilled(bench, await startInstance(bench, contender, 'ranges')));
    for (const load of comparedLoads) await measure(bench, load, instances);
    const service = instances.filter(({ name }) => name === 'basedrive');
    for (const load of countLoads) await measure(bench, load, service);
  } finally {
    await stopAll(instances);
  }
}

/** Fills it, makes the index and starts it again: what is left from filling is not to be measured. */
async function startFilled(bench: Bench, instance: Instance): Promise<Instance> {
  const { ranges } = bench.options;
  const { contender, folder } = instance;
  bench.note(`filling ${instance.name} with ${ranges} items, and making the index of their numbers`);
  await alone(instance, async () => {
    await fillInBulk(instance, ranges);
    await contender.ranges!.makeIndex(instance.running.url);
  });
  await instance.running.stop();
  const again = { ...instance, running: await contender.start(folder) };
  // A handwritten server prepares its queries then. The index is there.
  await alone(again, () => contender.ranges!.makeIndex(again.running.url));
  return again;
}

async function measure(
  bench: Bench,
  { workload, connections, entries, operation }: RangeLoad,
  instances: readonly Instance[],
): Promise<void> {
  const below = bench.options.ranges - entries;
  if (below < 1) return;
  const loads = [];
  for (const instance of instances) {
    const asked = operation(instance.contender.ranges!);
    await alone(instance, () => checkAnswer(instance.running.url, asked, below - 1));
    const requests = [{ weight: 100, request: asked.request }];
    loads.push({ instance, requests, keys: { kind: 'random', below, anywhere: true } as const });
  }
  const value = (result: { requests: number; seconds: number }) => result.requests / result.seconds;
  await measureInRotation(bench, { workload, connections, unit: 'requests/s', value }, loads);
}
