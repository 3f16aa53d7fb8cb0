import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BlobStore } from '../../../src/engines/blob-store.js';
import { openMemoryBlobStore } from '../../../src/engines/memory/blob-store.js';
import type { Store } from '../../../src/engines/store.js';
import { findManifests } from '../../../src/store/backup/manifest.js';
import { shownMoment } from '../../../src/store/backup/report.js';
import { chooseBackup, restoreBackup } from '../../../src/store/backup/restore.js';
import { dropOldBackups } from '../../../src/store/backup/retention.js';
import { takeBackup } from '../../../src/store/backup/take-backup.js';
import { leaveCopy } from '../../../src/store/copy/copy-marker.js';
import { claimBlobs, identityBlob } from '../../../src/store/identity.js';
import { blobsOf, drive, fill, folderStore, large, memoryStore, rowsOf } from '../../support/copy-fixture.js';

const quiet = { shown: 'the place', blobsAtOnce: 3, listen: () => {} };

function backUp(source: Store, place: BlobStore, keepMs?: number) {
  const holdGarbage = () => () => {};
  return takeBackup({ ...quiet, source, place, holdGarbage, keepMs, verify: false });
}

async function restoreTo(destination: Store, place: BlobStore, at?: string) {
  const { manifest } = await chooseBackup(place, 'the place', at);
  return await restoreBackup({ ...quiet, place, manifest, destination });
}

async function restored(context: TestContext, place: BlobStore, at?: string): Promise<Store> {
  const destination = await memoryStore(context);
  await restoreTo(destination, place, at);
  return destination;
}

async function assertEqualStores(actual: Store, expected: Store): Promise<void> {
  assert.deepEqual(await rowsOf(actual), await rowsOf(expected));
  const named = async (store: Store) => {
    const blobs = await blobsOf(store);
    blobs.delete('f'.repeat(32));
    return blobs;
  };
  assert.deepEqual(await named(actual), await named(expected));
}

test('a backup from any engine is restored to any other: the same rows and bytes', async (context) => {
  for (const [from, to] of [
    [memoryStore, folderStore],
    [folderStore, memoryStore],
  ] as const) {
    const source = await from(context);
    const { sweep } = await fill(source);
    await sweep();
    const place = openMemoryBlobStore();
    const report = await backUp(source, place);
    assert.equal(report.problemCount, 0);
    const destination = await to(context);
    await restoreTo(destination, place);
    await assertEqualStores(destination, source);
    await leaveCopy(destination.items);
  }
});

test('an older backup is dropped with the bytes that no kept one needs; the newest one never is', async (context) => {
  const source = await memoryStore(context);
  const { drives, sweep } = await fill(source);
  const put = (name: string, letter: string) =>
    drives.put(...drive, name, { source: large(letter), contentType: 'x/y' });
  await put('stays', 's');
  await put('changes', 'a');
  const place = openMemoryBlobStore();
  const first = await backUp(source, place);
  await put('changes', 'b');
  await sweep();
  const second = await backUp(source, place);
  assert.equal(second.blobsCopied, 1);
  const blobsWithBoth = (await blobsOf({ items: source.items, blobs: place })).size;
  assert.equal((await dropOldBackups(place, 60_000)).dropped, 0);
  await restored(context, place, first.moment);

  assert.equal((await dropOldBackups(place, 0)).dropped, 1);
  const moments = (await findManifests(place)).complete.map(({ momentMs }) => shownMoment(momentMs));
  assert.deepEqual(moments, [second.moment]);
  // Its manifest, its rows, its list, and the blob of the file that was overwritten.
  assert.equal((await blobsOf({ items: source.items, blobs: place })).size, blobsWithBoth - 4);
  await assertEqualStores(await restored(context, place), source);
  assert.equal((await dropOldBackups(place, 0)).dropped, 0);
  await assert.rejects(restored(context, place, first.moment), { message: /^There is no backup of 20/ });
});

test('a verified backup is none if its rows cannot be read as they were written', async (context) => {
  const source = await memoryStore(context);
  await fill(source);
  const place = openMemoryBlobStore();
  const rotten: BlobStore = {
    ...place,
    async *read(id, range) {
      for await (const chunk of place.read(id, range)) yield flipped(Buffer.from(chunk));
    },
  };
  const given = { ...quiet, source, place: rotten, holdGarbage: () => () => {}, keepMs: undefined };
  await assert.rejects(takeBackup({ ...given, verify: true }), /^OperatorError: The backup is damaged/);
  assert.deepEqual(await findManifests(place), { complete: [], damaged: [] });
});

test('a damaged file of the source is named and left out; the rest is saved', async (context) => {
  const source = await memoryStore(context);
  const { drives } = await fill(source);
  await drives.put(...drive, 'lost', { source: large('l'), contentType: 'x/y' });
  const [row] = (await rowsOf(source)).filter(({ key }) => key === 'name/lost');
  const { id } = JSON.parse(`${row?.value}`) as { id: string };
  await source.blobs.delete([id]);
  const place = openMemoryBlobStore();
  const report = await backUp(source, place);
  assert.deepEqual(
    report.problems.map(({ key }) => key),
    [id],
  );
  const [manifest] = (await findManifests(place)).complete;
  assert.equal(manifest?.problemCount, 1);
});

test('an aborted upload whose bytes are being deleted is no problem, and what is restored forgets it', async (context) => {
  const source = await memoryStore(context);
  const { drives } = await fill(source);
  const id = await drives.uploads.initialize(...drive, 'aborted');
  const part = { uploadId: id, part: 1, source: large('p'), contentType: 'x/y' };
  await drives.uploads.part(...drive, 'aborted', part);
  await drives.uploads.abort(...drive, 'aborted', id);
  const [row] = (await rowsOf(source)).filter(({ key }) => key.startsWith(`part/${id}/`));
  await source.blobs.delete([(JSON.parse(`${row?.value}`) as { id: string }).id]);
  const place = openMemoryBlobStore();
  assert.deepEqual((await backUp(source, place)).problems, []);
  const destination = await memoryStore(context);
  const report = await restoreTo(destination, place);
  assert.deepEqual(report.problems, []);
  const { sweep } = await fill(destination);
  await sweep();
  assert.deepEqual(
    (await rowsOf(destination)).filter(({ key }) => key.includes(id)),
    [],
  );
});

test('damaged rows of a backup end the restore, and no server starts on what was restored', async (context) => {
  const source = await memoryStore(context);
  await fill(source);
  const place = openMemoryBlobStore();
  await backUp(source, place);
  const { manifest } = await chooseBackup(place, 'the place', undefined);
  const { id } = manifest.rows;
  const bytes = Buffer.concat(await chunksOf(place, id));
  for (const damage of [bytes.subarray(0, -1), Buffer.concat([bytes, bytes]), flipped(bytes)]) {
    await place.delete([id]);
    await place.write(id, [damage]);
    const destination = await memoryStore(context);
    await assert.rejects(restoreTo(destination, place), {
      message: /^The backup of 20\S+ is damaged: its part [0-9a-f]{32} has other bytes than were written$/,
    });
    assert.deepEqual(await rowsOf(destination), []);
    // As when they are damaged after they were looked at.
    await assert.rejects(restoreBackup({ ...quiet, place, manifest, destination }));
    await assert.rejects(leaveCopy(destination.items), {
      message: /^These rows are a copy that did not complete/,
    });
    await assert.rejects(restoreBackup({ ...quiet, place, manifest, destination }), {
      message: /^The store is not empty, or an earlier restore was interrupted/,
    });
  }
});

test('a restore ends before it writes a file when another store claims the bytes at the same moment', async (context) => {
  const place = openMemoryBlobStore();
  const source = await memoryStore(context);
  await fill(source);
  await backUp(source, place);
  const destination = await memoryStore(context);
  const other = await memoryStore(context);
  const claimed = async () => void (await claimBlobs(other.items, destination.blobs));
  await assert.rejects(restoreTo({ ...destination, claimed } as Store, place), {
    message: /^The place of the bytes belongs to another store/,
  });
  assert.deepEqual([...(await blobsOf(destination)).keys()], [identityBlob]);
});

async function chunksOf(place: BlobStore, id: string): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of place.read(id)) chunks.push(Buffer.from(chunk));
  return chunks;
}

function flipped(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  changed[bytes.length >> 1] = (changed[bytes.length >> 1] as number) ^ 1;
  return changed;
}
