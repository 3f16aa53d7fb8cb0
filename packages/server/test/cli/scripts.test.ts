import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/run-cli.js';

const script = fileURLToPath(new URL('../../../../../scripts/start.mjs', import.meta.url));
const runTests = new URL('../../../../../scripts/run-tests.mjs', import.meta.url);

function npmStart(options: readonly string[], cwd: string) {
  const env = { PATH: process.env.PATH };
  return spawn(process.execPath, [script, ...options], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs test files as the scripts do. Gives the exit code and what is said at the end. */
async function runFiles(files: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const run = `import { runTests } from '${runTests}';
    process.exitCode = await runTests({ options: [], files: ${JSON.stringify(files)}, notes: ['A note'] });`;
  const tests = spawn(process.execPath, ['--input-type=module', '--eval', run], {
    env: { PATH: process.env.PATH, ...variables },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [err, [code]] = await Promise.all([text(tests.stderr), once(tests, 'exit')]);
  return { err, code };
}

test('npm start has the options, the output and the exit code of the service', async (context) => {
  const folder = await temporaryFolder(context);
  const version = npmStart(['--version'], folder);
  const [out, err, [code]] = await Promise.all([
    text(version.stdout),
    text(version.stderr),
    once(version, 'exit'),
  ]);
  assert.deepEqual({ code, err }, { code: 0, err: '' }, 'says nothing when nothing is to do');
  assert.match(out, /^\d+\.\d+\.\d+\n$/);
  const wrong = npmStart(['--port', 'x'], folder);
  assert.deepEqual(await once(wrong, 'exit'), [2, null]);
});

test('npm start passes options on, and a signal reaches the server', async (context) => {
  const folder = await temporaryFolder(context);
  const server = npmStart(['--port', '0', '--data', './elsewhere', '--key', 'demo_s3cret'], folder);
  context.after(() => server.kill('SIGKILL'));
  let err = '';
  server.stderr.setEncoding('utf8');
  for await (const chunk of server.stderr) {
    err += chunk;
    if (err.includes('Data is stored in')) break;
  }
  assert.ok(existsSync(join(folder, 'elsewhere', 'FORMAT')));
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});

test('a run of tests ends with what each failed test said: of a property the seed and the counterexample', async (context) => {
  const folder = await temporaryFolder(context);
  const file = join(folder, 'failing.test.mjs');
  await writeFile(
    file,
    `import assert from 'node:assert/strict';
    import { test } from 'node:test';
    import fc from ${JSON.stringify(import.meta.resolve('fast-check'))};
    test('of a property', () => {
      fc.assert(fc.property(fc.nat(), (number) => assert.ok(number < 7, number + ' is too large')), { seed: 23 });
    });
    test('of long values', () => assert.equal('long'.repeat(10_000), 'short'));
    test('of a text', () => {
      throw 'thrown';
    });
    test('passes', () => {});
    `,
  );
  const { err, code } = await runFiles([file]);
  assert.equal(code, 1);
  const [note, ...failed] = err.split(/^(?:Failed: )?(?=of a property|of long|of a text)/m);
  assert.equal(note, 'A note\n');
  const [property = '', long = '', thrown = ''] = failed;
  assert.match(property, /^of a property \(.*failing\.test\.mjs\): Property failed after \d+ tests\n/);
  assert.match(property, /\{ seed: 23, path: "[\d:]+", endOnFailure: true \}\n {4}Counterexample: \[7\]\n/);
  assert.match(property, /\n {4}Because: 7 is too large\n$/);
  assert.match(long, /^of long values \(.*longlong.*… \(\d+ characters\) ….*longlong.*'short'\n$/s);
  assert.ok(long.length < 2300, `${long.length}`);
  assert.match(thrown, /^of a text \(.*\): thrown\n$/);
});

test('where second attempts are switched on, a test that then passes is named, and one that fails again fails', async (context) => {
  const folder = await temporaryFolder(context);
  /** A test file whose test passes from its nth run on. */
  async function passesFrom(name: string, n: number): Promise<string> {
    const file = join(folder, `${name}.test.mjs`);
    const runs = JSON.stringify(join(folder, `${name}.runs`));
    await writeFile(
      file,
      `import assert from 'node:assert/strict';
      import { appendFileSync, readFileSync } from 'node:fs';
      import { test } from 'node:test';
      test('the test of ${name}', () => {
        appendFileSync(${runs}, '.');
        assert.ok(readFileSync(${runs}).length >= ${n}, 'too early');
      });`,
    );
    return file;
  }
  const switchedOn = { BASEDRIVE_SECOND_ATTEMPT: '1' };
  const once = await runFiles([await passesFrom('steady', 1), await passesFrom('unsteady', 2)], switchedOn);
  assert.equal(once.code, 0);
  assert.match(once.err, /^Passed only at the second attempt: the test of unsteady \(.*\): too early$/m);
  assert.doesNotMatch(once.err, /the test of steady/);

  const twice = await runFiles([await passesFrom('broken', 3)], switchedOn);
  assert.equal(twice.code, 1);
  assert.match(twice.err, /^Failed at the second attempt, too: the test of broken/m);

  assert.equal((await runFiles([await passesFrom('other', 2)])).code, 1, 'elsewhere there is one attempt');

  const many = await Promise.all(['a', 'b', 'c', 'd'].map((name) => passesFrom(name, 2)));
  assert.equal((await runFiles(many, switchedOn)).code, 1, 'that many fail for a reason of their own');
});

test('a word of npm test is a part of the path of a test, also as an editor gives it', async () => {
  const testFiles = new URL('../../../../../scripts/test-files.mjs', import.meta.url);
  const { matching } = (await import(testFiles.href)) as {
    matching: (files: readonly string[], words: readonly string[]) => object;
  };
  const keys = 'acceptance/dist/test/keys.test.js';
  const tls = 'packages/server/dist/test/server/tls.test.js';
  const root = fileURLToPath(new URL('../../../../../', import.meta.url));
  const find = (...words: string[]) => matching([keys, tls], words);
  for (const word of [
    'keys',
    keys,
    'acceptance/test/keys',
    'acceptance/test/keys.test.ts',
    './acceptance/test/keys.test.ts',
    join(root, 'acceptance/test/keys.test.ts'),
  ])
    assert.deepEqual(find(word), { files: [keys], unmatched: [] }, word);
  assert.deepEqual(find('server/test/server', 'keys'), { files: [keys, tls], unmatched: [] });
  assert.deepEqual(find('keys', 'acceptance/test/tls.test.ts'), {
    files: [keys],
    unmatched: ['acceptance/test/tls.test.ts'],
  });
});
