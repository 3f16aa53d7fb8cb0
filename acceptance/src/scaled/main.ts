import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand } from '../server-process.js';
import { startPostgres } from '../services/postgres.js';
import { startS3 } from '../services/s3.js';
import { type Pairing, runSuite, type SuiteRun } from './run-suite.js';

/** `npm run test:scaled` runs the black-box suite on each pairing of stores; `-- --only folder` on those whose name has the word. */
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const folder = await mkdtemp(join(tmpdir(), 'basedrive-scaled-'));
const postgres = await startPostgres();
const s3 = await startS3().catch(async (cause) => {
  await postgres.stop();
  throw cause;
});

async function freshBlobs(): Promise<readonly string[]> {
  return ['--blobs', `s3://${await s3.createBucket()}/bytes`];
}

async function freshRows(name: string): Promise<readonly string[]> {
  const url = await postgres.createDatabase(name);
  await runCommand(['migrate', '--items', url]);
  return ['--items', url];
}

const runs: [Pairing, SuiteRun][] = [];
try {
  const pairings: Pairing[] = [
    {
      name: 'PostgreSQL and S3, two servers',
      flags: [...(await freshRows('with_s3')), ...(await freshBlobs())],
      environment: s3.environment(),
      servers: 2,
    },
    {
      name: 'PostgreSQL and a shared folder, two servers',
      flags: [...(await freshRows('with_folder')), '--blobs', join(folder, 'blobs')],
      environment: {},
      servers: 2,
      onlyFiles: true,
    },
    {
      name: 'LevelDB and S3, one server',
      flags: await freshBlobs(),
      environment: s3.environment(),
      servers: 1,
      // `npm test` runs the others on LevelDB.
      onlyFiles: true,
    },
  ];
  for (const pairing of pairings.filter(({ name }) => name.includes(values.only))) {
    runs.push([pairing, await runSuite(pairing)]);
  }
} finally {
  await Promise.all([postgres.stop(), s3.stop()]);
  await rm(folder, { recursive: true, force: true });
}

process.stdout.write('\n');
for (const [{ name }, { passed, seconds, faults }] of runs) {
  process.stdout.write(`${passed ? 'passed' : 'FAILED'}  ${name}, ${seconds} s\n`);
  for (const fault of faults) process.stdout.write(`        ${fault}\n`);
}
process.exitCode = runs.length > 0 && runs.every(([, { passed }]) => passed) ? 0 : 1;
