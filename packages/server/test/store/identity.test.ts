import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { jsonRow, nameKey } from '../../src/drive/rows.js';
import { openFsBlobStore } from '../../src/engines/fs/store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../src/engines/memory/blob-store.js';
import { StorageUnavailable } from '../../src/engines/storage-errors.js';
import { randomId } from '../../src/lib/random-id.js';
import { driveSpace } from '../../src/spaces.js';
import { copyStore } from '../../src/store/copy/copy-store.js';
import { claimBlobs, ensureIdentity, haveSameIdentity, identityBlob } from '../../src/store/identity.js';
import { orphanRounds } from '../support/orphan-rounds.js';

const rows = () => openLevelStore({ memory: true });

test('bytes belong to the rows that were there first, and to no others', async () => {
  const [ours, theirs] = [await rows(), await rows()];
  const [bytes, moreBytes] = [openMemoryBlobStore(), openMemoryBlobStore()];
  assert.ok(await haveSameIdentity(ours, bytes));
  assert.ok(await claimBlobs(ours, bytes));
  assert.ok(await claimBlobs(ours, bytes));
  assert.ok(await claimBlobs(ours, moreBytes));
  assert.ok(await haveSameIdentity(ours, bytes));
  assert.ok(!(await haveSameIdentity(theirs, bytes)));
  assert.ok(!(await claimBlobs(theirs, bytes)));
  assert.ok(!(await claimBlobs(theirs, moreBytes)));
  assert.ok(await claimBlobs(theirs, openMemoryBlobStore()));
});

test('a server may start though another one claims the bytes between two looks at them', async () => {
  const items = await rows();
  const bytes = openMemoryBlobStore();
  let looks = 0;
  const late = {
    ...bytes,
    read(...given: Parameters<typeof bytes.read>) {
      const found = bytes.read(...given);
      return ++looks > 1 ? found : claimedAfter(found);
    },
  };
  async function* claimedAfter(found: AsyncIterable<Buffer>) {
    try {
      yield* found;
    } finally {
      await claimBlobs(items, bytes);
    }
  }
  assert.equal(await claimBlobs(items, late), await ensureIdentity(items));
});

test('servers that start at once over the same rows and bytes all may', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-identity-'));
  context.after(() => rm(folder, { recursive: true, maxRetries: 10 }));
  const items = await rows();
  const stores = await Promise.all([1, 2, 3, 4].map(() => openFsBlobStore(folder)));
  const identities = await Promise.all(stores.map((blobs) => claimBlobs(items, blobs)));
  assert.deepEqual(new Set(identities), new Set([await ensureIdentity(items)]));
  assert.ok(!(await claimBlobs(await rows(), stores[0]!)));
});

test('of two stores that claim the same empty bytes at once, where a write replaces another one, one is refused', async () => {
  const blobs = { ...openMemoryBlobStore(), replaces: true };
  const both = [await rows(), await rows()];
  const identities = await Promise.all(both.map((items) => claimBlobs(items, blobs)));
  assert.equal(identities.filter((identity) => identity !== undefined).length, 1);
  const areOwners = await Promise.all(both.map((items) => haveSameIdentity(items, blobs)));
  assert.deepEqual(
    areOwners,
    identities.map((identity) => identity !== undefined),
  );
});

test('a name that a crash cut off belongs to nobody', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-identity-'));
  context.after(() => rm(folder, { recursive: true, maxRetries: 10 }));
  const blobs = await openFsBlobStore(folder);
  await mkdir(join(folder, 'ff'), { recursive: true });
  await writeFile(join(folder, 'ff', 'f'.repeat(32)), 'half');
  const items = await rows();
  assert.ok(await haveSameIdentity(items, blobs));
  assert.ok(await claimBlobs(items, blobs));
  assert.ok(await haveSameIdentity(items, blobs));
  assert.ok(!(await haveSameIdentity(await rows(), blobs)));
});

test('the name of the rows is no orphan', async () => {
  const items = await rows();
  const blobs = openMemoryBlobStore(() => 0);
  await claimBlobs(items, blobs);
  assert.equal(await orphanRounds({ items, blobs }, Date.now).round(), 0);
  assert.ok(!(await claimBlobs(await rows(), blobs)));
});

test('a search for orphans says that other rows have claimed the bytes, also when it finds none', async () => {
  const items = await rows();
  const blobs = openMemoryBlobStore(() => 0);
  await claimBlobs(items, blobs);
  const { round, errors } = orphanRounds({ items, blobs }, Date.now);
  await round();
  assert.deepEqual(errors, []);
  await blobs.write(identityBlob, [Buffer.from(randomId())]);
  await round();
  assert.equal(errors.length, 1);
});

test('rows and bytes that were a pair are one after a copy was made over them', async () => {
  const source = { items: await rows(), blobs: openMemoryBlobStore() };
  const destination = { items: await rows(), blobs: openMemoryBlobStore() };
  for (const { items, blobs } of [source, destination]) assert.ok(await claimBlobs(items, blobs));
  const options = { overwrite: true, verify: false, blobsAtOnce: 2, listen() {} };
  await copyStore({ source, destination, ...options });
  assert.ok(await claimBlobs(destination.items, destination.blobs));
  assert.ok(!(await haveSameIdentity(source.items, destination.blobs)));
});

test('bytes that are away are not taken for bytes of nobody', async () => {
  const blobs = openMemoryBlobStore();
  const away = new StorageUnavailable('away');
  const failing = {
    ...blobs,
    // biome-ignore lint/correctness/useYield: it fails before its first chunk
    async *read(): AsyncGenerator<Buffer> {
      throw away;
    },
  };
  await assert.rejects(claimBlobs(await rows(), failing), away);
});

test('blobs without an identity are claimed only by rows that name one of them', async () => {
  const blobs = openMemoryBlobStore();
  const id = randomId();
  await blobs.write(id, [Buffer.from('somebody')]);
  assert.equal(await claimBlobs(await rows(), blobs), undefined);
  const owner = await rows();
  const file = { id, layout: 'blob', sizeBytes: 8, crc32: 0, contentType: 'text/plain', modifiedMs: 0 };
  await owner.transact(driveSpace('demo', 'photos'), [], () => ({
    puts: [jsonRow(nameKey('a'), file)],
    result: undefined,
  }));
  assert.ok(await claimBlobs(owner, blobs));
});

test('bytes that lost their identity and most of what was first are claimed by the rows that name the rest', async () => {
  const blobs = openMemoryBlobStore();
  const owner = await rows();
  const files = Array.from({ length: 300 }, (_, n) => {
    const file = { layout: 'blob', sizeBytes: 8, crc32: 0, contentType: 'text/plain', modifiedMs: 0 };
    return { name: `f${String(n).padStart(3, '0')}`, file: { id: randomId(), ...file } };
  });
  await owner.transact(driveSpace('demo', 'photos'), [], () => ({
    puts: files.map(({ name, file }) => jsonRow(nameKey(name), file)),
    result: undefined,
  }));
  await blobs.write(files.at(-1)!.file.id, [Buffer.from('somebody')]);
  assert.ok(await claimBlobs(owner, blobs));
});
