// `npm test`: installs and compiles what is missing, then runs the quick tests of every package.
// `npm test -- --all` runs those that take long, too, and compares all requests and answers with the OpenAPI document.
// `npm test -- keys tls` runs the test files, quick or not, whose path contains one of the words. A word may be the path of
// a test as an editor gives it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { notRun } from './not-run.mjs';
import { runTests } from './run-tests.mjs';
import { setUp } from './setup.mjs';
import { startSharedServer } from './shared-server.mjs';
import { matching, quickTestFiles, removeStaleOutput, testFiles } from './test-files.mjs';

setUp();
removeStaleOutput();
const words = process.argv.slice(2).filter((word) => word !== '--all');
const isAll = words.length > 0 || process.argv.includes('--all');
const all = isAll ? testFiles() : quickTestFiles();
const { files, unmatched } = words.length === 0 ? { files: all, unmatched: [] } : matching(all, words);
if (unmatched.length > 0) {
  const named = unmatched.map((word) => `"${word}"`).join(' or ');
  console.error(`No test file that needs no other service has ${named} in its path`);
  process.exit(1);
}
// Tests wait for servers and for the disk. Three at a time keep two cores busy, and four if no test starts many programs.
const options = [`--test-concurrency=${isAll ? 3 : 4}`];
// After every change, the most expensive properties over random input are tried a fifth as often.
const fewerRuns = isAll ? {} : { BASEDRIVE_TEST_FEWER_RUNS: '1' };
const leftOut = testFiles().length - files.length;
const notes =
  isAll || leftOut === 0
    ? notRun()
    : [
        `Not run: ${leftOut} test files that take long (npm test -- --all), and suites that need more (npm run check)`,
      ];
const useShared = ['acceptance', join('packages', 'client')];
const shared = files.some((file) => useShared.some((folder) => file.startsWith(folder)))
  ? await startSharedServer()
  : undefined;
const recording =
  isAll && words.length === 0 ? mkdtempSync(join(tmpdir(), 'basedrive-recording-')) : undefined;
const record = recording === undefined ? {} : { BASEDRIVE_TEST_RECORD: recording };
const status = await runTests({
  options,
  files,
  notes: words.length > 0 ? [] : notes,
  inGroups: words.length === 0,
  environment: { ...process.env, ...fewerRuns, ...record, ...shared?.variables },
});
const faults = ((await shared?.stop()) ?? []).map((fault) => `The server of the black-box tests: ${fault}`);
if (recording !== undefined) {
  const { faultsOfDescription } = await import('../acceptance/dist/src/openapi/faults.js');
  faults.push(...(await faultsOfDescription(recording)).map((fault) => `The OpenAPI document: ${fault}`));
  rmSync(recording, { recursive: true });
}
for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : status);
