import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openMemoryBlobStore } from '../../../src/engines/memory/blob-store.js';
import { findManifests, type Manifest, writeManifest } from '../../../src/store/backup/manifest.js';
import { chooseBackup, restoreBackup } from '../../../src/store/backup/restore.js';
import { takeBackup } from '../../../src/store/backup/take-backup.js';
import { folderFormat } from '../../../src/store/data-folder.js';
import { memoryStore, putItems, rowsOf } from '../../support/copy-fixture.js';

const quiet = { shown: 'the place', blobsAtOnce: 3, listen: () => {} };

/** A store with an item, and a place that holds its backup. */
async function backedUp(context: TestContext) {
  const source = await memoryStore(context);
  const place = openMemoryBlobStore();
  await putItems(source, 'items', ['a']);
  const options = { ...quiet, source, place, holdGarbage: () => () => {}, keepMs: undefined, verify: false };
  const { moment } = await takeBackup(options);
  const manifest = (await findManifests(place)).complete[0] as Manifest;
  return { source, place, moment, manifest };
}

test('a backup of a newer format is refused; one that was made before the upgrade is restored from the same place', async (context) => {
  const { source, place, moment, manifest: own } = await backedUp(context);
  assert.equal(own.format, folderFormat);
  const newer = { ...own, momentMs: own.momentMs + 1000, number: 2, format: folderFormat + 1 };
  await writeManifest(place, newer);

  await assert.rejects(chooseBackup(place, 'the place', undefined), {
    name: 'OperatorError',
    message: new RegExp(
      `^The backup of .* has format ${folderFormat + 1}, newer than this version reads \\(${folderFormat}\\): use a newer version, or`,
    ),
  });
  const { complete, damaged } = await findManifests(place);
  assert.deepEqual([complete.length, damaged.length], [2, 0]);
  const { manifest } = await chooseBackup(place, 'the place', moment);
  const destination = await memoryStore(context);
  await restoreBackup({ ...quiet, place, manifest, destination });
  assert.deepEqual(await rowsOf(destination), await rowsOf(source));
});

test('a backup of an earlier version, which names no format, is restored', async (context) => {
  const { source, place, manifest: own } = await backedUp(context);
  const { format: _, ...earlier } = own;
  await writeManifest(place, earlier);
  const { manifest } = await chooseBackup(place, 'the place', undefined);
  assert.equal(manifest.format, undefined);
  const destination = await memoryStore(context);
  await restoreBackup({ ...quiet, place, manifest, destination });
  assert.deepEqual(await rowsOf(destination), await rowsOf(source));
});
