import { basedriveItems } from '../contenders/basedrive-operations.js';
import type { LoadResult, WeightedRequest } from '../load/load.js';
import { alone, type Bench, type Instance } from './bench.js';
import { fill } from './fill.js';
import { checkItems } from './item-loads.js';
import { type InstanceLoad, measureInRotation } from './rotation.js';

const pageMb = 1_048_576 / 1e6;

/** A page reads one megabyte of items, whether they are in the answer or not. */
const megabytesRead = (result: LoadResult) => (result.requests * pageMb) / result.seconds;

/** The number of items that one page reads: `last` is chosen so that as many follow it. */
const pageItems = (itemBytes: number) => Math.ceil(1_048_576 / itemBytes) + 1;

const itemSizes = [
  { itemBytes: 300, base: 'items', suffix: '' },
  { itemBytes: 2000, base: 'items-2000', suffix: ' 2 KB items' },
];

/**
 * Measures query pages without a filter, with a filter that matches few items, and by a key prefix. Only the service
 * takes part, in its several builds.
 */
export async function runPageLoads(bench: Bench, instances: readonly Instance[]): Promise<void> {
  const instance = instances.find(({ name }) => name === 'basedrive')!;
  for (const { itemBytes, base, suffix } of itemSizes) {
    const workloads = [
      { workload: `page no filter${suffix}`, name: 'page' as const },
      { workload: `page few match${suffix}`, name: 'pageFew' as const },
    ].filter(({ workload }) => bench.wants(workload));
    if (workloads.length === 0) continue;
    const operations = basedriveItems(base, itemBytes);
    const items =
      itemBytes === 300 ? bench.options.items : Math.round((bench.options.items * 300) / itemBytes);
    if (base !== 'items') await alone(instance, () => fill(instance.running.url, operations.put25, items));
    const keys = { kind: 'random', below: Math.max(1, items - pageItems(itemBytes)) } as const;
    for (const { workload, name } of workloads) {
      // Another build of the service pages through the usual items.
      const takers = base === 'items' ? instances.filter((one) => one.contender.items?.[name]) : [instance];
      const loads: InstanceLoad[] = [];
      for (const taker of takers) {
        await checkItems(bench, taker, operations, name);
        loads.push({ instance: taker, requests: only(operations, name), keys });
      }
      for (const connections of bench.connectionsFor(workload)) {
        await measureInRotation(bench, { workload, connections, unit: 'MB/s', value: megabytesRead }, loads);
      }
    }
  }
  if (bench.wants('page key prefix')) await runPrefix(bench, instance);
  if (bench.wants('get during pages')) await getDuringPages(bench, instance);
}

/** Queries the hundred items of one key prefix. */
async function runPrefix(bench: Bench, instance: Instance): Promise<void> {
  const operations = basedriveItems();
  await checkItems(bench, instance, operations, 'pagePrefix');
  const load = {
    instance,
    requests: only(operations, 'pagePrefix'),
    // A multiple of a hundred, so that every prefix has a hundred items.
    keys: { kind: 'random', below: Math.floor(bench.options.items / 100) * 100 } as const,
  };
  const value = (result: LoadResult) => result.requests / result.seconds;
  for (const connections of bench.connectionsFor('page key prefix')) {
    await measureInRotation(bench, { workload: 'page key prefix', connections, unit: 'requests/s', value }, [
      load,
    ]);
  }
}

const pageConnections = 4;
const getConnections = 64;

/** Measures gets while four clients page through the base: how much pages delay other requests. */
async function getDuringPages(bench: Bench, instance: Instance): Promise<void> {
  const operations = basedriveItems();
  const { items, seconds } = bench.options;
  const value = (result: LoadResult) => result.requests / result.seconds;
  const pages = {
    url: instance.running.url,
    connections: pageConnections,
    seconds: (seconds + 1) * bench.options.rounds,
    requests: only(operations, 'page'),
    keys: { kind: 'random', below: items - pageItems(300) } as const,
  };
  const gets = {
    instance,
    requests: only(operations, 'get'),
    keys: { kind: 'random', below: items } as const,
  };
  const workload = {
    workload: 'get during pages',
    connections: getConnections,
    unit: 'requests/s',
    value,
  } as const;
  const [paged] = await Promise.all([bench.load(pages), measureInRotation(bench, workload, [gets])]);
  bench.note(`pages meanwhile, ${pageConnections} connections: ${megabytesRead(paged).toFixed(0)} MB/s`);
}

function only(
  operations: ReturnType<typeof basedriveItems>,
  name: keyof ReturnType<typeof basedriveItems>,
): WeightedRequest[] {
  return [{ weight: 100, request: operations[name].request }];
}
