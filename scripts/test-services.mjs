// `npm run test:postgres`, `npm run test:s3`, `npm run test:moving`: the tests that need a real PostgreSQL, a real S3
// store, or both. They fail if these are not installed.
import { runTests } from './run-tests.mjs';
import { setUp } from './setup.mjs';
import { removeStaleOutput, serviceTestFiles } from './test-files.mjs';

const fileTimeoutMs = 180_000;

setUp();
removeStaleOutput();
const services = process.argv.slice(2);
// Ceph needs 17 s for its first start, so the test files share one store. Those that kill it start their own.
const store = services.includes('s3') ? await startStore() : undefined;
let status;
try {
  status = runTests({
    options: ['--test-concurrency=1', `--test-timeout=${fileTimeoutMs}`],
    files: serviceTestFiles(services),
    environment: { ...process.env, ...store?.variables },
  });
} finally {
  await store?.stop();
}
process.exit(status);

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
