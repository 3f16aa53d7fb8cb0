import { type ItemOperationName, markedCount, markedKeys } from '../contenders/contender.js';
import { checkAnswer, type Operation } from '../load/operation.js';
import type { Running } from '../processes/server-process.js';
import { alone, type Bench, type Instance } from './bench.js';
import { checkItems } from './item-loads.js';
import { type InstanceLoad, measureInRotation, type Series } from './rotation.js';

interface ScanLoad extends Pick<Series, 'workload' | 'leastSeconds'> {
  readonly operation: ItemOperationName;
}

/** Such a request takes up to a second, and those in progress at the end of a round are not counted. */
const leastSeconds = 8;
/** Requests whose cost grows with the base, which every one of them reads whole. */
const scanLoads: readonly ScanLoad[] = [
  { workload: 'ordered without an index', operation: 'ordered', leastSeconds },
  { workload: 'counted without an index', operation: 'counted', leastSeconds },
];

export const scanWorkloads = scanLoads.map(({ workload }) => workload);

/** More at once would only wait for each other. */
const scanConnections = 4;

/** The same requests with an index of the attribute, and what it costs a put. */
const indexedLoads: readonly ScanLoad[] = [
  { workload: 'ordered with an index', operation: 'ordered' },
  { workload: 'counted with an index', operation: 'counted' },
  { workload: 'put with an index', operation: 'put' },
];

export const indexedWorkloads = indexedLoads.map(({ workload }) => workload);

/** Measures every instance that offers the operations, on items some of which are marked: so the answer is known. */
export async function runScanLoads(bench: Bench, instances: readonly Instance[]): Promise<void> {
  await runLoads(bench, scanLoads, instances, () => [scanConnections]);
}

/** Makes the index, and measures every instance that has one. */
export async function runIndexedLoads(bench: Bench, instances: readonly Instance[]): Promise<void> {
  if (!indexedWorkloads.some(bench.wants)) return;
  const indexed = instances.filter(({ contender }) => contender.makeIndex !== undefined);
  for (const instance of indexed) {
    bench.note(`making the index of ${instance.name}`);
    await alone(instance, () => instance.contender.makeIndex!(instance.running.url));
  }
  await runLoads(bench, indexedLoads, indexed, bench.connectionsFor);
}

async function runLoads(
  bench: Bench,
  scans: readonly ScanLoad[],
  instances: readonly Instance[],
  connectionsOf: (workload: string) => readonly number[],
): Promise<void> {
  for (const { operation: name, ...series } of scans.filter(({ workload }) => bench.wants(workload))) {
    const loads: InstanceLoad[] = [];
    for (const instance of instances) {
      const operations = instance.contender.items;
      const operation = operations?.[name];
      if (operations?.put === undefined || operation === undefined) continue;
      await alone(instance, () => markItems(instance.running, operations.put as Operation));
      await checkItems(bench, instance, operations, name);
      const requests = [{ weight: 100, request: operation.request }];
      loads.push({ instance, requests, keys: { kind: 'random', below: bench.options.items } });
    }
    const value = (result: { requests: number; seconds: number }) => result.requests / result.seconds;
    for (const connections of connectionsOf(series.workload))
      await measureInRotation(bench, { ...series, connections, unit: 'requests/s', value }, loads);
  }
}

/** Puts the marked items, each with a `count` of its own. */
export async function markItems(running: Running, put: Operation): Promise<void> {
  for (const [index, key] of markedKeys.entries()) {
    const body = String(put.request.body).replace('{nonce}', String(markedCount + index));
    await checkAnswer(running.url, { ...put, request: { ...put.request, body } }, Number(key));
  }
}
