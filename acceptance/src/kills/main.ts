import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type BytesGround, openS3Bytes, openSharedGround, sharedFolder } from './deployments.js';
import { embeddedGround } from './embedded.js';
import { type Ground, runKills } from './run.js';
import { tableOf } from './tally.js';

/**
 * `npm run test:kills -- --kills 14 --seed 7`; `--minutes 15` ends it by the clock instead. Over PostgreSQL and S3;
 * `--bytes folder` takes a shared folder instead of S3, `--rows embedded` one server with LevelDB.
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    servers: { type: 'string', default: '3' },
    bytes: { type: 'string', default: 's3' },
    rows: { type: 'string', default: 'postgres' },
  },
});
const seed = Number(values.seed);
const endAfterMs = values.minutes === undefined ? Number.POSITIVE_INFINITY : Number(values.minutes) * 60_000;
const kills = Number(values.kills ?? (values.minutes === undefined ? 14 : Number.POSITIVE_INFINITY));
const key = 'kills_0123456789';
const folder = await mkdtemp(join(tmpdir(), 'basedrive-kills-'));

async function openGround(): Promise<Ground & { stop?(): Promise<void> }> {
  if (values.rows === 'embedded') return embeddedGround(join(folder, 'data'), key);
  return await openSharedGround(folder, key, await openBytes());
}

async function openBytes(): Promise<BytesGround> {
  if (values.bytes === 's3') return await openS3Bytes();
  const blobs = join(folder, 'blobs');
  await mkdir(blobs);
  return sharedFolder(blobs);
}

const ground = await openGround();
const startedMs = performance.now();
// Ends between two kills: nothing of what was started is left behind.
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isInterrupted = true;
  });
}
const tally = await runKills({
  ground,
  key,
  servers: values.rows === 'embedded' ? 1 : Number(values.servers),
  kills,
  isEnough: () => isInterrupted || performance.now() - startedMs > endAfterMs,
  seed,
  progress: (sofar, part) => {
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    const counts = `${sofar.sum('acknowledged')} acknowledged, ${sofar.findings.length} findings`;
    process.stdout.write(`${seconds} s, ${sofar.sum('kills')} kills (${part}), ${counts}\n`);
  },
}).finally(() => ground.stop?.());

const seconds = Math.round((performance.now() - startedMs) / 1000);
process.stdout.write(`\nSeed ${seed}, ${seconds} s, ${cpus().length} cores\n\n${tableOf(tally)}`);
for (const finding of tally.findings.slice(0, 50)) process.stdout.write(`${finding}\n`);
if (tally.findings.length === 0) await rm(folder, { recursive: true });
else process.stdout.write(`The folder is kept: ${folder}\n`);
// At once: of connections that were reset, Node may wait for one for ever.
process.exit(tally.findings.length === 0 ? 0 : 1);
