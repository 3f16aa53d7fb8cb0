import { alone, type Bench, type Entrant, enter, stopAll } from './bench.js';
import { runFileLoads } from './file-loads.js';
import { fill } from './fill.js';
import { runGrowth } from './growth.js';
import { itemLoads, runItemLoad } from './item-loads.js';
import { runLargeFiles } from './large-files.js';
import { runLongLoad } from './long-load.js';
import { runManyFiles } from './many-files.js';
import { measureRest } from './memory.js';
import { runPageLoads } from './page-loads.js';
import { measureStart } from './start-up.js';

/** Every workload that the options ask for, in the order of the tables. */
export async function program(bench: Bench): Promise<void> {
  const { growth, longMinutes, files } = bench.options;
  if (itemWorkloads.some(bench.wants)) await onItems(bench);
  if (fileWorkloads.some(bench.wants) || files > 0) await onFiles(bench);
  if (growth.length > 0) await runGrowth(bench);
  if (longMinutes > 0) await runLongLoad(bench);
}

const startsAndRest = ['start empty', 'start filled', 'memory at rest'];
const pageWorkloads = ['page no filter', 'page few match', 'page key prefix', 'get during pages'];
const itemWorkloads = [...startsAndRest, ...itemLoads.map(({ workload }) => workload), ...pageWorkloads];
const fileWorkloads = [
  'upload 4 KB',
  'download 4 KB',
  'upload 100 KB',
  'download 100 KB',
  'upload large',
  'download large',
];

async function onItems(bench: Bench): Promise<void> {
  await withEntrants(bench, 'items', async (entrants) => {
    if (bench.wants('start empty')) await restart(bench, 'start empty', entrants);
    for (const entrant of entrants) await fillItems(bench, entrant);
    // Started anew, so that the memory at rest is not what is left from filling.
    if (bench.wants('start filled')) await restart(bench, 'start filled', entrants);
    if (bench.wants('memory at rest')) {
      for (const entrant of entrants) await measureRest(bench, 'memory at rest', entrant);
    }
    for (const load of itemLoads) {
      if (bench.wants(load.workload)) await runItemLoad(bench, load, entrants);
    }
    await runPageLoads(bench, entrants.find(({ name }) => name === 'basedrive')!);
  });
}

async function fillItems(bench: Bench, entrant: Entrant): Promise<void> {
  const { fill: fillOperation, put25, put, get } = entrant.contender.items!;
  const store = fillOperation ?? put25 ?? put;
  // What reads nothing needs nothing to read.
  if (store === undefined || get === undefined) return;
  bench.note(`filling ${entrant.name} with ${bench.options.items} items`);
  await alone(entrant, () => fill(entrant.running.url, store, bench.options.items));
}

async function restart(bench: Bench, workload: string, entrants: Entrant[]): Promise<void> {
  for (const [index, entrant] of entrants.entries())
    entrants[index] = await measureStart(bench, workload, entrant);
}

async function onFiles(bench: Bench): Promise<void> {
  await withEntrants(bench, 'files', async (entrants) => {
    await runFileLoads(bench, entrants);
    await runLargeFiles(bench, entrants);
    if (bench.options.files > 0)
      await runManyFiles(bench, entrants.find(({ name }) => name === 'basedrive')!);
  });
}

/** Starts those that take part, and stops them whatever happens. */
async function withEntrants(
  bench: Bench,
  group: 'items' | 'files',
  work: (entrants: Entrant[]) => Promise<void>,
): Promise<void> {
  const entrants: Entrant[] = [];
  try {
    for (const contender of bench.contenders) {
      if (contender[group] !== undefined) entrants.push(await enter(bench, contender, group));
    }
    await work(entrants);
  } finally {
    await stopAll(entrants);
  }
}
