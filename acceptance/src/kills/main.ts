import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type BlobDeployment,
  type Deployment,
  embeddedDeployment,
  postgresDeployment,
  s3Blobs,
  sharedFolder,
} from './deployments.js';
import { runKills } from './run.js';
import { tableOf } from './tally.js';

/**
 * `npm run test:kills -- --kills 14 --seed 7` kills this often; `--minutes 15` ends it after this time instead. Rows
 * are in PostgreSQL and blobs in S3; `--bytes folder` takes a shared folder instead of S3, and `--rows embedded` one
 * server with LevelDB.
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

async function openDeployment(): Promise<Deployment> {
  if (values.rows === 'embedded') return embeddedDeployment(join(folder, 'data'), key);
  return await postgresDeployment(folder, key, await openBlobs());
}

async function openBlobs(): Promise<BlobDeployment> {
  if (values.bytes === 's3') return await s3Blobs();
  const blobs = join(folder, 'blobs');
  await mkdir(blobs);
  return sharedFolder(blobs);
}

const deployment = await openDeployment();
const startedMs = performance.now();
// An interrupted run ends after the current kill, so that every process that it has started is stopped.
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isInterrupted = true;
  });
}
const tally = await runKills({
  deployment,
  key,
  servers: values.rows === 'embedded' ? 1 : Number(values.servers),
  kills,
  isEnough: () => isInterrupted || performance.now() - startedMs > endAfterMs,
  seed,
  progress: (soFar, component) => {
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    const counts = `${soFar.sum('acknowledged')} acknowledged, ${soFar.findings.length} findings`;
    process.stdout.write(`${seconds} s, ${soFar.sum('kills')} kills (${component}), ${counts}\n`);
  },
}).finally(() => deployment.stop());

const seconds = Math.round((performance.now() - startedMs) / 1000);
process.stdout.write(`\nSeed ${seed}, ${seconds} s, ${cpus().length} cores\n\n${tableOf(tally)}`);
for (const finding of tally.findings.slice(0, 50)) process.stdout.write(`${finding}\n`);
if (tally.findings.length === 0) await rm(folder, { recursive: true });
else process.stdout.write(`The folder is kept: ${folder}\n`);
// Exit at once: Node may wait forever for a connection that was reset.
process.exit(tally.findings.length === 0 ? 0 : 1);
