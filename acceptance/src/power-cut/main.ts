import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type CutReport, cutPower, type SyncClass, syncClasses, traceLoad } from './run.js';

/** `npm run test:power-cut -- --cuts 1000 --seed 7`: the long version of the power-cut test. Needs `strace`. */
const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '1000' },
    steps: { type: 'string', default: '230' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
  },
});
const cuts = Number(values.cuts);
const seed = Number(values.seed);
const progressInterval = 50;
const workFolder = await mkdtemp(join(tmpdir(), 'basedrive-power-cut-'));
const beganMs = performance.now();

function row(found: string, { points, cuts: done, answered, comparisons, losses }: CutReport): string {
  return `| ${found} | ${points} | ${done} | ${answered} | ${comparisons} | ${losses.length} |`;
}

try {
  process.stdout.write(`seed ${seed}: running the load under strace …\n`);
  // With items of 100 KB, LevelDB begins new logs and compacts old ones during the load.
  const load = await traceLoad(workFolder, { steps: Number(values.steps), seed, textBytes: 75_000 });
  const report = await cutPower(load, {
    workFolder,
    cuts,
    progress: ({ cuts: done, losses }) => {
      if (done % progressInterval === 0)
        process.stdout.write(`${done}/${cuts} cuts, ${losses.length} losses\n`);
    },
  });
  const torn = await cutPower(load, { workFolder, cuts: progressInterval, view: 'torn' });
  const scattered = await cutPower(load, { workFolder, cuts: progressInterval, view: 'scattered' });
  const seconds = Math.round((performance.now() - beganMs) / 1000);
  process.stdout.write(`
| what a restart finds | syncs in the trace | cuts | answered | comparisons | losses |
|---|---|---|---|---|---|
${row('what was synced', report)}
${row('everything that was written, the last write torn', torn)}
${row('what was synced, and every other write that was not synced', scattered)}

| sync left out | cuts until a loss | losses |
|---|---|---|
`);
  const losses = [report, torn, scattered].flatMap((each) => each.losses);
  for (const loss of losses.slice(0, 20)) process.stdout.write(`LOSS ${loss}\n`);
  let passed = losses.length === 0;
  for (const without of Object.keys(syncClasses) as SyncClass[]) {
    const broken = await cutPower(load, { workFolder, cuts: 20, without, untilLoss: true });
    process.stdout.write(`| ${without} | ${broken.cuts} | ${broken.losses.length} |\n`);
    passed &&= broken.losses.length > 0;
  }
  process.stdout.write(`${seconds} s\n`);
  process.exitCode = passed ? 0 : 1;
} finally {
  await rm(workFolder, { recursive: true, force: true });
}
