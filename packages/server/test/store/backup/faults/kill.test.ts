import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openFsBlobStore } from '../../../../src/engines/fs/store.js';
import { findManifests } from '../../../../src/store/backup/manifest.js';
import { shownMoment } from '../../../../src/store/backup/report.js';
import { chooseBackup, restoreBackup } from '../../../../src/store/backup/restore.js';
import { backup } from '../../../support/backups.js';
import { blobsOf, memoryStore, rowsOf } from '../../../support/copy-fixture.js';
import { startServer, temporaryFolder } from '../../../support/run-cli.js';
import { contentOf, filledFolder, key, send } from '../../../support/served-copy.js';

const killed = fileURLToPath(new URL('../../../support/killed-backup.js', import.meta.url));

test('a backup that is killed at any step leaves the one before it whole, and the next one completes', async (context) => {
  const folder = await filledFolder(context);
  const address = join(await temporaryFolder(context), 'backups');
  const first = await backup(folder, address);
  const before = await contentOf(folder);
  const server = await startServer(context, ['--data', folder, '--key', key]);
  await send(server, 'POST', 'drive/files?name=large', Buffer.alloc(300_001, 'new'));
  assert.equal(await server.stop(), 0);
  const after = await contentOf(folder);
  let kills = 0;
  for (let killAt = 1; ; killAt++) {
    const options = [killed, folder, address, String(killAt)];
    const ended = await promisify(execFile)(process.execPath, options).catch((cause) => cause);
    const place = await openFsBlobStore(address);
    const destination = await memoryStore(context);
    const { moment } = await restoreBackup({
      place,
      destination,
      manifest: (await chooseBackup(place, address, undefined)).manifest,
      blobsAtOnce: 4,
      listen: () => {},
    });
    const blobs = await blobsOf(destination);
    blobs.delete('f'.repeat(32));
    assert.deepEqual([await rowsOf(destination), blobs], moment === first.moment ? before : after);
    const moments = (await findManifests(place)).complete.map(({ momentMs }) => shownMoment(momentMs));
    await place.close();
    if (ended.signal === undefined) {
      assert.ok(Number(ended.stdout) >= 8, `${ended.stdout} steps`);
      assert.deepEqual(moments, [moment]);
      assert.notEqual(moment, first.moment);
      break;
    }
    assert.equal(ended.signal, 'SIGKILL', ended.stderr);
    kills++;
  }
  assert.ok(kills >= 8);
});
