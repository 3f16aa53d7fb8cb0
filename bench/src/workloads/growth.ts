import { basedrive } from '../contenders/basedrive.js';
import { basedriveItems } from '../contenders/basedrive-operations.js';
import type { LoadResult } from '../load/load.js';
import { alone, type Bench, type Entrant, enter, stopAll } from './bench.js';
import { fill } from './fill.js';
import { measureRest } from './memory.js';
import { type Heat, rotate } from './rotation.js';
import { measureStart } from './start-up.js';

const connections = 64;
const perSecond = (result: LoadResult) => result.requests / result.seconds;

/** The same work in bases of different size, each in a server of its own, in rotation. */
export async function runGrowth(bench: Bench): Promise<void> {
  const { get, put, put25, page } = basedriveItems();
  const entrants: Entrant[] = [];
  const sizes = bench.options.growth;
  try {
    for (const size of sizes) {
      const name = label(size);
      bench.note(`filling a base with ${size} items`);
      let entrant = await enter(bench, basedrive, 'growth', name);
      entrants.push(entrant);
      await alone(entrant, () => fill(entrant.running.url, put25, size));
      entrant = await measureStart(bench, 'start by size', entrant);
      entrants[entrants.length - 1] = entrant;
      await measureRest(bench, 'memory at rest by size', entrant);
    }
    const heats = (operation: typeof get, spare: number): Heat[] =>
      entrants.map((entrant, index) => ({
        entrant,
        requests: [{ weight: 100, request: operation.request }],
        keys: { kind: 'random', below: Math.max(1, sizes[index]! - spare) },
      }));
    await rotate(
      bench,
      { workload: 'get by size', connections, unit: 'requests/s', value: perSecond },
      heats(get, 0),
    );
    await rotate(
      bench,
      { workload: 'put by size', connections, unit: 'requests/s', value: perSecond },
      heats(put, 0),
    );
    // A base of 1,000 items is no megabyte: pages of a hundred, which every size can fill.
    const hundred = { ...page, request: { ...page.request, body: '{"last":"{key}","limit":100}' } };
    const pages = {
      workload: 'page of 100 by size',
      connections,
      unit: 'requests/s',
      value: perSecond,
    } as const;
    await rotate(bench, pages, heats(hundred, 101));
  } finally {
    await stopAll(entrants);
  }
}

/** How a size appears among the contenders of these workloads. */
function label(size: number): string {
  return `${size.toLocaleString('en')} items`;
}
