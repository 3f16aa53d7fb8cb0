import assert from 'node:assert/strict';
import { appendFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fillFolder, newBucket, sameFolders, usePrograms } from './support.js';

const service = usePrograms();
const aws = (...words: readonly string[]) => service.run('aws', '--endpoint-url', service.endpoint, ...words);

test('aws: mb, sync both ways, a changed file, a deleted one, presign, rb', async () => {
  const [from, to] = [join(service.folder, 'from'), join(service.folder, 'to')];
  await fillFolder(from);
  await mkdir(to);
  const bucket = newBucket();
  await aws('s3', 'mb', `s3://${bucket}`);
  await aws('s3', 'sync', from, `s3://${bucket}/dir`);
  await aws('s3', 'sync', `s3://${bucket}/dir`, to);
  await sameFolders(from, to);
  assert.equal(await aws('s3', 'sync', from, `s3://${bucket}/dir`), '', 'nothing has changed');
  await appendFile(join(from, 'small.txt'), 'more');
  await rm(join(from, 'deep/a (1).bin'));
  await aws('s3', 'sync', '--delete', from, `s3://${bucket}/dir`);
  await aws('s3', 'sync', '--delete', `s3://${bucket}/dir`, to);
  await sameFolders(from, to);
  await aws('s3', 'cp', `s3://${bucket}/dir/large.bin`, `s3://${bucket}/copy.bin`);
  await aws('s3', 'mv', `s3://${bucket}/copy.bin`, `s3://${bucket}/moved.bin`);
  const listed = await aws('s3', 'ls', `s3://${bucket}/`);
  assert.match(listed, /PRE dir\/\n.*20000000 moved\.bin\n$/);
  const link = await aws('s3', 'presign', `s3://${bucket}/moved.bin`);
  assert.equal((await (await fetch(link.trim())).arrayBuffer()).byteLength, 20_000_000);
  const head = await aws('s3api', 'head-object', '--bucket', bucket, '--key', 'moved.bin');
  assert.equal(JSON.parse(head).ContentLength, 20_000_000);
  await aws('s3', 'rb', '--force', `s3://${bucket}`);
  assert.equal(await aws('s3', 'ls'), '');
});
