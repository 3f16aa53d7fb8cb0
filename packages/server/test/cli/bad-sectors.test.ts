import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { main, run, startServer, temporaryFolder } from '../support/run-cli.js';

const skip = spawnSync('strace', ['-V']).status === 0 ? false : 'strace is not installed';
const mib = 1024 * 1024;
const key = 'demo_s3cret';

/** A stopped store with files that share a pack and files of their own, and the paths of all that hold their bytes. */
async function store(context: TestContext): Promise<{ folder: string; pack: string; files: string[] }> {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder, '--key', key]);
  for (const [name, size] of [
    ['packed', 100_000],
    ['large', 2 * mib],
    ['other', 3 * mib],
  ] as const) {
    const body = Buffer.alloc(size, name);
    const path = `${server.url}/v1/demo/drive/files?name=${name}`;
    const answer = await fetch(path, { method: 'POST', headers: { 'X-API-Key': key }, body });
    assert.equal(answer.status, 201);
  }
  await server.stop();
  const blobs = join(folder, 'blobs');
  const entries = await readdir(blobs, { recursive: true, withFileTypes: true });
  const all = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const files = all.filter((path) => !path.includes('/packs/') && !path.endsWith('f'.repeat(32)));
  const pack = all.find((path) => path.includes('/packs/')) ?? assert.fail();
  return { folder, pack, files };
}

/** Runs a command for which the disk can read nothing of a file. */
async function withUnreadable(path: string, options: readonly string[]) {
  const fault = ['-f', '-qq', '-o', '/dev/null', '-P', path, '-e', 'inject=read,pread64:error=EIO'];
  const child = spawn('strace', [...fault, process.execPath, main, ...options], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, out, err };
}

test('a file that the disk cannot read is named by check and export, which go on', {
  skip,
}, async (context) => {
  const { folder, files } = await store(context);
  const [unreadable = ''] = files;
  const id = unreadable.slice(-32);
  const checked = await withUnreadable(unreadable, ['check', '--json', '--data', folder]);
  assert.equal(checked.code, 1, checked.err);
  const { problems, files: read } = JSON.parse(checked.out);
  assert.equal(read, 3);
  assert.equal(problems.length, 1);
  assert.match(problems[0].key, /^name\/(large|other)$/);
  assert.match(problems[0].problem, new RegExp(`${id} cannot be read from the disk \\(EIO\\)`));

  const to = join(await temporaryFolder(context), 'export');
  const exported = await withUnreadable(unreadable, ['export', to, '--json', '--data', folder]);
  assert.equal(exported.code, 1, exported.err);
  const report = JSON.parse(exported.out);
  assert.deepEqual([report.files, report.leftOutCount], [2, 1]);
  assert.match(report.leftOut[0].problem, /damaged/);
});

test('a pack that the disk cannot read is named by check, which reads the rest', {
  skip,
}, async (context) => {
  const { folder, pack } = await store(context);
  const checked = await withUnreadable(pack, ['check', '--json', '--data', folder]);
  assert.equal(checked.code, 1, checked.err);
  const { problems } = JSON.parse(checked.out) as { problems: { key: string; problem: string }[] };
  assert.deepEqual(
    problems.map(({ key }) => key),
    ['name/packed', ''],
  );
  for (const { problem } of problems) assert.match(problem, /cannot be read from the disk \(EIO\)/);
  assert.equal((await run(['check', '--data', folder])).code, 0);
});
