// `npm run test:postgres`, `npm run test:s3`, `npm run test:moving`: the tests that need a real one of it, or both. They fail where there is none.
import { spawnSync } from 'node:child_process';
import { root, setUp } from './setup.mjs';
import { partTestFiles, removeStaleOutput } from './test-files.mjs';

const fileTimeoutMs = 180_000;

setUp();
removeStaleOutput();
const parts = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  ['--test', '--test-concurrency=1', `--test-timeout=${fileTimeoutMs}`, ...partTestFiles(parts)],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);
