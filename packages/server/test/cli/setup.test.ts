import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/run-cli.js';

const scripts = fileURLToPath(new URL('../../../../../scripts', import.meta.url));
const lock = { packages: { '': {}, 'node_modules/wanted': { version: '1.0.0', integrity: 'sha512-x' } } };

/** Installs one package and a compiler that only notes how it was called. KILL=1 kills it and its parent halfway. */
const npm = `
const { appendFileSync, mkdirSync, writeFileSync, existsSync } = require('node:fs');
appendFileSync('calls', 'npm\\n');
const write = (path, text) => {
  mkdirSync(require('node:path').dirname(path), { recursive: true });
  writeFileSync(path, text);
};
write('node_modules/wanted/package.json', '{}');
if (process.env.KILL === 'npm') {
  process.kill(process.ppid, 'SIGKILL');
  process.kill(process.pid, 'SIGKILL');
}
// As npm does: a package that is there counts as whole.
if (!existsSync('node_modules/wanted/index.js')) write('node_modules/wanted/index.js', '');
write('node_modules/typescript/bin/tsc', \`
require('node:fs').appendFileSync('calls', 'tsc ' + process.argv.slice(2).join(' ') + '\\\\n');
if (process.env.KILL === 'tsc') process.kill(process.ppid, 'SIGKILL');
\`);
write('node_modules/.package-lock.json', ${JSON.stringify(JSON.stringify(lock))});
`;

/** A repository with the real setup scripts, and an npm of its own. */
async function repository(context: TestContext) {
  const folder = await temporaryFolder(context);
  await mkdir(join(folder, 'scripts'));
  for (const name of ['setup.mjs', 'interruption.mjs']) {
    await cp(join(scripts, name), join(folder, 'scripts', name));
  }
  await writeFile(join(folder, 'package.json'), '{"engines":{"node":">=20.19"}}');
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
  await writeFile(join(folder, 'npm.js'), npm);
  await writeFile(
    join(folder, 'run.mjs'),
    "import { setUpServer } from './scripts/setup.mjs'; setUpServer(['all']);",
  );

  /** Sets up, and gives what was called for it. */
  async function setUp(kill = ''): Promise<{ code: number | null; calls: string[]; err: string }> {
    await rm(join(folder, 'calls'), { force: true });
    const env = { PATH: process.env.PATH, npm_execpath: join(folder, 'npm.js'), KILL: kill };
    const child = spawn(process.execPath, ['run.mjs'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    const calls = await readFile(join(folder, 'calls'), 'utf8').catch(() => '');
    return { code, calls: calls.split('\n').filter((line) => line !== ''), err };
  }
  return { setUp, path: (name: string) => join(folder, name) };
}

test('setting up installs and compiles once, then compiles what changed and prints nothing', async (context) => {
  const { setUp } = await repository(context);
  assert.deepEqual((await setUp()).calls, ['npm', 'tsc -b all']);
  assert.deepEqual(await setUp(), { code: 0, calls: ['tsc -b all'], err: '' });
});

test('after an installation that was killed, the packages are removed and installed anew', async (context) => {
  const { setUp, path } = await repository(context);
  await writeFile(path('leftover'), '');
  assert.equal((await setUp('npm')).code, null);
  await writeFile(path('node_modules/wanted/index.js'), 'half');
  const { code, calls, err } = await setUp();
  assert.deepEqual([code, calls], [0, ['npm', 'tsc -b all']]);
  assert.match(err, /interrupted/);
  assert.equal(await readFile(path('node_modules/wanted/index.js'), 'utf8'), '');
});

test('after an update that was killed, the packages are installed anew although npm lists them all', async (context) => {
  const { setUp, path } = await repository(context);
  await setUp();
  await rm(path('node_modules/.package-lock.json'));
  await setUp('npm');
  await writeFile(path('node_modules/.package-lock.json'), JSON.stringify(lock));
  assert.deepEqual((await setUp()).calls, ['npm', 'tsc -b all']);
});

test('a package that is listed but missing is installed again', async (context) => {
  const { setUp, path } = await repository(context);
  await setUp();
  await rm(path('node_modules/wanted'), { recursive: true });
  assert.deepEqual((await setUp()).calls, ['npm', 'tsc -b all']);
  assert.ok(existsSync(path('node_modules/wanted/index.js')));
});

test('after a compilation that was killed, everything is compiled', async (context) => {
  const { setUp } = await repository(context);
  await setUp();
  assert.equal((await setUp('tsc')).code, null);
  assert.deepEqual((await setUp()).calls, ['tsc -b all --force']);
  assert.deepEqual((await setUp()).calls, ['tsc -b all']);
});
