import assert from 'node:assert/strict';
import { copyFile, mkdir, open, readdir, rename, rmdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createPackIds } from '../../../src/engines/fs/packs/pack-ids.js';
import { openPacks } from '../../../src/engines/fs/packs/packs.js';
import { headerOf } from '../../../src/engines/fs/packs/record.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { syncFolder } from '../../../src/lib/folder.js';
import { createGate } from '../../support/gate.js';
import { blobBytes, bytesOf, packBytes, usePacks } from '../../support/packs.js';

describe('packs', () => {
  const { disk, listed, pathOf, files, reopen, addAll, streamed, expectKept } = usePacks();

  test('blobs share a file until it is full', async () => {
    const ids = await addAll(25);
    assert.equal((await files()).length, 3);
    await expectKept(ids, () => true);
    await reopen();
    await expectKept(ids, () => true);
    for await (const blob of disk.packs.list())
      assert.deepEqual([blob.sizeBytes, blob.writtenSeconds], [blobBytes, 1_800_000_000]);
  });

  test('a start begins a new pack and leaves the old ones as they are', async () => {
    const ids = await addAll(2);
    const [before] = await files();
    const { mtimeMs, size } = await stat(await pathOf(before));
    await reopen();
    ids.push(await disk.packs.append([bytesOf(2)], blobBytes));
    const after = await stat(await pathOf(before));
    assert.deepEqual([after.mtimeMs, after.size, (await files()).length], [mtimeMs, size, 2]);
    await expectKept(ids, () => true);
  });

  test('a changed header costs no blob, and a pack with one is not written anew', async () => {
    const ids = await addAll(10);
    await reopen();
    const [name] = await files();
    const file = await open(await pathOf(name), 'r+');
    await file.write(Buffer.from([0x5a]), 0, 1, 3 * 20_480 + 50);
    await file.close();
    assert.ok((await disk.packs.readWhole(ids[3] ?? ''))?.equals(bytesOf(3)));
    assert.ok((await streamed(ids[3] ?? '')).equals(bytesOf(3)));
    assert.deepEqual(await listed(), ids.filter((_, n) => n !== 3).sort());
    await disk.packs.delete(ids.filter((_, n) => n !== 3));
    await disk.packs.reclaim();
    assert.ok((await disk.packs.readWhole(ids[3] ?? ''))?.equals(bytesOf(3)));
  });

  test('of a pack that ends too soon, what is there is read', async () => {
    const ids = await addAll(10);
    await reopen();
    const [name] = await files();
    await truncate(await pathOf(name), 4 * 20_480 + 1000);
    for (const n of [0, 3]) assert.ok((await disk.packs.readWhole(ids[n] ?? ''))?.equals(bytesOf(n)));
    await assert.rejects(disk.packs.readWhole(ids[4] ?? ''), /ends before 20000 of its bytes/);
    await assert.rejects(streamed(ids[4] ?? ''), /ends at 936, before 20000/);
    assert.equal(await disk.packs.readWhole(ids[5] ?? ''), undefined);
  });

  test('a blob with a damaged header can be deleted', async () => {
    const ids = await addAll(10);
    await reopen();
    const file = await open(await pathOf((await files())[0]), 'r+');
    await file.write(Buffer.from([0x5a]), 0, 1, 3 * 20_480 + 50);
    await file.close();
    assert.deepEqual(await disk.packs.delete([ids[3] ?? '']), []);
    await expectKept(ids, (n) => n !== 3);
    await disk.packs.delete(ids);
    await disk.packs.reclaim();
    assert.deepEqual(await files(), []);
  });

  test('ids look random, and no id of another key names a pack', async () => {
    const ids = await addAll(40);
    for (const length of [2, 4, 8]) {
      const begins = new Set(ids.map((id) => id.slice(0, length)));
      assert.ok(begins.size > (length === 2 ? 30 : 38), `${begins.size} begin in ${length} digits`);
    }
    const others = createPackIds('ab'.repeat(16));
    const [pack = ''] = await files();
    assert.equal(await disk.packs.readWhole(others.idOf({ pack, at: 0, sizeBytes: blobBytes })), undefined);
    assert.equal(await disk.packs.readWhole('f'.repeat(32)), undefined);
    assert.ok(await disk.packs.readWhole(ids[0] ?? ''));
  });

  test('bytes of a blob that look like a header are not taken for one', async () => {
    const first = await disk.packs.append([bytesOf(0)], blobBytes);
    const [pack = ''] = await files();
    const forged = Buffer.alloc(3 * 4096 - 64);
    for (const [n, state] of (['live', 'gone', 'hole'] as const).entries()) {
      const header = headerOf({ state, id: first, lengthBytes: 20_480, writtenMs: 1 });
      if (n > 0) header.copy(forged, n * 4096 - 64);
    }
    const second = await disk.packs.append([forged], forged.length);
    const third = await disk.packs.append([bytesOf(2)], blobBytes);
    await reopen();
    const file = await open(await pathOf(pack), 'r+');
    await file.write(Buffer.alloc(64), 0, 64, 20_480);
    await file.close();
    // The header of the second one is lost: what is in its bytes is no record.
    assert.deepEqual(await listed(), [first, third].sort());
    assert.equal(await disk.packs.readWhole(second), undefined);
    await disk.packs.delete([first, third]);
    await disk.packs.reclaim();
    assert.deepEqual(await files(), [pack], 'what cannot be told apart stays');
  });

  test('after a sync that failed, nothing of that pack is answered as stored', async () => {
    // The second append waits for the sync after the one that fails.
    const failed = openPacks({
      folder: join(disk.root, 'broken'),
      packBytes,
      clock: Date.now,
      isAlone: true,
      makeFolder: () => undefined,
      syncFolder,
    });
    const broken = await failed;
    await mkdir(join(disk.root, 'broken'));
    const kept = await broken.append([bytesOf(0)], blobBytes);
    const key = join(disk.root, 'broken', (await readdir(join(disk.root, 'broken')))[0] ?? '');
    await rename(key, `${key}.away`);
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, (_, n) => broken.append([bytesOf(n)], blobBytes)),
    );
    assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(['rejected']));
    await rename(`${key}.away`, key);
    assert.ok((await broken.readWhole(kept))?.equals(bytesOf(0)));
    assert.ok(await broken.append([bytesOf(1)], blobBytes));
    await broken.close();
  });

  test('a pack that is not in its folder any more takes nothing: a restart would not find it', async () => {
    await addAll(1);
    await rename(disk.folder, `${disk.folder}.away`);
    await assert.rejects(addAll(1), StorageUnavailable);
    // Nothing is written where a disk was mounted before.
    await mkdir(disk.folder);
    await assert.rejects(addAll(1), StorageUnavailable);
    await rmdir(disk.folder);
    await rename(`${disk.folder}.away`, disk.folder);
    const id = await disk.packs.append([bytesOf(1)], blobBytes);
    for (const one of await files()) {
      await copyFile(await pathOf(one), join(disk.root, 'copy'));
      await rename(join(disk.root, 'copy'), await pathOf(one));
    }
    await assert.rejects(addAll(1), StorageUnavailable);
    assert.ok((await disk.packs.readWhole(id))?.equals(bytesOf(1)));
  });

  test('nothing is answered before the folder has the entry of its pack', async () => {
    const gate = createGate();
    disk.syncs = () => gate.passed;
    let isAnswered = false;
    const added = addAll(1).then(() => {
      isAnswered = true;
    });
    while ((await files()).length === 0 || (await stat(await pathOf((await files())[0]))).size === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(isAnswered, false);
    gate.open();
    await added;
  });

  test('an append that fails keeps nothing, and the next one goes to another pack', async () => {
    disk.syncs = () => Promise.reject(Object.assign(new Error('no'), { code: 'EIO' }));
    await assert.rejects(addAll(3), StorageUnavailable);
    disk.syncs = syncFolder;
    const ids = await addAll(2);
    await expectKept(ids, () => true);
    await reopen();
    assert.equal((await files()).length, 1);
  });
});
