import assert from 'node:assert/strict';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, mock, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BlobStore } from '../../src/engines/blob-store.js';
import { openFsBlobStore } from '../../src/engines/fs/store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../src/engines/memory/blob-store.js';
import { StorageUnavailable } from '../../src/engines/storage-errors.js';
import { randomId } from '../../src/lib/random-id.js';
import { guardBlobs } from '../../src/store/guarded-blobs.js';
import { claimBlobs, identityBlob } from '../../src/store/identity.js';
import { temporaryFolder } from '../support/run-cli.js';

let logged: string[];
const log = {
  error: (_: unknown, message: string) => logged.push(message),
  info: (_: unknown, message: string) => logged.push(message),
};

beforeEach(() => {
  logged = [];
});

async function guarded(blobs: BlobStore) {
  const identity = await claimBlobs(await openLevelStore({ memory: true }), blobs);
  assert.ok(identity !== undefined);
  return { identity, ...guardBlobs(blobs, { identity, place: 'the place', log }) };
}

const chunks = [Buffer.from('x')];
const refused = { name: 'StorageUnavailable', reason: 'the blob store is not the one of these rows' };

/** Whether nothing can be written or deleted. */
async function refuses({ write, add, delete: remove, ready }: BlobStore): Promise<void> {
  await assert.rejects(write(randomId(), chunks), refused);
  await assert.rejects(add(chunks), refused);
  await assert.rejects(remove([randomId()]), refused);
  await assert.rejects(async () => await ready?.(), refused);
}

test('a folder that is exchanged is read, neither written nor emptied, and written again when it is back', async (context: TestContext) => {
  const parent = await temporaryFolder(context);
  const [folder, away] = [join(parent, 'blobs'), join(parent, 'away')];
  const store = await openFsBlobStore(folder, { isAlone: true });
  const { blobs, look } = await guarded(store);
  await look();
  const { id } = await blobs.add(chunks);
  await rename(folder, away);
  // An empty folder in place of the mounted one is noticed by the engine.
  await claimBlobs(await openLevelStore({ memory: true }), await openFsBlobStore(folder));
  await look();
  await refuses(blobs);
  await look();
  assert.equal(logged.length, 1, logged.join('\n'));
  assert.match(logged[0] as string, /^the bytes of other rows are in the place, so nothing is stored/);
  await rm(folder, { recursive: true });
  await rename(away, folder);
  await look();
  await blobs.ready?.();
  assert.equal(String(await blobs.readWhole(id, 1)), 'x');
  await blobs.delete([(await blobs.add(chunks)).id]);
  assert.match(logged[1] as string, /^the bytes of these rows are in the place again/);
});

test('blobs that cannot be read stay what they were', async () => {
  const memory = openMemoryBlobStore();
  let isAway = false;
  const { blobs, look, identity } = await guarded({
    ...memory,
    async *read(id) {
      if (isAway) throw new StorageUnavailable('away');
      yield* memory.read(id);
    },
  });
  await look();
  isAway = true;
  await assert.rejects(look(), StorageUnavailable);
  await blobs.add(chunks);
  isAway = false;
  await memory.delete([identityBlob]);
  await look();
  isAway = true;
  await assert.rejects(look(), StorageUnavailable);
  await assert.rejects(blobs.add(chunks), refused);
  isAway = false;
  await memory.write(identityBlob, [Buffer.from(identity)]);
  await look();
  await blobs.add(chunks);
});

test('blobs that took no identity at the start are written when they take writes', async () => {
  const memory = openMemoryBlobStore();
  const { blobs, look } = await guarded(memory);
  await memory.delete([identityBlob]);
  await look();
  await blobs.add(chunks);
});

test('without a question, an exchange is noticed within half a minute, and its end within seconds', async () => {
  const memory = openMemoryBlobStore();
  const { blobs, start, identity } = await guarded(memory);
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const stop = start();
    await nextTurn();
    await memory.delete([identityBlob]);
    mock.timers.tick(30_000);
    await nextTurn();
    await assert.rejects(blobs.add(chunks), refused);
    await memory.write(identityBlob, [Buffer.from(identity)]);
    mock.timers.tick(3000);
    await nextTurn();
    await blobs.add(chunks);
    await stop();
  } finally {
    mock.timers.reset();
  }
});
