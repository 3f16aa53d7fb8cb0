import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMemoryBlobStore } from '../../../src/engines/memory/blob-store.js';
import { findManifests } from '../../../src/store/backup/manifest.js';
import { chooseBackup, restoreBackup } from '../../../src/store/backup/restore.js';
import { takeBackup } from '../../../src/store/backup/take-backup.js';
import { memoryStore, putItems, rowsOf } from '../../support/copy-fixture.js';

const quiet = { shown: 'the place', blobsAtOnce: 3, listen: () => {} };
const hourMs = 3_600_000;

test('the newest backup is the one that was made last, also when the clock was set back since', async (context) => {
  const source = await memoryStore(context);
  const place = openMemoryBlobStore();
  const nowMs = Date.now();
  const clock = context.mock.method(Date, 'now', () => nowMs + hourMs);
  const backUp = (keepMs?: number) =>
    takeBackup({ ...quiet, source, place, holdGarbage: () => () => {}, keepMs, verify: false });
  const restored = async () => {
    const { manifest } = await chooseBackup(place, 'the place', undefined);
    const destination = await memoryStore(context);
    await restoreBackup({ ...quiet, place, manifest, destination });
    return await rowsOf(destination);
  };
  await putItems(source, 'items', ['a']);
  await backUp();
  clock.mock.mockImplementation(() => nowMs);
  await putItems(source, 'items', ['b']);
  await backUp();
  assert.deepEqual(await restored(), await rowsOf(source));
  clock.mock.mockImplementation(() => nowMs + 1);
  await putItems(source, 'items', ['c']);
  const { moment } = await backUp(0);
  const { complete } = await findManifests(place);
  assert.equal(moment, new Date(nowMs + 1).toISOString());
  assert.equal(complete.at(-1)?.momentMs, nowMs + 1);
  assert.deepEqual(await restored(), await rowsOf(source));
});
