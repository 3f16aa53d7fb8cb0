import { basedriveItems } from '../contenders/basedrive-operations.js';
import type { LoadResult, WeightedRequest } from '../load/load.js';
import { alone, type Bench, type Entrant } from './bench.js';
import { fill } from './fill.js';
import { checkItems } from './item-loads.js';
import { rotate } from './rotation.js';

const pageMb = 1_048_576 / 1e6;

/** A page reads a megabyte of items, whether it answers with them or not. */
const megabytesRead = (result: LoadResult) => (result.requests * pageMb) / result.seconds;

/** The items that one page reads: `last` is chosen so that as many follow. */
const pageItems = (itemBytes: number) => Math.ceil(1_048_576 / itemBytes) + 1;

const itemSizes = [
  { itemBytes: 300, base: 'items', suffix: '' },
  { itemBytes: 2000, base: 'items-2000', suffix: ' 2 KB items' },
];

/** Query pages without a filter, with one that matches few, and by a key prefix. The service only. */
export async function runPageLoads(bench: Bench, entrant: Entrant): Promise<void> {
  for (const { itemBytes, base, suffix } of itemSizes) {
    const workloads = [
      { workload: `page no filter${suffix}`, name: 'page' as const },
      { workload: `page few match${suffix}`, name: 'pageFew' as const },
    ].filter(({ workload }) => bench.wants(workload));
    if (workloads.length === 0) continue;
    const operations = basedriveItems(base, itemBytes);
    const items =
      itemBytes === 300 ? bench.options.items : Math.round((bench.options.items * 300) / itemBytes);
    if (base !== 'items') await alone(entrant, () => fill(entrant.running.url, operations.put25, items));
    const keys = { kind: 'random', below: Math.max(1, items - pageItems(itemBytes)) } as const;
    for (const { workload, name } of workloads) {
      await checkItems(bench, entrant, operations, name);
      const heat = { entrant, requests: only(operations, name), keys };
      for (const connections of bench.options.connections) {
        await rotate(bench, { workload, connections, unit: 'MB/s', value: megabytesRead }, [heat]);
      }
    }
  }
  if (bench.wants('page key prefix')) await runPrefix(bench, entrant);
  if (bench.wants('get during pages')) await getDuringPages(bench, entrant);
}

/** A hundred items below a prefix. */
async function runPrefix(bench: Bench, entrant: Entrant): Promise<void> {
  const operations = basedriveItems();
  await checkItems(bench, entrant, operations, 'pagePrefix');
  const heat = {
    entrant,
    requests: only(operations, 'pagePrefix'),
    // Whole hundreds, so that every prefix has its hundred items.
    keys: { kind: 'random', below: Math.floor(bench.options.items / 100) * 100 } as const,
  };
  const value = (result: LoadResult) => result.requests / result.seconds;
  for (const connections of bench.options.connections) {
    await rotate(bench, { workload: 'page key prefix', connections, unit: 'requests/s', value }, [heat]);
  }
}

const pageConnections = 4;
const getConnections = 64;

/** Gets while four others page through the base: what a page costs those who wait behind it. */
async function getDuringPages(bench: Bench, entrant: Entrant): Promise<void> {
  const operations = basedriveItems();
  const { items, seconds } = bench.options;
  const value = (result: LoadResult) => result.requests / result.seconds;
  const pages = {
    url: entrant.running.url,
    connections: pageConnections,
    seconds: (seconds + 1) * bench.options.rounds,
    requests: only(operations, 'page'),
    keys: { kind: 'random', below: items - pageItems(300) } as const,
  };
  const gets = {
    entrant,
    requests: only(operations, 'get'),
    keys: { kind: 'random', below: items } as const,
  };
  const drive = {
    workload: 'get during pages',
    connections: getConnections,
    unit: 'requests/s',
    value,
  } as const;
  const [paged] = await Promise.all([bench.load(pages), rotate(bench, drive, [gets])]);
  bench.note(`pages meanwhile, ${pageConnections} connections: ${megabytesRead(paged).toFixed(0)} MB/s`);
}

function only(
  operations: ReturnType<typeof basedriveItems>,
  name: keyof ReturnType<typeof basedriveItems>,
): WeightedRequest[] {
  return [{ weight: 100, request: operations[name].request }];
}
