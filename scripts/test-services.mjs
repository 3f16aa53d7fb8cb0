// `npm run test:postgres`, `npm run test:s3`, `npm run test:moving`: the tests that need a real one of it, or both. They fail where there is none.
import { spawnSync } from 'node:child_process';
import { root, setUp } from './setup.mjs';
import { removeStaleOutput, serviceTestFiles } from './test-files.mjs';

const fileTimeoutMs = 180_000;

setUp();
removeStaleOutput();
const parts = process.argv.slice(2);
// To make one takes Ceph a quarter of a minute: the files share it, but for those that kill it.
const store = parts.includes('s3') ? await startStore() : undefined;
let status;
try {
  ({ status } = spawnSync(
    process.execPath,
    ['--test', '--test-concurrency=1', `--test-timeout=${fileTimeoutMs}`, ...serviceTestFiles(parts)],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ...store?.variables } },
  ));
} finally {
  await store?.stop();
}
process.exit(status ?? 1);

async function startStore() {
  const { startS3 } = await import('../acceptance/dist/src/services/s3.js');
  const part = await startS3();
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = part.environment();
  const variables = {
    BASEDRIVE_TEST_S3_ENDPOINT: part.endpoint,
    BASEDRIVE_TEST_S3_ACCESS_KEY: AWS_ACCESS_KEY_ID,
    BASEDRIVE_TEST_S3_SECRET_KEY: AWS_SECRET_ACCESS_KEY,
  };
  return { variables, stop: part.stop };
}
