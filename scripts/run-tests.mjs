// Runs compiled tests with the runner of Node.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './setup.mjs';
import { grouped } from './test-groups.mjs';

const failedTests = join(root, 'scripts', 'failed-tests.mjs');
const propertySeed = pathToFileURL(join(root, 'scripts', 'property-seed.mjs')).href;
/** A test file that hangs fails after this time, and the others continue. A busy machine takes half of it for some. */
const fileTimeoutMs = 480_000;
/** Runs the black-box tests through the client library: what fails there is told with the file of the black-box test. */
const throughClient = join('packages', 'client', 'dist', 'test', 'long', 'acceptance.test.js');
/** More files than these fail for a reason of their own. */
const maxSecondAttempts = 3;

/**
 * Runs test files with these options of `node --test`, on this Node unless another is given. Names the tests that failed
 * once more at the end: their reports may be thousands of lines above. `notes` are printed before them. Gives a promise
 * of the exit code. `inGroups`: many small files share a process, at most `maxFiles`.
 *
 * With BASEDRIVE_SECOND_ATTEMPT=1, as the build server sets it, up to three files that failed run once more, one after
 * the other. The tests that then pass are named: each of them is a fault to be found, of the test or of the service.
 */
export async function runTests({ files, notes = [], ...run }) {
  const { status, failures } = await attempt({ files, ...run });
  for (const note of notes) console.error(note);
  tell('Failed', failures);
  if (status === 0 || process.env.BASEDRIVE_SECOND_ATTEMPT !== '1') return status;
  const again = [...new Set(failures.flatMap((failure) => failure.files))];
  const known = files.map(ofRoot);
  const failed = new Set(failures.map(({ file }) => file));
  if (failed.size === 0 || failed.size > maxSecondAttempts) return status;
  if (!again.every((file) => known.includes(file))) return status;
  if (again.some((file) => file.startsWith('acceptance')) && known.includes(throughClient))
    again.push(throughClient);
  console.error(`Second attempt: ${again.join(', ')}`);
  const second = await attempt({
    files: again,
    ...run,
    inGroups: false,
    options: [...run.options, '--test-concurrency=1'],
  });
  if (second.status === 0) tell('Passed only at the second attempt', failures);
  else tell('Failed at the second attempt, too', second.failures);
  return second.status;
}

function ofRoot(path) {
  return relative(root, resolve(root, path));
}

async function attempt({
  options,
  files,
  inGroups,
  maxFiles,
  environment = process.env,
  node = process.execPath,
}) {
  const folder = mkdtempSync(join(tmpdir(), 'basedrive-tests-'));
  const reported = join(folder, 'failures');
  try {
    const reporters = [
      [process.stdout.isTTY ? 'spec' : 'tap', 'stdout'],
      [failedTests, reported],
    ].flatMap(([name, to]) => [`--test-reporter=${name}`, `--test-reporter-destination=${to}`]);
    const common = ['--test', `--test-timeout=${fileTimeoutMs}`, `--import=${propertySeed}`];
    const toRun = inGroups ? grouped(files, folder, maxFiles) : new Map(files.map((file) => [file, [file]]));
    const tests = spawn(node, [...common, ...reporters, ...options, ...toRun.keys()], {
      cwd: root,
      stdio: 'inherit',
      env: environment,
    });
    const [status] = await once(tests, 'exit');
    const lines = readFileSync(reported, 'utf8').split('\n').slice(0, -1);
    // A group that was ended by its time may hold files that did not run.
    const groups = new Map([...toRun].map(([path, group]) => [ofRoot(path), group.map(ofRoot)]));
    const failures = lines
      .map((line) => JSON.parse(line))
      .map((failure) => ({ ...failure, files: groups.get(failure.file) ?? [failure.file] }));
    return { status: status ?? 1, failures };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A log may be kept only from its end, so a failure says there what is needed to find it again: seed and counterexample. */
function tell(what, failures) {
  for (const { name, file, message } of failures)
    console.error(`${what}: ${name} (${file}): ${message.replaceAll('\n', '\n    ')}`);
}
