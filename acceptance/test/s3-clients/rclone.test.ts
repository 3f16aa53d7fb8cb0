import assert from 'node:assert/strict';
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fillFolder, newBucket, sameFolders, usePrograms } from './support.js';

const service = usePrograms();

function rclone(...words: readonly string[]): Promise<string> {
  const { accessKeyId, secretAccessKey } = service.credentials;
  const variables = {
    RCLONE_CONFIG: join(service.folder, 'rclone.conf'),
    RCLONE_CONFIG_HERE_TYPE: 's3',
    RCLONE_CONFIG_HERE_PROVIDER: 'Other',
    RCLONE_CONFIG_HERE_ENDPOINT: service.endpoint,
    RCLONE_CONFIG_HERE_ACCESS_KEY_ID: accessKeyId,
    RCLONE_CONFIG_HERE_SECRET_ACCESS_KEY: secretAccessKey,
  };
  return service.runWith(variables, 'rclone', ...words);
}

test('rclone: sync, check --download, a server-side copy, times, purge', async () => {
  const [from, to] = [join(service.folder, 'from'), join(service.folder, 'to')];
  await fillFolder(from);
  await mkdir(to);
  const bucket = newBucket();
  await rclone('mkdir', `here:${bucket}`);
  await rclone('sync', '--s3-upload-cutoff', '8M', '--s3-chunk-size', '5M', from, `here:${bucket}/dir`);
  await rclone('check', from, `here:${bucket}/dir`);
  await rclone('check', '--download', from, `here:${bucket}/dir`);
  await appendFile(join(from, 'small.txt'), 'more');
  await rclone('sync', from, `here:${bucket}/dir`);
  await rclone('copy', `here:${bucket}/dir`, `here:${bucket}/copy`);
  await rclone('sync', `here:${bucket}/copy`, to);
  await sameFolders(from, to);
  const listed = JSON.parse(await rclone('lsjson', '-R', '--files-only', `here:${bucket}/copy`));
  assert.equal(listed.length, 6);
  assert.equal(await rclone('lsf', `here:${bucket}`), 'copy/\ndir/\n');
  await rclone('purge', `here:${bucket}`);
  assert.equal(await rclone('lsf', 'here:'), '');
});
