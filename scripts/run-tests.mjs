// Runs compiled tests with the runner of Node.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './setup.mjs';

const namesOfFailures = join(root, 'scripts', 'failed-tests.mjs');
const propertySeed = pathToFileURL(join(root, 'scripts', 'property-seed.mjs')).href;

/**
 * Runs test files with these options of `node --test`, on this Node unless another is given. Names the tests that failed once more at the end: their reports
 * may be thousands of lines above. `notes` are printed before them. Gives a promise of the exit code.
 */
export async function runTests({
  options,
  files,
  notes = [],
  environment = process.env,
  node = process.execPath,
}) {
  const folder = mkdtempSync(join(tmpdir(), 'basedrive-tests-'));
  const failures = join(folder, 'failures');
  try {
    const reporters = [
      [process.stdout.isTTY ? 'spec' : 'tap', 'stdout'],
      [namesOfFailures, failures],
    ].flatMap(([name, to]) => [`--test-reporter=${name}`, `--test-reporter-destination=${to}`]);
    const tests = spawn(node, ['--test', `--import=${propertySeed}`, ...reporters, ...options, ...files], {
      cwd: root,
      stdio: 'inherit',
      env: environment,
    });
    const [status] = await once(tests, 'exit');
    for (const note of notes) console.error(note);
    process.stderr.write(readFileSync(failures, 'utf8'));
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
