import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fillFolder, newBucket, sameFolders, usePrograms } from './support.js';

const service = usePrograms();

test('restic: init, backup twice, check of all data, restore, forget and prune', async () => {
  const repository = `s3:${service.endpoint}/${newBucket()}/backups`;
  const variables = { RESTIC_REPOSITORY: repository, RESTIC_PASSWORD: 'secret' };
  const restic = (...words: readonly string[]) => service.runWith(variables, 'restic', ...words);
  const from = join(service.folder, 'from');
  await fillFolder(from);
  await restic('init');
  await restic('backup', from);
  await appendFile(join(from, 'large.bin'), 'more');
  await restic('backup', from);
  assert.match(await restic('check', '--read-data'), /no errors were found/);
  const to = join(service.folder, 'to');
  await restic('restore', 'latest', '--target', to);
  await sameFolders(from, join(to, from));
  await restic('forget', '--keep-last', '1', '--prune');
  assert.match(await restic('check', '--read-data'), /no errors were found/);
  assert.equal(JSON.parse(await restic('snapshots', '--json')).length, 1);
});
