import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../support/run-cli.js';
import { announcedUrl } from './announced-url.js';
import { root } from './packed-server.js';

const runFile = promisify(execFile);
const platform = `${process.platform}-${process.arch}`;
const supported = ['linux-x64', 'linux-arm64'];

/** A PATH with nothing but what the launcher needs: no Node. */
async function pathWithoutNode(folder: string): Promise<string> {
  const path = join(folder, 'path');
  await mkdir(path);
  for (const program of ['sh', 'dirname', 'readlink']) {
    const { stdout } = await runFile('sh', ['-c', `command -v ${program}`]);
    await symlink(stdout.trim(), join(path, program));
  }
  return path;
}

test('the release archive runs on a machine without Node, also through a link to it', {
  skip: supported.includes(platform) ? false : `there is no release for ${platform}`,
}, async (context) => {
  const folder = await temporaryFolder(context);
  await runFile(process.execPath, [join(root, 'scripts/release.mjs'), '--to', folder]);
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tar.gz')) ?? '';
  await runFile('sha256sum', ['--check', `${archive}.sha256`], { cwd: folder });
  await runFile('tar', ['-xzf', archive], { cwd: folder });
  const home = join(folder, archive.replace('.tar.gz', ''));
  for (const name of ['LICENSE', 'basedrive.service', 'basedrive-backup.service', 'basedrive-backup.timer'])
    await readFile(join(home, name));
  await symlink(join(home, 'basedrive'), join(folder, 'linked'));

  const PATH = await pathWithoutNode(folder);
  // The log as it is on a terminal.
  const words = ['--port', '0', '--data', join(folder, 'data'), '--log-format', 'pretty'];
  const server = spawn(join(folder, 'linked'), words, {
    env: { PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'exit');
  context.after(async () => {
    server.kill('SIGKILL');
    await ended;
  });
  const url = await announcedUrl(server.stderr);
  assert.equal((await fetch(`${url}/ready`)).status, 200);
  server.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});
