import assert from 'node:assert/strict';
import { cp, mkdir, readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { run, startServer, temporaryFolder } from '../support/run-cli.js';

const key = 'demo_s3cret';

/** A store with a file of one blob; with `files: false` it holds an item alone. */
async function filledFolder(context: TestContext, { files }: { files: boolean }): Promise<string> {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder, '--key', key]);
  const put = await fetch(`${server.url}/v1/demo/base/items`, {
    method: 'PUT',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: '{"items":[{"key":"a"}]}',
  });
  assert.equal(put.status, 207);
  if (files) {
    const path = `${server.url}/v1/demo/drive/files?name=a`;
    const body = Buffer.alloc(300_000, 'x');
    const stored = await fetch(path, { method: 'POST', headers: { 'X-API-Key': key }, body });
    assert.equal(stored.status, 201);
  }
  await server.stop();
  return folder;
}

const losses: readonly (readonly [string, (folder: string) => Promise<void>, RegExp])[] = [
  [
    'all of rows/',
    (folder) => rm(join(folder, 'rows'), { recursive: true }),
    /The rows of the store in \S+ are missing/,
  ],
  [
    'all of rows/ and blobs/',
    async (folder) => {
      for (const part of ['rows', 'blobs']) await rm(join(folder, part), { recursive: true });
    },
    /The rows of the store in \S+ are missing/,
  ],
  [
    'all of rows/ and the file that remembers them',
    async (folder) => {
      await rm(join(folder, 'rows'), { recursive: true });
      await unlink(join(folder, 'IDENTITY'));
    },
    /The rows of the store in \S+ are missing/,
  ],
  ['rows/CURRENT', (folder) => unlink(join(folder, 'rows', 'CURRENT')), /CURRENT: the file is missing/],
];

for (const [lost, lose, message] of losses) {
  for (const files of [true, false]) {
    test(`a store ${files ? 'with' : 'without'} files that lost ${lost} is not started, and keeps what is left`, async (context) => {
      const folder = await filledFolder(context, { files });
      const backup = join(await temporaryFolder(context), 'backup');
      await cp(folder, backup, { recursive: true });
      await lose(folder);
      const before = await readdir(folder, { recursive: true });
      for (let start = 1; start <= 2; start++) {
        const { code, err } = await run(['--port', '0', '--data', folder]);
        assert.equal(code, 2, err);
        assert.match(err, message);
        assert.match(err, /^basedrive: [^\n]+\n$/);
      }
      const after = new Set(await readdir(folder, { recursive: true }));
      assert.deepEqual(
        before.filter((name) => !after.has(name)),
        [],
      );
      // With its rows back, the store is whole.
      await rm(folder, { recursive: true });
      await mkdir(folder);
      await cp(backup, folder, { recursive: true });
      const server = await startServer(context, ['--data', folder, '--key', key]);
      const item = await fetch(`${server.url}/v1/demo/base/items/a`, { headers: { 'X-API-Key': key } });
      assert.deepEqual(await item.json(), { key: 'a' });
    });
  }
}

for (const files of [true, false]) {
  test(`a store ${files ? 'with' : 'without'} files that lost all of blobs/ serves its items, and ${files ? 'says so' : 'has lost nothing'}`, async (context) => {
    const folder = await filledFolder(context, { files });
    await rm(join(folder, 'blobs'), { recursive: true });
    const server = await startServer(context, ['--data', folder, '--key', key]);
    const item = await fetch(`${server.url}/v1/demo/base/items/a`, { headers: { 'X-API-Key': key } });
    assert.deepEqual(await item.json(), { key: 'a' });
    await server.stop();
    const warned =
      /stored files have their bytes in \S+\/blobs, and nothing is there: if it is not mounted, stop/;
    assert.equal(warned.test(server.err()), files, server.err());
  });
}
