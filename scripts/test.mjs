// `npm test`: sets up what is missing, then runs the compiled tests of every package.
// `npm test -- keys tls` runs the files whose path has one of the words.
import { spawnSync } from 'node:child_process';
import { leftOut } from './not-run.mjs';
import { root, setUp } from './setup.mjs';
import { removeStaleOutput, testFiles } from './test-files.mjs';

/** The tests start servers and wait for them and for the disk: three at a time keep a small machine's two cores busy. */
const concurrency = 3;
/** A test that hangs fails, and the others go on. */
const fileTimeoutMs = 120_000;

setUp();
removeStaleOutput();
const words = process.argv.slice(2);
const files = testFiles().filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
if (files.length === 0) {
  console.error(`No test's path has ${words.map((word) => `"${word}"`).join(' or ')} in it`);
  process.exit(1);
}
const { status } = spawnSync(
  process.execPath,
  ['--test', `--test-concurrency=${concurrency}`, `--test-timeout=${fileTimeoutMs}`, ...files],
  { cwd: root, stdio: 'inherit' },
);
for (const line of leftOut()) console.error(line);
process.exit(status ?? 1);
