import { alone, type Bench, type Instance, startInstance, stopAll } from './bench.js';
import { bulkWorkloads, runBulk } from './bulk.js';
import { runClientLoad } from './client-load.js';
import { runFileLoads } from './file-loads.js';
import { fill } from './fill.js';
import { runGrowth } from './growth.js';
import { growingLoads, itemLoads, runItemLoads } from './item-loads.js';
import { runLargeFiles } from './large-files.js';
import { listWorkloads, runLists } from './lists.js';
import { runLongLoad } from './long-load.js';
import { measureRest } from './memory.js';
import { runPageLoads } from './page-loads.js';
import { runRangeLoads } from './range-loads.js';
import { indexedWorkloads, runIndexedLoads, runScanLoads, scanWorkloads } from './scan-loads.js';
import { measureStart } from './start-up.js';

/**
 * Runs every workload that the options ask for, in the order of the tables. What goes wrong ends its group, not the run.
 * @returns what went wrong
 */
export async function runWorkloads(bench: Bench): Promise<unknown[]> {
  const { growth, longMinutes, ranges, clientReads } = bench.options;
  const groups = [
    { isWanted: itemWorkloads.some(bench.wants), run: onItems },
    { isWanted: ranges > 0, run: runRangeLoads },
    { isWanted: fileWorkloads.some(bench.wants), run: onFiles },
    { isWanted: clientReads > 0, run: runClientLoad },
    { isWanted: growth.length > 0, run: runGrowth },
    { isWanted: longMinutes > 0, run: runLongLoad },
  ];
  const failures: unknown[] = [];
  for (const { run } of groups.filter(({ isWanted }) => isWanted)) {
    try {
      await run(bench);
    } catch (error) {
      console.error(error);
      failures.push(error);
    }
  }
  return failures;
}

const startsAndRest = ['start empty', 'start filled', 'memory at rest'];
const pageWorkloads = ['page no filter', 'page few match', 'page key prefix', 'get during pages'];
const itemWorkloads = [
  ...startsAndRest,
  ...[...itemLoads, ...growingLoads].map(({ workload }) => workload),
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
  ...listWorkloads,
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
    await runItemLoads(bench, itemLoads, instances);
    await runPageLoads(bench, instances);
    await runScanLoads(bench, instances);
    await runItemLoads(bench, growingLoads, instances);
    await runBulk(bench, instances);
    // The last ones: an index costs every later write.
    await runIndexedLoads(bench, instances);
  });
}

async function fillItems(bench: Bench, instance: Instance): Promise<void> {
  const { fill: fillOperation, put25, put, get } = instance.contender.items!;
  const store = fillOperation ?? put25 ?? put;
  // A contender without `get` reads no items, so it needs none, unless it has an operation for that alone.
  if (store === undefined || (get === undefined && fillOperation === undefined)) return;
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
    await runLists(bench, instances.find(({ name }) => name === 'basedrive')!);
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
