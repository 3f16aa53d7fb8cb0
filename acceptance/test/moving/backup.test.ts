import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startPostgres } from '../../src/services/postgres.js';
import { startS3 } from '../../src/services/s3.js';
import { checkRestored, startLoaded, temporaryFolder } from '../support/database-backup.js';
import { commandsOf, type Place, runTyped } from '../support/page-commands.js';
import { checkExportOfSaved, writeSavedProject } from '../support/saved-project.js';

const commands = commandsOf('operations.md', '### Backup of rows in PostgreSQL').filter(
  (command) => !command.startsWith('rsync'),
);
const [dump, copyBytes, create, restoreRows, restoreBytes, setAddresses, ...others] = commands as [
  ...[string, string, string, string, string, string],
  ...string[],
];
const checks = others.slice(0, -1);

test('rows in PostgreSQL and bytes in an S3 store are backed up under load and kills, and restored to the moment of the dump; a project of the old service comes out as it went in', async (context) => {
  assert.match(commands.join('\n'), /^pg_dump.*\nrclone.*\ncreatedb.*\npg_restore.*\nrclone.*\nexport/);
  const [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
  context.after(() => Promise.all([postgres.stop(), s3.stop()]));
  const [bytes, kept] = await Promise.all([s3.createBucket(), s3.createBucket()]);
  const items = await postgres.createDatabase('basedrive');
  const address = items.slice(0, -'/basedrive'.length);
  const environment = s3.environment();
  const restored = { items: `${address}/restored`, blobs: `s3://${bytes}/restored`, environment };
  const backup = await temporaryFolder(context);
  const place: Place = {
    cwd: backup,
    environment: {
      ...environment,
      BASEDRIVE_ITEMS: restored.items,
      BASEDRIVE_BLOBS: restored.blobs,
      RCLONE_CONFIG: join(backup, 'rclone.conf'),
      // What `rclone config` writes into its file.
      RCLONE_CONFIG_STORE_TYPE: 's3',
      RCLONE_CONFIG_STORE_PROVIDER: 'Ceph',
      RCLONE_CONFIG_STORE_ENV_AUTH: 'true',
      RCLONE_CONFIG_STORE_ENDPOINT: s3.endpoint,
    },
    words: {
      'postgres://basedrive@db': address,
      '/mnt/backup': backup,
      'store:bytes/': `store:${bytes}/`,
      'store:backup/': `store:${kept}/`,
    },
  };
  const store = { items, blobs: `s3://${bytes}/basedrive`, environment };
  const servers = await startLoaded(context, store, postgres, ['--garbage-grace', '24h']);
  const { load } = servers;

  // A project that the old service saved goes in, and comes out the same at the end.
  const inStore = (from: { items: string; blobs: string }, words: Place['words']): Place => ({
    cwd: backup,
    environment: { ...environment, BASEDRIVE_ITEMS: from.items, BASEDRIVE_BLOBS: from.blobs },
    words: { shop: 'saved', ...words },
  });
  await writeSavedProject(join(backup, 'my-project.zip'));
  const [importArchive = ''] = commandsOf('moving-in.md', '## Bringing the data along');
  await runTyped(importArchive, inStore(store, {}));
  const [exportProject = ''] = commandsOf('moving-in.md', '## Export and import');
  await runTyped(exportProject, inStore(store, { './backup': './exported' }));
  await checkExportOfSaved(join(backup, 'exported'));

  await load.reach(6);
  const before = load.progress();
  await servers.killedDuring(() => runTyped(dump, place));
  const after = load.progress();
  await servers.discardNamedBytes();
  await servers.killedDuring(() => runTyped(copyBytes, place));
  await servers.stop();

  for (const command of [create, restoreRows, restoreBytes]) await runTyped(command, place);
  assert.match(setAddresses, /^export BASEDRIVE_ITEMS=\S+ BASEDRIVE_BLOBS=s3:\S+$/);
  await checkRestored(context, { ...restored, before, after, place, checks });
  await runTyped(exportProject, inStore(restored, { './backup': './exported-again' }));
  assert.equal(await runTyped('diff --recursive exported exported-again', place), '');
});
