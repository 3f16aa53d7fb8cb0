import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runS3Kills } from '../s3-kills/run.js';
import { runCrashes } from './run.js';

/** `npm run test:crash -- --kills 500 --seed 7`: the long version of the crash test. `--s3`: that of S3 clients; `--workers 2`: over fronts. */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    s3: { type: 'boolean', default: false },
    workers: { type: 'string', default: '0' },
  },
});
const kills = Number(values.kills);
const seed = Number(values.seed);
const folder = await mkdtemp(join(tmpdir(), 'basedrive-crash-'));
const startedMs = performance.now();

process.stdout.write(`${kills} kills, seed ${seed}, ${cpus().length} cores\n`);
if (values.s3) {
  const { acknowledged, inDoubt, faults } = await runS3Kills({ folder, kills, seed });
  process.stdout.write(`${acknowledged} changes by S3 acknowledged, ${inDoubt} in flight at a kill\n`);
  for (const fault of faults) process.stdout.write(`FAULT ${fault}\n`);
  if (faults.length === 0) await rm(folder, { recursive: true });
  process.exit(faults.length === 0 ? 0 : 1);
}
const report = await runCrashes({
  folder,
  kills,
  seed,
  options: ['--workers', values.workers],
  progress: ({ kills: done, acknowledged, losses }) => {
    const end = process.stdout.isTTY ? '\r' : '\n';
    if (process.stdout.isTTY || done % 25 === 0) {
      process.stdout.write(
        `${done}/${kills} kills, ${acknowledged} acknowledged, ${losses.length} losses${end}`,
      );
    }
  },
});

const seconds = Math.round((performance.now() - startedMs) / 1000);
process.stdout.write(`
| kills | acknowledged operations | in flight at a kill | comparisons | blobs without a row at the end | losses | seconds |
|---|---|---|---|---|---|---|
| ${report.kills} | ${report.acknowledged} | ${report.inDoubt} | ${report.comparisons} | ${report.orphans} | ${report.losses.length} | ${seconds} |
`);
for (const loss of report.losses.slice(0, 50)) process.stdout.write(`LOSS ${loss}\n`);
if (report.losses.length === 0) await rm(folder, { recursive: true });
else process.stdout.write(`The data folder is kept: ${folder}\n`);
process.exitCode = report.losses.length === 0 ? 0 : 1;
