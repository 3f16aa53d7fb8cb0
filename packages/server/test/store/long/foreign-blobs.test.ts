import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createDriveService } from '../../../src/drive/service.js';
import { openFsBlobStore } from '../../../src/engines/fs/store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import type { Store } from '../../../src/engines/store.js';
import { randomId } from '../../../src/lib/random-id.js';
import { checkAndRepair } from '../../../src/store/check/check-store.js';
import { claimBlobs, identityBlob } from '../../../src/store/identity.js';
import { collect, drive, largeBytes } from '../../support/drive-fixture.js';
import { hourMs, orphanRounds } from '../../support/orphan-rounds.js';

/** Blobs have the time of the real clock: two hours from now all of them are old. */
const later = () => Date.now() + 2 * hourMs;

interface Folder {
  readonly path: string;
  open(): Promise<Store>;
  close(): Promise<void>;
  blobFiles(): Promise<string[]>;
}

/** A store on LevelDB and files that holds three large files and is closed. */
async function filledFolder(context: TestContext): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'basedrive-foreign-'));
  let open: Store | undefined;
  const folder: Folder = {
    path,
    async open() {
      open = {
        items: await openLevelStore({ folder: join(path, 'rows'), create: true }),
        blobs: await openFsBlobStore(join(path, 'blobs')),
      };
      return open;
    },
    async close() {
      await open?.items.close();
      await open?.blobs.close();
      open = undefined;
    },
    async blobFiles() {
      const entries = await readdir(join(path, 'blobs'), { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name)
        .sort();
    },
  };
  context.after(async () => {
    await folder.close();
    await rm(path, { recursive: true });
  });
  const store = await folder.open();
  await claimBlobs(store.items, store.blobs);
  const service = driveService(store);
  for (const name of ['a', 'b', 'c'])
    await service.put(...drive, name, { source: Buffer.alloc(largeBytes, name), contentType: 'text/plain' });
  await folder.close();
  return folder;
}

function driveService(store: Store) {
  const settings = { uploadTtlSeconds: 86_400 };
  return createDriveService({ ...store, clock: Date.now, settings, wakeMaintenance() {} });
}

const roundsOver = (store: Store) => orphanRounds(store, later);

const refused = /do not hold the identity of these rows/;

test('when the rows were lost and are empty now, the sweep deletes nothing and logs that once', async (context) => {
  const folder = await filledFolder(context);
  await rm(join(folder.path, 'rows'), { recursive: true });
  const store = await folder.open();
  const before = await folder.blobFiles();
  assert.equal(before.length, 4);
  const { round, errors } = roundsOver(store);
  assert.equal(await round(), 0);
  assert.equal(await round(), 0);
  assert.deepEqual(await folder.blobFiles(), before);
  assert.equal(errors.length, 1);
  assert.match(errors[0] ?? '', refused);
});

test('when the rows are those of another store, the sweep deletes nothing', async (context) => {
  const [folder, other] = [await filledFolder(context), await filledFolder(context)];
  const before = await folder.blobFiles();
  const { blobs } = await folder.open();
  const { items } = await other.open();
  const { round, errors } = roundsOver({ items, blobs });
  assert.equal(await round(), 0);
  assert.deepEqual(await folder.blobFiles(), before);
  assert.equal(errors.length, 1);
});

test('when no blob holds an identity, the sweep deletes nothing', async (context) => {
  const folder = await filledFolder(context);
  const store = await folder.open();
  await store.blobs.delete([identityBlob]);
  await store.blobs.write(randomId(), [Buffer.from('no row names it')]);
  const before = await folder.blobFiles();
  const { round, errors } = roundsOver(store);
  assert.equal(await round(), 0);
  assert.deepEqual(await folder.blobFiles(), before);
  assert.equal(errors.length, 1);
  // Once the next start has claimed the blobs, the orphan goes.
  await claimBlobs(store.items, store.blobs);
  assert.equal(await round(), 1);
  assert.equal(errors.length, 1);
});

test('when other blobs are mounted while the sweep reads the rows, it deletes nothing', async (context) => {
  const folder = await filledFolder(context);
  const store = await folder.open();
  await store.blobs.write(randomId(), [Buffer.from('no row names it')]);
  const before = await folder.blobFiles();
  const items: Store['items'] = {
    ...store.items,
    async *spaces(prefix) {
      yield* store.items.spaces(prefix);
      await writeFile(join(folder.path, 'blobs', 'ff', identityBlob), randomId());
    },
  };
  const { round, errors } = roundsOver({ items, blobs: store.blobs });
  assert.equal(await round(), 0);
  assert.deepEqual(await folder.blobFiles(), before);
  assert.equal(errors.length, 1);
});

test('check --repair moves nothing out of the blobs of other rows, and reports it', async (context) => {
  const folder = await filledFolder(context);
  await rm(join(folder.path, 'rows'), { recursive: true });
  const store = await folder.open();
  const before = await folder.blobFiles();
  const twoHoursAgo = new Date(Date.now() - 2 * hourMs);
  for (const name of before)
    await utimes(join(folder.path, 'blobs', name.slice(0, 2), name), twoHoursAgo, twoHoursAgo);
  const parts = { ...store, clock: Date.now, orphanAgeSeconds: 3600 };
  const report = await checkAndRepair({ ...parts, quarantineFolder: folder.path });
  assert.deepEqual([report.quarantine, report.problemCount], [0, 1]);
  assert.match(report.problems[0]?.problem ?? '', refused);
  assert.deepEqual(await folder.blobFiles(), before);
  const file = await driveService(store).open(...drive, 'a');
  assert.equal(file, undefined);
  assert.equal((await collect(store.blobs.read(before[0] ?? ''))).length, largeBytes);
});

test('check --repair moves no young blob, though the clock of its machine is ahead of the one of the blobs', async (context) => {
  const folder = await filledFolder(context);
  const store = await folder.open();
  await store.blobs.write(randomId(), [Buffer.from('its row is yet to be written')]);
  const before = await folder.blobFiles();
  const parts = { ...store, clock: later, orphanAgeSeconds: 3600 };
  const report = await checkAndRepair({ ...parts, quarantineFolder: folder.path });
  assert.deepEqual([report.quarantine, report.problemCount], [0, 0]);
  assert.deepEqual(await folder.blobFiles(), before);
});
