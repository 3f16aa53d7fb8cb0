import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { BlobStore } from '../../../src/engines/blob-store.js';
import { readFailure, storageFailure } from '../../../src/engines/fs/errors.js';
import { createSharedSync } from '../../../src/engines/fs/shared-sync.js';
import { openFsBlobStore } from '../../../src/engines/fs/store.js';
import { openMemoryBlobStore } from '../../../src/engines/memory/blob-store.js';
import { BlobMissing, isBadSector, StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { randomId } from '../../../src/lib/random-id.js';
import { blobStoreSuite, patterned } from '../../conformance/blob-store-suite.js';
import { createGate } from '../../support/gate.js';

for (const [name, options] of Object.entries({
  'files in a folder': {},
  'files in a folder, alone': { isAlone: true },
  'files in a folder, alone, with packs of one blob': { isAlone: true, packBytes: 1 },
})) {
  blobStoreSuite(name, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'basedrive-fs-'));
    const store = await openFsBlobStore(folder, options);
    return {
      store,
      reopen: async () => {
        await store.close();
        return openFsBlobStore(folder, options);
      },
      cleanup: () => rm(folder, { recursive: true }),
    };
  });
}

blobStoreSuite('memory', async () => {
  const store = openMemoryBlobStore();
  return {
    store,
    reopen: async () => {
      await store.close();
      return openMemoryBlobStore();
    },
    isInMemory: true,
    cleanup: async () => {},
  };
});

describe('files in a folder', () => {
  let root: string;
  let folder: string;
  let store: BlobStore;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'basedrive-fs-'));
    folder = join(root, 'blobs');
    store = await openFsBlobStore(folder);
  });
  afterEach(async () => {
    await store.close();
    await rm(root, { recursive: true });
  });

  async function files(): Promise<string[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  }

  async function ids(): Promise<string[]> {
    const found: string[] = [];
    for await (const blob of store.ids()) found.push(blob.id);
    return found;
  }

  test('a start leaves alone what others write: processes may share the folder', async () => {
    const half = createGate();
    const goOn = createGate();
    const id = randomId();
    await mkdir(join(folder, id.slice(0, 2)));
    await writeFile(join(folder, id.slice(0, 2), `${id}.note`), 'not a blob');
    async function* source() {
      yield patterned(1_000_000, 1);
      half.open();
      await goOn.passed;
      yield patterned(1000, 2);
    }
    const written = store.write(id, source());
    await half.passed;
    const others = await Promise.all([1, 2, 3].map(() => openFsBlobStore(folder)));
    goOn.open();
    assert.equal((await written).sizeBytes, 1_001_000);
    for (const other of others) await other.close();
    assert.deepEqual(await ids(), [id]);
  });

  test('processes that start at once on a folder that is not there yet share it', async () => {
    const place = join(root, 'new');
    const stores = await Promise.all([1, 2, 3].map(() => openFsBlobStore(place)));
    for (const one of stores) {
      await one.write(randomId(), [patterned(10, 1)]);
      await one.close();
    }
  });

  test('a write that fails leaves no file', async () => {
    async function* source() {
      yield patterned(1_000_000, 1);
      throw new Error('cut off');
    }
    await assert.rejects(store.write(randomId(), source()), /cut off/);
    assert.deepEqual(await files(), []);
  });

  test('without its folder the store is unavailable, and comes back with it', async () => {
    const id = randomId();
    await store.write(id, [patterned(10, 1)]);
    await rename(folder, `${folder}.away`);
    await assert.rejects(store.write(randomId(), [patterned(10, 1)]), StorageUnavailable);
    await assert.rejects(store.read(id)[Symbol.asyncIterator]().next(), StorageUnavailable);
    // As where a disk is not mounted any more: nothing may be written beside it, and nothing of it is lost.
    await mkdir(folder);
    for (let n = 0; n < 4; n++) {
      await assert.rejects(store.write(randomId(), [patterned(10, 1)]), StorageUnavailable);
      await assert.rejects(store.read(randomId())[Symbol.asyncIterator]().next(), StorageUnavailable);
    }
    await assert.rejects(ids(), StorageUnavailable);
    assert.deepEqual(await readdir(folder), []);
    await rmdir(folder);
    await rename(`${folder}.away`, folder);
    await store.write(randomId(), [patterned(10, 1)]);
    assert.equal((await ids()).length, 2);
    await assert.rejects(store.read(randomId())[Symbol.asyncIterator]().next(), BlobMissing);
  });

  test('a disk that refuses is unavailable; the cause goes along', async () => {
    const id = randomId();
    await store.write(id, [patterned(10, 1)]);
    await store.delete([id]);
    await rm(join(folder, id.slice(0, 2)), { recursive: true });
    const failure = await store.write(id, [patterned(10, 1)]).catch((cause) => cause);
    assert.ok(failure instanceof StorageUnavailable);
    assert.equal((failure.cause as NodeJS.ErrnoException).code, 'ENOENT');
    assert.deepEqual(await files(), []);
  });

  test('failures of a disk that end by themselves are StorageUnavailable, and defects are not', () => {
    for (const code of [
      'ENOSPC',
      'EROFS',
      'EMFILE',
      'ENFILE',
      'EDQUOT',
      'EIO',
      'ENOENT',
      'EACCES',
      'EPERM',
    ]) {
      const cause = Object.assign(new Error('no'), { code });
      assert.ok(storageFailure(cause) instanceof StorageUnavailable);
    }
    const sector = Object.assign(new Error('no'), { code: 'EIO' });
    assert.ok(isBadSector(readFailure('Blob 1', sector)));
    const defect = new TypeError('no');
    assert.equal(storageFailure(defect), defect);
  });

  test('a closed store takes nothing more', async () => {
    await store.close();
    await assert.rejects(store.write(randomId(), [patterned(10, 1)]), StorageUnavailable);
  });
});

describe('shared folder sync', () => {
  function recording() {
    const begun: { folder: string; end: () => void; fail: (cause: Error) => void }[] = [];
    const sync = createSharedSync((folder) => {
      const gate = createGate();
      begun.push({ folder, end: gate.open, fail: gate.fail });
      return gate.passed;
    });
    return { begun, sync };
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test('one that has begun does not count for who comes later; those share the next', async () => {
    const { begun, sync } = recording();
    let second = 0;
    const first = sync('a');
    const others = [1, 2, 3].map(() => sync('a').then(() => second++));
    assert.equal(begun.length, 1);
    begun[0]?.end();
    await first;
    await turn();
    assert.equal(begun.length, 2);
    assert.equal(second, 0);
    begun[1]?.end();
    await Promise.all(others);
    assert.equal(second, 3);
    assert.equal(begun.length, 2);
  });

  test('folders do not wait for each other', () => {
    const { begun, sync } = recording();
    void sync('a');
    void sync('b');
    assert.deepEqual(
      begun.map((call) => call.folder),
      ['a', 'b'],
    );
  });

  test('a failure is reported to the callers of that sync, and the next call tries again', async () => {
    const { begun, sync } = recording();
    const first = sync('a');
    const second = sync('a');
    begun[0]?.fail(new Error('disk'));
    await assert.rejects(first, /disk/);
    await turn();
    begun[1]?.end();
    await second;
    const third = sync('a');
    begun[2]?.end();
    await third;
  });
});
