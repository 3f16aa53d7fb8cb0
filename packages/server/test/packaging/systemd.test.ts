import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { run, temporaryFolder } from '../support/run-cli.js';

const unit = fileURLToPath(new URL('../../../../../packaging/basedrive.service', import.meta.url));
const runFile = promisify(execFile);
const reason =
  spawnSync('systemd-analyze', ['--version']).status === 0 ? false : 'systemd-analyze is not installed';
if (reason !== false && process.env.BASEDRIVE_REQUIRE_PROGRAMS === '1') throw new Error(reason);
/** Of 100. A service without any of the unit's restrictions has 96. */
const mostExposure = 20;

test('systemd accepts the unit and finds it well confined', { skip: reason }, async (context) => {
  const folder = await temporaryFolder(context);
  const copy = join(folder, 'basedrive.service');
  // systemd refuses a program that is not there.
  const text = await readFile(unit, 'utf8');
  await writeFile(copy, text.replace('/usr/local/bin/basedrive', process.execPath));
  const { stdout, stderr } = await runFile('systemd-analyze', ['verify', copy]);
  assert.equal(stdout + stderr, '');
  await runFile('systemd-analyze', ['security', '--offline=true', `--threshold=${mostExposure}`, copy]);
});

test('every command and variable of the unit is one that the program knows', async () => {
  const text = await readFile(unit, 'utf8');
  const { out: help } = await run(['--help']);
  const commands = [...text.matchAll(/\bbasedrive (serve|check)\b/g)].map(([, command = '']) => command);
  assert.deepEqual(new Set(commands), new Set(['serve', 'check']));
  for (const command of commands) assert.ok(help.includes(command));
  for (const [variable] of text.matchAll(/BASEDRIVE_[A-Z]+/g)) assert.ok(help.includes(variable), variable);
});
