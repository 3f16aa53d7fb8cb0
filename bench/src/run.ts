import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { contenders as all } from './contenders/all.js';
import { beforeName, earlierBuild } from './contenders/basedrive-variants.js';
import type { Contender } from './contenders/contender.js';
import { compareWith } from './costs/against-revision.js';
import { type Build, buildOf } from './costs/revision-build.js';
import { runCosts } from './costs/run-costs.js';
import { loadWithAutocannon } from './load/autocannon.js';
import { loadWithWrk, wrkIsInstalled } from './load/wrk.js';
import { commandText, type Options } from './options.js';
import { repository } from './processes/installed.js';
import { chart } from './results/chart.js';
import type { Measurement, Results } from './results/measurement.js';
import { resultsSection } from './results/section.js';
import { figure } from './results/table.js';
import { runS3 } from './s3/run-s3.js';
import { type Bench, connectionsFor, folderIn } from './workloads/bench.js';
import { runWorkloads } from './workloads/run-workloads.js';

/** Measures what the options ask for, prints tables, and writes JSON and charts to bench/results/. */
export async function runBenchmark(options: Options): Promise<void> {
  refuseMemoryDisk(options.folder);
  const measurements: Measurement[] = [];
  const root = mkdtempSync(join(options.folder, 'basedrive-bench-'));
  // Some servers run as a user of their own and must reach their folder.
  chmodSync(root, 0o711);
  // This also runs on an interrupt. The servers are stopped before, by the listener that was added first.
  process.on('exit', () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const before = buildBefore(options, root);
  const earlier = before === undefined ? [] : [earlierBuild(`revision ${before.commit}`, before.program)];
  const { taking, missing } = options.s3 ? nobody : choose(options, [...all, ...earlier]);
  const results: Results = {
    takenAt: new Date().toISOString(),
    node: process.versions.node,
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1e9),
    loadGenerator: wrkIsInstalled() ? 'wrk' : 'autocannon',
    command: commandText(options, before?.commit),
    options: { rounds: options.rounds, seconds: options.seconds, items: options.items, quick: options.quick },
    contenders: Object.fromEntries(taking.map(({ name, about }) => [name, about])),
    missing,
    measurements,
  };
  const bench = benchOf(options, taking, root, (one) => {
    measurements.push(one);
    // An interrupted run leaves what it has measured.
    keepResults(results);
  });
  if (options.revision !== undefined) return await compareWith(bench, options.revision);
  if (options.s3) return await runS3(bench);
  if (options.costs) return await runCosts(bench);
  const failures = await runWorkloads(bench);
  if (measurements.length === 0 && failures.length === 0)
    throw new Error('--only: no workload has such a name');
  keepCharts(results);
  console.log(resultsSection([results]));
  const wrong = measurements.filter((one) => one.errors !== undefined);
  for (const { contender, workload, errors } of wrong)
    console.error(`${contender}: ${errors} errors in ${workload}`);
  if (failures.length > 0) throw new AggregateError(failures, failures.join('; '));
  if (options.quick && wrong.length > 0) throw new Error('wrong or missing answers under load');
}

function benchOf(
  options: Options,
  taking: readonly Contender[],
  root: string,
  keep: (one: Measurement) => void,
): Bench {
  let nextFreshKey = 500_000_000_000;
  return {
    options,
    contenders: taking,
    load: wrkIsInstalled() ? loadWithWrk : loadWithAutocannon,
    record(one) {
      keep(one);
      const at = one.connections === 0 ? '' : `, ${one.connections} connections`;
      const p99 = one.p99Ms === undefined ? '' : `, p99 ${one.p99Ms.toFixed(2)} ms`;
      console.error(`${one.workload}${at}: ${one.contender} ${figure(one.value)} ${one.unit}${p99}`);
    },
    note: (text) => console.error(text),
    wants: (workload) =>
      options.only.length === 0 || options.only.some((beginning) => workload.startsWith(beginning)),
    connectionsFor: (workload) => connectionsFor(workload, options.connections),
    folder(name) {
      const folder = folderIn(root, name);
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    freshKeys() {
      nextFreshKey += 10_000_000;
      return nextFreshKey;
    },
  };
}

const nobody = { taking: [], missing: {} };

/** The build of `--before`, if one is given. */
function buildBefore({ before }: Options, root: string): Build | undefined {
  if (before === undefined) return undefined;
  const folder = folderIn(root, 'before');
  mkdirSync(folder);
  console.error(`building ${before}`);
  return buildOf(before, folder);
}

/** They take part whatever `--against` says. */
const always = ['basedrive', beforeName];

/** The contenders that were requested and can run; for the others, the reason. */
function choose(options: Options, known: readonly Contender[]) {
  const { against } = options;
  const unknown = against.filter((name) => !known.some((contender) => contender.name === name));
  if (unknown.length > 0)
    throw new Error(
      `--against: ${unknown.join(', ')} unknown; the contenders are ${known.map((one) => one.name).join(', ')}`,
    );
  const missing: Record<string, string> = {};
  const taking = known.filter((contender) => {
    if (against.length > 0 && !always.includes(contender.name) && !against.includes(contender.name))
      return false;
    const reason = contender.missing?.();
    if (reason !== undefined) missing[contender.name] = reason;
    return reason === undefined;
  });
  for (const [name, reason] of Object.entries(missing)) console.error(`skipped: ${name} (${reason})`);
  if (missing.basedrive !== undefined) throw new Error(`the service is ${missing.basedrive}`);
  return { taking, missing };
}

const tmpfs = 0x01021994;

/** A sync to memory costs nothing, so every figure of a synced write would be wrong. */
function refuseMemoryDisk(folder: string): void {
  if (statfsSync(folder).type === tmpfs)
    throw new Error(`--folder: ${folder} is in memory; give a folder on a disk`);
}

const resultsFolder = join(repository, 'bench', 'results');

function keepResults(results: Results): void {
  mkdirSync(resultsFolder, { recursive: true });
  const stamp = results.takenAt.replaceAll(/[:.]/g, '-');
  const json = `${JSON.stringify(results, null, 2)}\n`;
  for (const name of [stamp, 'latest']) writeFileSync(join(resultsFolder, `${name}.json`), json);
}

function keepCharts(results: Results): void {
  const counts = new Set(results.measurements.map((one) => one.connections).filter((count) => count > 0));
  for (const count of counts)
    writeFileSync(join(resultsFolder, `latest-${count}.svg`), chart(results, count));
}
