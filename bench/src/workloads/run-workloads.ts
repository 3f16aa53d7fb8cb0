import { alone, type Bench, type Instance, startInstance, stopAll } from './bench.js';
import { bulkWorkloads, runBulk } from './bulk.js';
import { runFileLoads } from './file-loads.js';
import { fill } from './fill.js';
import { runGrowth } from './growth.js';
import { itemLoads, runItemLoad } from './item-loads.js';
import { runLargeFiles } from './large-files.js';
import { runLongLoad } from './long-load.js';
import { runManyFiles } from './many-files.js';
import { measureRest } from './memory.js';
import { runPageLoads } from './page-loads.js';
import { indexedWorkloads, runIndexedLoads, runScanLoads, scanWorkloads } from './scan-loads.js';
import { measureStart } from './start-up.js';

/** Runs every workload that the options ask for, in the order of the tables. */
export async function runWorkloads(bench: Bench): Promise<void> {
  const { growth, longMinutes, files } = bench.options;
  if (itemWorkloads.some(bench.wants)) await onItems(bench);
  if (fileWorkloads.some(bench.wants) || files > 0) await onFiles(bench);
  if (growth.length > 0) await runGrowth(bench);
  if (longMinutes > 0) await runLongLoad(bench);
}

const startsAndRest = ['start empty', 'start filled', 'memory at rest'];
const pageWorkloads = ['page no filter', 'page few match', 'page key prefix', 'get during pages'];
const itemWorkloads = [
  ...startsAndRest,
  ...itemLoads.map(({ workload }) => workload),
  ...pageWorkloads,
  ...scanWorkloads,
  ...bulkWorkloads,
  ...indexedWorkloads,
];
const fileWorkloads = [
  'upload 4 KB',
  'download 4 KB',
  'upload 100 KB',
  'download 100 KB',
  'upload large',
  'download large',
];

async function onItems(bench: Bench): Promise<void> {
  await withInstances(bench, 'items', async (instances) => {
    if (bench.wants('start empty')) await restart(bench, 'start empty', instances);
    for (const instance of instances) await fillItems(bench, instance);
    // A restart, so that memory at rest does not include what is left from filling.
    if (bench.wants('start filled')) await restart(bench, 'start filled', instances);
    if (bench.wants('memory at rest')) {
      for (const instance of instances) await measureRest(bench, 'memory at rest', instance);
    }
    for (const load of itemLoads) {
      if (bench.wants(load.workload)) await runItemLoad(bench, load, instances);
    }
    await runPageLoads(bench, instances.find(({ name }) => name === 'basedrive')!);
    await runScanLoads(bench, instances);
    await runBulk(bench, instances);
    // The last ones: an index costs every later write.
    await runIndexedLoads(bench, instances);
  });
}

async function fillItems(bench: Bench, instance: Instance): Promise<void> {
  const { fill: fillOperation, put25, put, get } = instance.contender.items!;
  const store = fillOperation ?? put25 ?? put;
  // A contender without `get` reads no items, so it needs none.
  if (store === undefined || get === undefined) return;
  bench.note(`filling ${instance.name} with ${bench.options.items} items`);
  await alone(instance, () => fill(instance.running.url, store, bench.options.items));
}

async function restart(bench: Bench, workload: string, instances: Instance[]): Promise<void> {
  for (const [index, instance] of instances.entries())
    instances[index] = await measureStart(bench, workload, instance);
}

async function onFiles(bench: Bench): Promise<void> {
  await withInstances(bench, 'files', async (instances) => {
    await runFileLoads(bench, instances);
    await runLargeFiles(bench, instances);
    if (bench.options.files > 0)
      await runManyFiles(bench, instances.find(({ name }) => name === 'basedrive')!);
  });
}

/** Starts the contenders that offer this group of workloads, and always stops them afterwards. */
async function withInstances(
  bench: Bench,
  group: 'items' | 'files',
  work: (instances: Instance[]) => Promise<void>,
): Promise<void> {
  const instances: Instance[] = [];
  try {
    for (const contender of bench.contenders) {
      if (contender[group] !== undefined) instances.push(await startInstance(bench, contender, group));
    }
    await work(instances);
  } finally {
    await stopAll(instances);
  }
}
