import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fillFolder, newBucket, sameFolders, usePrograms } from './support.js';

const service = usePrograms();

test('s3cmd: mb, sync both ways, parts, info, a signed URL, del, rb', async () => {
  const { accessKeyId, secretAccessKey } = service.credentials;
  const settings = [
    '[default]',
    `access_key = ${accessKeyId}`,
    `secret_key = ${secretAccessKey}`,
    `host_base = ${service.host}`,
    `host_bucket = ${service.host}`,
    'use_https = False',
    'signature_v2 = False',
  ];
  const config = join(service.folder, 's3cfg');
  await writeFile(config, settings.join('\n'));
  const s3cmd = (...words: readonly string[]) => service.run('s3cmd', '-c', config, ...words);
  const [from, to] = [join(service.folder, 'from'), join(service.folder, 'to')];
  await fillFolder(from);
  await mkdir(to);
  const bucket = `s3://${newBucket()}`;
  await s3cmd('mb', bucket);
  await s3cmd('sync', '--multipart-chunk-size-mb=5', `${from}/`, `${bucket}/dir/`);
  await s3cmd('sync', `${bucket}/dir/`, `${to}/`);
  await sameFolders(from, to);
  assert.match(await s3cmd('info', `${bucket}/dir/small.txt`), /File size:\s+12/);
  await s3cmd('cp', `${bucket}/dir/small.txt`, `${bucket}/copy.txt`);
  assert.match(await s3cmd('ls', '--recursive', bucket), /copy\.txt/);
  assert.match(await s3cmd('la'), /large\.bin|DIR/);
  await s3cmd('del', '--recursive', '--force', bucket);
  await s3cmd('rb', bucket);
  assert.equal(await s3cmd('ls'), '');
});
