// `npm run test:postgres`, `npm run test:s3`, `npm run test:moving`: the tests that need a real PostgreSQL, a real S3
// store, or both. `npm run test:pooled`: some of PostgreSQL through a PgBouncer. They fail if these are not installed.
import { sep } from 'node:path';
import { runTests } from './run-tests.mjs';
import { setUp } from './setup.mjs';
import { removeStaleOutput, serviceTestFiles } from './test-files.mjs';

/**
 * What runs through a PgBouncer in transaction mode: the contract, and what happens under load. One that keeps prepared
 * statements hides more of itself, so what is about servers and indexes runs through the other kind alone.
 */
const pooledFiles = {
  prepared: ['store', 'transactions', 'isolation', 'outages'],
  unprepared: ['store', 'transactions', 'isolation', 'outages', 'indexes', 'servers'],
};

setUp();
removeStaleOutput();
const services = process.argv.slice(2);
// Ceph needs 17 s for its first start, so the test files share one store. Those that kill it start their own.
const store = services.some((service) => ['s3', 'moving'].includes(service)) ? await startStore() : undefined;
let status;
try {
  status = services.includes('pooled')
    ? await runPooled()
    : await run(serviceTestFiles(services), { ...process.env, ...store?.variables }, store ? 1 : 2);
} finally {
  await store?.stop();
}
process.exit(status);

/** Runs this number of test files at a time: two mostly wait, if each has a PostgreSQL of its own. */
function run(files, environment, atOnce) {
  return runTests({ options: [`--test-concurrency=${atOnce}`], files, environment });
}

/** Runs `pooledFiles` through a PgBouncer of each kind. Gives the exit code. */
async function runPooled() {
  const { findPgBouncers, preparesFrom } = await import('../acceptance/dist/src/services/pgbouncer.js');
  const [newest] = await findPgBouncers();
  const kinds = { prepared: newest?.minor >= preparesFrom, unprepared: newest !== undefined };
  let failed = 0;
  for (const [kind, isInstalled] of Object.entries(kinds)) {
    if (isInstalled) {
      console.log(`# through a PgBouncer with ${kind} statements`);
      failed ||= await run(
        serviceTestFiles(['postgres']).filter((file) => isPooled(file, kind)),
        {
          ...process.env,
          BASEDRIVE_TEST_POOLER: kind,
        },
        2,
      );
    } else {
      console.error(
        `Not run: PostgreSQL behind a PgBouncer with ${kind} statements (install one, or name it in BASEDRIVE_TEST_PGBOUNCER)`,
      );
      if (process.env.BASEDRIVE_REQUIRE_PROGRAMS === '1') failed ||= 1;
    }
  }
  return failed;
}

function isPooled(file, kind) {
  return pooledFiles[kind].some((name) => file.endsWith(`${sep}${name}.test.js`));
}

async function startStore() {
  const { startS3 } = await import('../acceptance/dist/src/services/s3.js');
  const s3 = await startS3();
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = s3.environment();
  const variables = {
    BASEDRIVE_TEST_S3_ENDPOINT: s3.endpoint,
    BASEDRIVE_TEST_S3_ACCESS_KEY: AWS_ACCESS_KEY_ID,
    BASEDRIVE_TEST_S3_SECRET_KEY: AWS_SECRET_ACCESS_KEY,
  };
  return { variables, stop: s3.stop };
}
