import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { newBucket, usePrograms } from './support.js';

const service = usePrograms();
const reason = existsSync('/dev/fuse') ? false : 'this machine has no FUSE';

test('s3fs: a mounted bucket has files and folders that are written, renamed and deleted', {
  skip: reason,
}, async () => {
  const bucket = newBucket();
  await service.run('aws', '--endpoint-url', service.endpoint, 's3', 'mb', `s3://${bucket}`);
  const { accessKeyId, secretAccessKey } = service.credentials;
  const passwords = join(service.folder, 'passwd');
  await writeFile(passwords, `${accessKeyId}:${secretAccessKey}`, { mode: 0o600 });
  const place = join(service.folder, 'mounted');
  await mkdir(place);
  const options = `url=${service.endpoint},use_path_request_style,passwd_file=${passwords}`;
  const mounted = spawn('s3fs', [bucket, place, '-f', '-o', options], { stdio: 'ignore' });
  const ended = once(mounted, 'exit');
  try {
    const before = (await stat(service.folder)).dev;
    while ((await stat(place)).dev === before) {
      assert.equal(mounted.exitCode, null, 's3fs has ended');
      await wait(50);
    }
    await mkdir(join(place, 'dir'));
    await writeFile(join(place, 'dir/a.txt'), 'hello');
    await writeFile(join(place, 'big'), Buffer.alloc(12_000_000, 7));
    await rename(join(place, 'dir/a.txt'), join(place, 'dir/b.txt'));
    assert.deepEqual(await readdir(join(place, 'dir')), ['b.txt']);
    assert.equal((await readFile(join(place, 'dir/b.txt'))).toString(), 'hello');
    assert.ok((await readFile(join(place, 'big'))).equals(Buffer.alloc(12_000_000, 7)));
    await rm(join(place, 'dir'), { recursive: true });
    assert.deepEqual(await readdir(place), ['big']);
  } finally {
    mounted.kill('SIGTERM');
    await ended;
  }
});
