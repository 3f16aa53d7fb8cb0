import { basedrive } from '../contenders/basedrive.js';
import { basedriveItems } from '../contenders/basedrive-operations.js';
import type { LoadResult } from '../load/load.js';
import { alone, type Bench, type Instance, startInstance, stopAll } from './bench.js';
import { fillInBulk } from './bulk.js';
import { measureRest } from './memory.js';
import { type InstanceLoad, measureInRotation } from './rotation.js';
import { measureStart } from './start-up.js';

const connections = 64;
const perSecond = (result: LoadResult) => result.requests / result.seconds;

/** The base that a bulk request fills. */
const items = basedriveItems('bulk');

/** Measures the same work in bases of different sizes, each in a server of its own, in rotation. */
export async function runGrowth(bench: Bench): Promise<void> {
  const { get, put, page } = items;
  const instances: Instance[] = [];
  const sizes = bench.options.growth;
  try {
    for (const size of sizes) {
      const name = label(size);
      bench.note(`filling a base with ${size} items`);
      let instance = await startInstance(bench, { ...basedrive, items }, 'growth', name);
      instances.push(instance);
      await alone(instance, () => fillInBulk(instance, size));
      instance = await measureStart(bench, 'start by size', instance);
      instances[instances.length - 1] = instance;
      await measureRest(bench, 'memory at rest by size', instance);
    }
    const loads = (operation: typeof get, spare: number): InstanceLoad[] =>
      instances.map((instance, index) => ({
        instance,
        requests: [{ weight: 100, request: operation.request }],
        keys: { kind: 'random', below: Math.max(1, sizes[index]! - spare) },
      }));
    await measureInRotation(
      bench,
      { workload: 'get by size', connections, unit: 'requests/s', value: perSecond },
      loads(get, 0),
    );
    await measureInRotation(
      bench,
      { workload: 'put by size', connections, unit: 'requests/s', value: perSecond },
      loads(put, 0),
    );
    // A base of 1,000 items has less than a megabyte, so these pages have a hundred items, which every base has.
    const hundred = { ...page, request: { ...page.request, body: '{"last":"{key}","limit":100}' } };
    const pages = {
      workload: 'page of 100 by size',
      connections,
      unit: 'requests/s',
      value: perSecond,
    } as const;
    await measureInRotation(bench, pages, loads(hundred, 101));
  } finally {
    await stopAll(instances);
  }
}

/** The name under which a size appears among the contenders. */
function label(size: number): string {
  return `${size.toLocaleString('en')} items`;
}
