import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { run, temporaryFolder } from '../support/run-cli.js';

const packaging = fileURLToPath(new URL('../../../../../packaging/', import.meta.url));
const units = ['basedrive.service', 'basedrive-backup.service', 'basedrive-backup.timer'];
const runFile = promisify(execFile);
const reason =
  spawnSync('systemd-analyze', ['--version']).status === 0 ? false : 'systemd-analyze is not installed';
if (reason !== false && process.env.BASEDRIVE_REQUIRE_PROGRAMS === '1') throw new Error(reason);
/** Of 100. A service without any of the unit's restrictions has 96. */
const mostExposure = 20;

test('systemd accepts the units and finds that of the server well confined', {
  skip: reason,
}, async (context) => {
  const folder = await temporaryFolder(context);
  for (const name of units) {
    // systemd refuses a program that is not there.
    const text = await readFile(join(packaging, name), 'utf8');
    const start = text.replace('ExecStart=basedrive ', `ExecStart=${process.execPath} `);
    assert.equal(start === text, !name.endsWith('.service'));
    await writeFile(join(folder, name), start);
  }
  const copies = units.map((name) => join(folder, name));
  const { stdout, stderr } = await runFile('systemd-analyze', ['verify', ...copies]);
  assert.equal(stdout + stderr, '');
  const options = ['--offline=true', `--threshold=${mostExposure}`];
  await runFile('systemd-analyze', ['security', ...options, join(folder, 'basedrive.service')]);
});

test('every command and variable of the units is one that the program knows', async () => {
  const text = (await Promise.all(units.map((name) => readFile(join(packaging, name), 'utf8')))).join('\n');
  const { out: help } = await run(['--help']);
  const commands = [...text.matchAll(/\bbasedrive (serve|check|backup)\b/g)].map(
    ([, command = '']) => command,
  );
  assert.deepEqual(new Set(commands), new Set(['serve', 'check', 'backup']));
  const [, words = ''] = /^ExecStart=basedrive backup (.*)$/m.exec(text) ?? [];
  const { out: backupHelp } = await run(['backup', '--help']);
  for (const [option] of words.matchAll(/--\w+/g)) assert.ok(backupHelp.includes(option), option);
  for (const command of commands) assert.ok(help.includes(command));
  for (const [variable] of text.matchAll(/BASEDRIVE_[A-Z]+/g)) assert.ok(help.includes(variable), variable);
});
