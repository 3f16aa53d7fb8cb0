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
  const run = `import { runTests } from '${runTests}';
    process.exitCode = await runTests({ options: [], files: [${JSON.stringify(file)}], notes: ['A note'] });`;
  const tests = spawn(process.execPath, ['--input-type=module', '--eval', run], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [err, [code]] = await Promise.all([text(tests.stderr), once(tests, 'exit')]);
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
