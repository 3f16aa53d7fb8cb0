import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../support/run-cli.js';

// The recipes of docs/testing.md, as they stand there. The others were run by hand.

const root = fileURLToPath(new URL('../../../../../../', import.meta.url));
const main = join(root, 'packages/server/dist/src/main.js');
const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;
if (!hasPytest && process.env.BASEDRIVE_REQUIRE_PROGRAMS === '1')
  throw new Error('pytest must be installed (BASEDRIVE_REQUIRE_PROGRAMS)');

/** Writes the blocks of a recipe into a folder, each under the name in its first line. */
async function recipe(context: TestContext, heading: string): Promise<string> {
  const folder = await temporaryFolder(context);
  const page = await readFile(join(root, 'docs/testing.md'), 'utf8');
  const [, section = ''] =
    new RegExp(`^### ${heading}\n(.*?)(?=^###? |$(?![\\s\\S]))`, 'ms').exec(page) ?? [];
  const blocks = [...section.matchAll(/^```\w+\n(?:\/\/|#) (\S+)\n(.*?)^```/gms)];
  assert.ok(blocks.length > 0, heading);
  for (const [, name = '', code = ''] of blocks) await writeFile(join(folder, name), code);
  return folder;
}

function succeeds(command: string, words: readonly string[], cwd: string, passed: RegExp): void {
  // The runner of this test tells its children that they are part of it; the server warns of variables of the tests.
  const isForTests = (name: string) => name === 'NODE_TEST_CONTEXT' || name.startsWith('BASEDRIVE_');
  const environment = Object.entries(process.env).filter(([name]) => !isForTests(name));
  const env = { ...Object.fromEntries(environment), PATH: `${cwd}:${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync(command, words, { cwd, env, encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`);
  assert.match(stdout, passed);
}

test('the recipe for node:test', async (context) => {
  const folder = await recipe(context, 'node:test');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  succeeds(process.execPath, ['--test'], folder, /^. pass 2$/m);
});

test('the recipe for pytest', { skip: hasPytest ? false : 'pytest is not installed' }, async (context) => {
  const folder = await recipe(context, 'pytest');
  const program = join(folder, 'basedrive');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  await chmod(program, 0o755);
  succeeds('python3', ['-m', 'pytest', '-p', 'no:cacheprovider'], folder, /\b2 passed\b/);
});
