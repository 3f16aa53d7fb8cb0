import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { embeddedGround } from './embedded.js';
import { runKills } from './run.js';
import { tableOf } from './tally.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '14' },
    minutes: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    servers: { type: 'string', default: '3' },
  },
});
const kills = Number(values.kills);
const seed = Number(values.seed);
const key = 'kills_0123456789';
const folder = await mkdtemp(join(tmpdir(), 'basedrive-kills-'));
const tally = await runKills({
  ground: embeddedGround(join(folder, 'data'), key),
  key,
  servers: 1,
  kills,
  seed,
  progress: (sofar, part) =>
    process.stdout.write(
      `${sofar.sum('kills')}/${kills} ${part}, ${sofar.sum('acknowledged')} acknowledged, ${sofar.findings.length} findings\n`,
    ),
});
process.stdout.write(`\n${kills} kills, seed ${seed}, ${cpus().length} cores\n${tableOf(tally)}`);
for (const finding of tally.findings.slice(0, 50)) process.stdout.write(`${finding}\n`);
if (tally.findings.length === 0) await rm(folder, { recursive: true });
else process.stdout.write(`The folder is kept: ${folder}\n`);
process.exitCode = tally.findings.length === 0 ? 0 : 1;
