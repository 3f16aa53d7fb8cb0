import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { main, startServer } from '../support/run-cli.js';
import { filledFolder } from '../support/served-copy.js';

async function endOf(options: readonly string[], out: number | 'pipe') {
  const child = spawn(process.execPath, [main, ...options], { env: {}, stdio: ['ignore', out, 'pipe'] });
  // Closes the reader long before the command prints.
  child.stdout?.destroy();
  const [err, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  return { code, err };
}

test('a command whose reader has enough ends without a word', async (context) => {
  const folder = await filledFolder(context);
  assert.deepEqual(await endOf(['keys', 'list', '--data', folder], 'pipe'), { code: 0, err: '' });
});

test('watch ends when its reader has enough, although it has not', async (context) => {
  const { url } = await startServer(context, ['--memory', '--key', 'demo_s3cret']);
  const headers = { 'X-API-Key': 'demo_s3cret', 'Content-Type': 'application/json' };
  const body = '{"items":[{"key":"a"},{"key":"b"}]}';
  await fetch(`${url}/v1/demo/users/items`, { method: 'PUT', headers, body });
  const words = ['watch', '--url', url, '--key', 'demo_s3cret', '--since', '0'];
  assert.deepEqual(await endOf(words, 'pipe'), { code: 0, err: '' });
});

test('a command whose output cannot be written says so in one line', {
  skip: process.platform === 'linux' ? false : 'only Linux has /dev/full',
}, async () => {
  const full = openSync('/dev/full', 'w');
  const { code, err } = await endOf(['--version'], full);
  closeSync(full);
  assert.equal(code, 2);
  assert.match(err, /^basedrive: Standard output takes no more: ENOSPC.*\n$/);
});
