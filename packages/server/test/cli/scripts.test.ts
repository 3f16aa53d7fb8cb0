import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/run-cli.js';

const script = fileURLToPath(new URL('../../../../../scripts/start.mjs', import.meta.url));

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
