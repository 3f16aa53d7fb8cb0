import assert from 'node:assert/strict';
import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startPostgres } from '../../src/services/postgres.js';
import { checkRestored, startLoaded, temporaryFolder } from '../support/database-backup.js';
import { commandsOf, type Place, runTyped } from '../support/page-commands.js';

const commands = commandsOf('operations.md', '### Backup of rows in PostgreSQL').filter(
  (command) => !command.startsWith('rclone'),
);
const [dump, copyBytes, create, restoreRows, restoreBytes, setAddresses, ...others] = commands as [
  ...[string, string, string, string, string, string],
  ...string[],
];
const [baseBackup = ''] = others.slice(-1);
const checks = others.slice(0, -1);

test('rows in PostgreSQL and bytes in a folder are backed up under load and kills, and restored to the moment of the dump and to any other', async (context) => {
  assert.match(commands.join('\n'), /^pg_dump.*\nrsync.*\ncreatedb.*\npg_restore.*\nrsync.*\nexport/);
  const backup = await temporaryFolder(context);
  const wal = join(backup, 'wal');
  await mkdir(wal);
  // PostgreSQL may run as another user.
  for (const folder of [backup, wal]) await chmod(folder, 0o777);
  const settings = ['archive_mode=on', `archive_command=cp %p ${wal}/%f`];
  const postgres = await startPostgres({ settings });
  context.after(() => postgres.stop());
  const blobs = join(await temporaryFolder(context), 'bytes');
  await Promise.all([mkdir(blobs), mkdir(join(backup, 'bytes'))]);
  const items = await postgres.createDatabase('basedrive');
  const restored = join(await temporaryFolder(context), 'restored');
  const address = items.slice(0, -'/basedrive'.length);
  const place: Place = {
    cwd: backup,
    environment: { BASEDRIVE_ITEMS: `${address}/restored`, BASEDRIVE_BLOBS: restored },
    words: {
      'postgres://basedrive@db': address,
      '/mnt/backup': backup,
      '/mnt/bytes': blobs,
      '/mnt/restored': restored,
    },
  };
  const servers = await startLoaded(context, { items, blobs, environment: {} }, postgres, [
    '--garbage-grace',
    '24h',
  ]);
  const { load } = servers;
  await load.reach(4);
  await servers.killedDuring(() => runTyped(baseBackup, place));

  // The moment of the dump.
  await load.reach(10);
  const beforeDump = load.progress();
  await servers.killedDuring(() => runTyped(dump, place));
  const afterDump = load.progress();

  // A later moment, which only the log has.
  await load.reach(14);
  const beforeMoment = load.progress();
  const [moment = ''] = await postgres.ask('SELECT clock_timestamp()');
  const afterMoment = load.progress();

  await servers.discardNamedBytes();
  await servers.killedDuring(() => runTyped(copyBytes, place));
  await servers.stop();
  await postgres.ask('SELECT pg_switch_wal()');
  await postgres.ask('CHECKPOINT');

  await context.test('to the moment of the dump', async (context) => {
    for (const command of [create, restoreRows, restoreBytes]) await runTyped(command, place);
    assert.match(setAddresses, /^export BASEDRIVE_ITEMS=\S+ BASEDRIVE_BLOBS=\S+$/);
    await checkRestored(context, {
      ...{ items: `${address}/restored`, blobs: restored, environment: {}, place, checks },
      ...{ before: beforeDump, after: afterDump },
    });
  });

  await context.test('to a later moment', async (context) => {
    const recovered = await startPostgres({
      settings: [
        ...[`restore_command=cp ${wal}/%f %p`, `recovery_target_time=${moment}`],
        ...['recovery_target_action=promote', 'archive_mode=off'],
      ],
      async restore(data) {
        await cp(join(backup, 'base'), data, { recursive: true });
        await chmod(data, 0o700);
        await writeFile(join(data, 'recovery.signal'), '');
      },
    });
    context.after(() => recovered.stop());
    const bytes = join(await temporaryFolder(context), 'recovered');
    const recoveredItems = `${recovered.url.slice(0, -'/postgres'.length)}/basedrive`;
    const there: Place = {
      ...place,
      environment: { BASEDRIVE_ITEMS: recoveredItems, BASEDRIVE_BLOBS: bytes },
      words: { ...place.words, '/mnt/restored': bytes },
    };
    await runTyped(restoreBytes, there);
    await checkRestored(context, {
      ...{ items: recoveredItems, blobs: bytes, environment: {}, place: there, checks },
      ...{ before: beforeMoment, after: afterMoment },
    });
  });
});
