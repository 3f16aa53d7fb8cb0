import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { run, temporaryFolder } from '../support/run-cli.js';

const runFile = promisify(execFile);
const missing = ['bash', 'zsh', 'fish'].filter((shell) => spawnSync(shell, ['--version']).status !== 0);
if (missing.length > 0 && process.env.BASEDRIVE_REQUIRE_PROGRAMS === '1')
  throw new Error(`${missing.join(', ')} must be installed (BASEDRIVE_REQUIRE_PROGRAMS)`);
const without = (shell: string) => (missing.includes(shell) ? `${shell} is not installed` : false);

/** What bash offers when Tab is pressed at the end of this line. */
async function offeredByBash(script: string, line: string): Promise<string[]> {
  const words = line.split(' ');
  const program = `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_basedrive
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await runFile('bash', ['--norc', '-c', program]);
  return stdout.split('\n').filter((word) => word !== '');
}

test('bash completes commands, subcommands, and the options that the help of a command lists', {
  skip: without('bash'),
}, async () => {
  const { out: script } = await run(['completion', 'bash']);
  assert.deepEqual(await offeredByBash(script, 'basedrive ke'), ['keys']);
  assert.deepEqual(await offeredByBash(script, 'basedrive keys '), ['create', 'list', 'revoke']);
  assert.deepEqual(await offeredByBash(script, 'basedrive --por'), ['--port']);
  assert.deepEqual(await offeredByBash(script, 'basedrive check --rep'), ['--repair']);
  assert.deepEqual(await offeredByBash(script, 'basedrive keys create --da'), ['--data']);
  assert.deepEqual(await offeredByBash(script, 'basedrive help ke'), ['keys']);
  // The file that an option wants: the shell completes names of files.
  assert.deepEqual(await offeredByBash(script, 'basedrive check --data so'), []);
  assert.deepEqual(await offeredByBash(script, 'basedrive --data '), []);
  assert.deepEqual(await offeredByBash(script, 'basedrive --memory ser'), ['serve']);
  assert.deepEqual(await offeredByBash(script, 'basedrive check --por'), []);
});

test('zsh and fish read their scripts without an error, and fish offers what fits', {
  skip: without('zsh') || without('fish'),
}, async (context) => {
  const folder = await temporaryFolder(context);
  for (const shell of ['zsh', 'fish']) {
    const { out } = await run(['completion', shell]);
    await writeFile(join(folder, shell), out);
    await runFile(shell, ['-n', join(folder, shell)]);
  }
  await runFile('zsh', [
    '-f',
    '-c',
    `autoload -U compinit && compinit -u -D && source ${join(folder, 'zsh')}`,
  ]);
  const offered = async (line: string) => {
    const { stdout } = await runFile('fish', [
      '--no-config',
      '-c',
      `source ${join(folder, 'fish')}; complete -C '${line}'`,
    ]);
    return stdout
      .split('\n')
      .map((shown) => shown.split('\t')[0])
      .filter((word) => word !== '');
  };
  assert.deepEqual(await offered('basedrive keys '), ['create', 'list', 'revoke']);
  assert.deepEqual(await offered('basedrive che'), ['check']);
  assert.deepEqual(await offered('basedrive check --rep'), ['--repair']);
  const offeredAsValue = await offered('basedrive --data ');
  assert.ok(!offeredAsValue.includes('keys'), offeredAsValue.join(' '));
});

test('its help has the line of each shell that docs/operations.md has', async () => {
  const { out } = await run(['completion', '--help']);
  const page = await readFile(new URL('../../../../../docs/operations.md', import.meta.url), 'utf8');
  const lines = [...page.matchAll(/^\| (bash|zsh|fish) \| `([^`]+)`[^|]*\| `([^`]+)`/gm)];
  assert.equal(lines.length, 3);
  for (const [, shell = '', line = '', file = ''] of lines) {
    const shown = out.split('\n').find((text) => text.startsWith(`  ${shell} `));
    assert.ok(shown?.includes(line.replace('\\|', '|')) && shown.includes(file), `${shell}: ${shown}`);
  }
});

test('a shell that has no script is refused with those that have one', async () => {
  const { code, err } = await run(['completion', 'tcsh']);
  assert.equal(code, 2);
  assert.equal(err, 'basedrive: completion: the shell must be bash, zsh, fish\n');
});
