import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { LoadResult } from '../load/load.js';
import { repository } from '../processes/installed.js';
import { median } from '../results/measurement.js';
import { figure, markdown } from '../results/table.js';
import type { Bench } from '../workloads/bench.js';
import { download, uploadInParts, uploadsAtOnce } from './large.js';
import {
  bucket,
  fileApiLoad,
  listed,
  listedName,
  listLoads,
  objectLoads,
  runLoad,
  type S3Load,
} from './loads.js';
import { agent, inParallel, sendS3 } from './send.js';
import { type RunningStore, startStores } from './stores.js';

interface Figures {
  readonly workload: string;
  readonly store: string;
  readonly unit: 'requests/s' | 'MB/s';
  /** Of each round. */
  readonly values: number[];
  readonly cpuMicroseconds: number[];
  readonly p50Ms: number[];
  readonly p99Ms: number[];
  memoryMb: number;
  errors: number;
}

const mib = 1024 ** 2;

/** Compares the S3 API with other S3 stores (docs/benchmarks.md#s3): all in turns, round by round. */
export async function runS3(bench: Bench): Promise<void> {
  const { quick } = bench.options;
  const stores = await startStores(bench.options.against, (name) => bench.folder(name));
  const began = { at: new Date().toISOString(), load: loadavg() };
  const all: Figures[] = [];
  try {
    for (const { address } of stores) await sendS3(address, { method: 'PUT', path: bucket });
    const filled = new Set<number>();
    for (const load of objectLoads.filter(({ name }) => bench.wants(name))) {
      const { filledBytes } = load;
      if (filledBytes !== undefined && !filled.has(filledBytes)) {
        await inTurns(stores, (store) => fill(store, load, filledBytes));
        filled.add(filledBytes);
      }
      all.push(...(await rounds(bench, stores, load)));
      if (load.name !== 'GET 4 KiB') continue;
      const own = stores.filter(({ name }) => name === 'basedrive');
      all.push(...(await rounds(bench, own, fileApiLoad)));
    }
    const large = (quick ? 32 : 1024) * mib;
    if (bench.wants('1 GiB')) all.push(...(await largeObjects(bench, stores, large)));
    const { names } = bench.options;
    const lists = listLoads(names).filter(({ name }) => bench.wants(name));
    if (lists.length > 0) await inTurns(stores, (store) => fillListed(store, names));
    for (const load of lists) all.push(...(await rounds(bench, stores, load)));
    const memory = bench.wants('uploads at once') ? await memoryOf(bench, stores) : [];
    const note = `Begun ${began.at}, load ${began.load.map((one) => one.toFixed(1)).join(' ')}; ended with ${loadavg()[0]?.toFixed(1)}.`;
    const text = [note, tableOf(all), ...memory].join('\n\n');
    const folder = join(repository, 'bench', 'results');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 's3-latest.json'), JSON.stringify({ ...began, all, memory }, null, 2));
    console.log(text);
    const own = all.filter(({ store }) => store === 'basedrive');
    if (quick && own.some(({ errors }) => errors > 0)) throw new Error('wrong or missing answers under load');
  } finally {
    agent.destroy();
    for (const store of stores) await store.stop();
  }
}

async function inTurns(stores: readonly RunningStore[], work: (store: RunningStore) => Promise<unknown>) {
  for (const store of stores) {
    for (const other of stores) if (other !== store) other.pause();
    store.resume();
    await work(store);
  }
  for (const store of stores) store.resume();
}

async function rounds(bench: Bench, stores: readonly RunningStore[], load: S3Load): Promise<Figures[]> {
  const { quick, seconds } = bench.options;
  const figures = new Map(stores.map((store) => [store, empty(load.name, store.name, 'requests/s')]));
  const folder = bench.folder('s3 load');
  for (let round = quick ? 0 : -1; round < bench.options.rounds; round++) {
    await inTurns(stores, async (store) => {
      const before = store.cpuSeconds() ?? Number.NaN;
      const result = await runLoad(store.address, load, round < 0 ? 1 : seconds, folder);
      const cpu = (store.cpuSeconds() ?? Number.NaN) - before;
      // The first round is a warm-up.
      if (round >= 0) note(figures.get(store)!, result, cpu, store.memory()?.residentMb ?? 0);
    });
  }
  for (const one of figures.values()) bench.note(rowOf(one).join(' | '));
  return [...figures.values()];
}

function note(figures: Figures, result: LoadResult, cpuSeconds: number, memoryMb: number): void {
  figures.values.push(result.requests / result.seconds);
  figures.cpuMicroseconds.push((cpuSeconds / result.requests) * 1e6);
  figures.p50Ms.push(result.p50Ms);
  figures.p99Ms.push(result.p99Ms);
  figures.memoryMb = Math.max(figures.memoryMb, memoryMb);
  figures.errors += result.errors;
}

async function largeObjects(
  bench: Bench,
  stores: readonly RunningStore[],
  bytes: number,
): Promise<Figures[]> {
  const works = [
    ['1 GiB in parts of 8 MiB', uploadInParts],
    ['GET 1 GiB', download],
  ] as const;
  const figures: Figures[] = [];
  for (const [workload, work] of works) {
    const found = new Map(stores.map((store) => [store, empty(workload, store.name, 'MB/s')]));
    for (let round = 0; round < Math.min(3, bench.options.rounds); round++) {
      await inTurns(stores, async (store) => {
        const before = store.cpuSeconds() ?? Number.NaN;
        const seconds = await work(store.address, 'large', bytes);
        const one = found.get(store)!;
        one.values.push(bytes / 1e6 / seconds);
        one.cpuMicroseconds.push(((store.cpuSeconds() ?? Number.NaN) - before) * 1e6);
        one.memoryMb = Math.max(one.memoryMb, store.memory()?.residentMb ?? 0);
      });
    }
    for (const one of found.values()) bench.note(rowOf(one).join(' | '));
    figures.push(...found.values());
  }
  for (const { address } of stores) await sendS3(address, { method: 'DELETE', path: `${bucket}/large` });
  return figures;
}

async function fill({ address }: RunningStore, { requests }: S3Load, bytes: number): Promise<void> {
  const body = randomBytes(bytes);
  await inParallel(requests.length, 16, async (n) => {
    const { path = '' } = requests[n] ?? {};
    await sendS3(address, { method: 'PUT', path }, body);
  });
}

async function fillListed({ address }: RunningStore, names: number): Promise<void> {
  await sendS3(address, { method: 'PUT', path: listed });
  const put = (n: number) => sendS3(address, { method: 'PUT', path: `${listed}/${listedName(n)}` });
  await inParallel(names, 64, put);
}

/** Of the service alone: the others need another disk. */
async function memoryOf(bench: Bench, [store]: readonly RunningStore[]): Promise<string[]> {
  if (store === undefined) return [];
  const lines: string[] = [];
  for (const size of bench.options.quick ? [1] : [64, 256]) {
    const { seconds, restMb, highestMb } = await uploadsAtOnce(store, size * mib);
    const text = [restMb, highestMb].map((mb) => mb.toFixed(0)).join(' to ');
    lines.push(
      `64 uploads of ${size} MiB at once: ${text} MB resident, ${seconds.toFixed(0)} s with their deletion`,
    );
    bench.note(lines.at(-1) ?? '');
  }
  return lines;
}

function empty(workload: string, store: string, unit: Figures['unit']): Figures {
  const none = { values: [], cpuMicroseconds: [], p50Ms: [], p99Ms: [] };
  return { workload, store, unit, ...none, memoryMb: 0, errors: 0 };
}

function tableOf(all: readonly Figures[]): string {
  const head = [
    'workload',
    'store',
    'unit',
    'median',
    'rounds',
    'p50 ms',
    'p99 ms',
    'processor µs',
    'memory MB',
    'errors',
  ];
  return markdown(head, all.map(rowOf));
}

function rowOf(one: Figures): string[] {
  const middle = (values: readonly number[]) => (values.length === 0 ? '' : figure(median(values)));
  return [
    one.workload,
    one.store,
    one.unit,
    middle(one.values),
    one.values.map((value) => figure(value)).join(' '),
    middle(one.p50Ms),
    middle(one.p99Ms),
    middle(one.cpuMicroseconds),
    one.memoryMb.toFixed(0),
    String(one.errors),
  ];
}
