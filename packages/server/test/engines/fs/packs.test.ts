import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, open, readdir, rename, rm, rmdir, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createPackIds } from '../../../src/engines/fs/packs/pack-ids.js';
import { openPacks, type Packs } from '../../../src/engines/fs/packs/packs.js';
import { headerOf } from '../../../src/engines/fs/packs/record.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { syncFolder } from '../../../src/lib/folder.js';
import { patterned } from '../../conformance/blob-store-suite.js';
import { createGate } from '../../support/gate.js';

const blobBytes = 20_000;
/** Ten blobs with their headers fill a pack. */
const packBytes = 10 * 20_480;

describe('packs', () => {
  let root: string;
  let folder: string;
  let packs: Packs;
  let syncs: (folder: string) => Promise<void>;
  let nowMs: number;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'basedrive-packs-'));
    folder = join(root, 'packs');
    await mkdir(folder);
    syncs = syncFolder;
    nowMs = 0;
    packs = await opened();
  });
  afterEach(async () => {
    await packs.close();
    await rm(root, { recursive: true });
  });

  const opened = (isAlone = true, bytes = packBytes) =>
    openPacks({
      folder,
      packBytes: bytes,
      clock: () => 1_800_000_000_000,
      monotonicMs: () => nowMs,
      isAlone,
      makeFolder: () => undefined,
      syncFolder: (path) => syncs(path),
    });
  const reopen = async () => {
    await packs.close();
    packs = await opened();
  };
  const bytesOf = (n: number) => patterned(blobBytes, n);
  async function addAll(count: number): Promise<string[]> {
    return await Promise.all(Array.from({ length: count }, (_, n) => packs.append([bytesOf(n)], blobBytes)));
  }
  async function listed(): Promise<string[]> {
    const found: string[] = [];
    for await (const { id } of packs.list()) found.push(id);
    return found.sort();
  }
  async function streamed(id: string): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of packs.read(id, undefined)) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  }
  async function expectKept(ids: readonly string[], kept: (n: number) => boolean): Promise<void> {
    for (const [n, id] of ids.entries()) {
      const bytes = await packs.readWhole(id);
      if (kept(n)) assert.ok(bytes?.equals(bytesOf(n)), `blob ${n} is kept`);
      else assert.equal(bytes, undefined, `blob ${n} is gone`);
    }
    assert.deepEqual(await listed(), ids.filter((_, n) => kept(n)).sort());
  }
  /** The folder of the packs: its name is the key of their ids. */
  const keyFolder = async () => join(folder, (await readdir(folder))[0] ?? '');
  const pathOf = async (name = '') => join(await keyFolder(), name);
  const files = async () => (await readdir(await keyFolder())).sort();
  async function diskBytes(): Promise<number> {
    let blocks = 0;
    for (const name of await files()) blocks += (await stat(await pathOf(name))).blocks;
    return blocks * 512;
  }

  test('blobs share a file until it is full', async () => {
    const ids = await addAll(25);
    assert.equal((await files()).length, 3);
    await expectKept(ids, () => true);
    await reopen();
    await expectKept(ids, () => true);
    for await (const blob of packs.list())
      assert.deepEqual([blob.sizeBytes, blob.writtenSeconds], [blobBytes, 1_800_000_000]);
  });

  test('a start begins a new pack and leaves the old ones as they are', async () => {
    const ids = await addAll(2);
    const [before] = await files();
    const { mtimeMs, size } = await stat(await pathOf(before));
    await reopen();
    ids.push(await packs.append([bytesOf(2)], blobBytes));
    const after = await stat(await pathOf(before));
    assert.deepEqual([after.mtimeMs, after.size, (await files()).length], [mtimeMs, size, 2]);
    await expectKept(ids, () => true);
  });

  test('a pack without a blob is removed, and one of which half is gone gives that half back', async () => {
    const ids = await addAll(20);
    const before = await diskBytes();
    await reopen();
    const kept = (n: number) => n >= 10 && n % 2 === 0;
    await packs.delete(ids.filter((_, n) => !kept(n)));
    await packs.reclaim();
    assert.equal((await files()).length, 1);
    const after = await diskBytes();
    assert.ok(after < before / 3, `${after} of ${before} bytes are left`);
    await expectKept(ids, kept);
    await reopen();
    await expectKept(ids, kept);
    // What is a hole already is not counted again: nothing is copied for one blob more.
    const [name] = await files();
    const { ino } = await stat(await pathOf(name));
    await packs.delete([ids[10] ?? '']);
    await packs.reclaim();
    assert.equal((await stat(await pathOf(name))).ino, ino);
    await expectKept(ids, (n) => kept(n) && n !== 10);
    await packs.delete(ids);
    await packs.reclaim();
    assert.deepEqual(await files(), []);
  });

  test('a pack of which more is deleted every second is not written anew for a minute, and is removed when it is empty', async () => {
    const ids = await addAll(30);
    await reopen();
    const restMs = 5000;
    const pack = (await diskBytes()) / 3;
    // Of the first ten eight are gone, of the second ten all, and of the last ten six.
    await packs.delete([...ids.slice(0, 8), ...ids.slice(10, 20), ...ids.slice(20, 26)]);
    await packs.reclaim(restMs);
    assert.equal((await files()).length, 2, 'the empty one is removed at once');
    assert.equal(await diskBytes(), 2 * pack);
    nowMs += restMs - 1;
    await packs.delete(ids.slice(8, 9));
    nowMs += 1;
    await packs.reclaim(restMs);
    const left = await diskBytes();
    assert.ok(
      left > pack && left < 1.6 * pack,
      `only the one that was left alone is written anew: ${left} of ${2 * pack}`,
    );
    nowMs += 60_000 - restMs - 1;
    await packs.delete(ids.slice(9, 10));
    await packs.reclaim(restMs);
    assert.equal((await files()).length, 1, 'the last blob of the first ten is gone');
    await expectKept(ids, (n) => n >= 26);
  });

  test('a pack of which something is deleted all the time is written anew after a minute', async () => {
    const ids = await addAll(10);
    await reopen();
    await packs.delete(ids.slice(0, 6));
    await packs.reclaim(5000);
    const [name] = await files();
    const { ino } = await stat(await pathOf(name));
    nowMs += 59_999;
    await packs.delete(ids.slice(6, 7));
    await packs.reclaim(5000);
    assert.equal((await stat(await pathOf(name))).ino, ino);
    nowMs += 1;
    await packs.reclaim(5000);
    assert.notEqual((await stat(await pathOf(name))).ino, ino);
    await expectKept(ids, (n) => n >= 7);
  });

  test('what is deleted while a pack is looked at does not count against the file that takes its place', async () => {
    // At ever later moments of the look.
    for (let round = 0; round < 120; round++) {
      const ids = await addAll(10);
      await reopen();
      await packs.delete(ids.slice(1, 6));
      const reclaimed = packs.reclaim();
      for (let turn = 0; turn < round; turn++) await new Promise((resolve) => setImmediate(resolve));
      // The last ones: what is gone at the end is left out of the new file, which is then as short as what is deleted here.
      const deleted = packs.delete(ids.slice(6));
      await Promise.all([reclaimed, deleted]);
      await packs.reclaim();
      await packs.reclaim();
      assert.ok((await packs.readWhole(ids[0] ?? ''))?.equals(bytesOf(0)), `round ${round}`);
      await packs.delete(ids);
    }
  });

  test('a last record that a kill has cut off does not count for more than is there', async () => {
    const small = Buffer.alloc(3000, 7);
    const kept = await packs.append([small], small.length);
    const cutOff = await packs.append([bytesOf(1)], blobBytes);
    await reopen();
    await truncate(await pathOf((await files())[0]), 4096 + 1000);
    await packs.delete([cutOff]);
    await packs.reclaim();
    assert.ok((await packs.readWhole(kept))?.equals(small));
  });

  test('a pack of which a little is deleted every few seconds is written anew a minute after half of it is gone', async () => {
    await packs.close();
    packs = await opened(true, 4 * packBytes);
    const ids = await addAll(40);
    await reopen();
    const before = await diskBytes();
    let isWrittenAnewAt: number | undefined;
    for (const [n, id] of ids.slice(0, 39).entries()) {
      await packs.delete([id]);
      await packs.reclaim(5000);
      if ((await diskBytes()) < before) isWrittenAnewAt ??= n + 1;
      nowMs += 4000;
    }
    // Half of them are gone after 20, and fifteen times 4 s later a minute has passed.
    assert.equal(isWrittenAnewAt, 35);
    await expectKept(ids, (n) => n === 39);
  });

  test('what is deleted after a look at a pack counts, too', async () => {
    const ids = await addAll(10);
    await reopen();
    const before = await diskBytes();
    await packs.delete(ids.slice(0, 4));
    await packs.reclaim();
    assert.equal(await diskBytes(), before);
    await packs.delete(ids.slice(4, 6));
    await packs.reclaim();
    assert.ok((await diskBytes()) < before / 2);
    await expectKept(ids, (n) => n >= 6);
  });

  test('room is given back after a restart too: the list of all blobs finds what was deleted', async () => {
    const ids = await addAll(10);
    await packs.delete(ids.slice(0, 6));
    await reopen();
    await packs.reclaim();
    const before = await diskBytes();
    await listed();
    await packs.reclaim();
    assert.ok((await diskBytes()) < before / 2);
    await expectKept(ids, (n) => n >= 6);
  });

  test('where several processes write, packs are read and marked, and none is written anew', async () => {
    const ids = await addAll(10);
    await packs.close();
    packs = await opened(false);
    const [name] = await files();
    const { ino } = await stat(await pathOf(name));
    await packs.delete(ids.slice(0, 8));
    await packs.reclaim();
    assert.equal((await stat(await pathOf(name))).ino, ino);
    await expectKept(ids, (n) => n >= 8);
  });

  test('what a kill has left of a pack that was written anew is removed', async () => {
    const ids = await addAll(10);
    await reopen();
    await copyFile(await pathOf((await files())[0]), await pathOf('0123456789abcdef.new'));
    await packs.delete(ids.slice(0, 1));
    await packs.reclaim();
    assert.equal((await files()).length, 1);
    await expectKept(ids, (n) => n >= 1);
  });

  test('what is deleted while a pack is written anew stays deleted', async () => {
    const large = 1_000_000;
    await packs.close();
    packs = await opened(true, 20 * large);
    /** How far the new file has come; undefined if there is none. */
    const newBytes = async () => {
      const name = (await files()).find((one) => one.endsWith('.new'));
      return name && (await stat(await pathOf(name)).catch(() => undefined))?.size;
    };
    for (let cut = 0; cut < 3; ) {
      const ids = await Promise.all(
        Array.from({ length: 16 }, (_, n) => packs.append([patterned(large, n)], large)),
      );
      await packs.close();
      packs = await opened(true, 20 * large);
      await packs.delete(ids.slice(0, 8));
      let isDone = false;
      const reclaimed = packs.reclaim().then(() => {
        isDone = true;
      });
      // The ninth blob is copied already, the last one is not.
      while (!isDone && Number((await newBytes()) ?? 0) < 9.5 * large);
      await packs.delete([ids[8] ?? '', ids[15] ?? '']);
      if (await newBytes()) cut++;
      await reclaimed;
      const kept = [9, 10, 11, 12, 13, 14];
      for (const [n, id] of ids.entries())
        assert.equal((await packs.readWhole(id)) !== undefined, kept.includes(n));
      assert.deepEqual(await listed(), kept.map((n) => ids[n]).sort());
      await packs.delete(ids);
      await packs.reclaim();
      assert.deepEqual(await files(), []);
    }
  });

  test('a reader gets all bytes of a blob that is deleted while it reads, and whose room is given back', async () => {
    const big = patterned(700_000, 5);
    const id = await packs.append([big], big.length);
    const other = await packs.append([bytesOf(1)], blobBytes);
    await reopen();
    const chunks: Buffer[] = [];
    for await (const chunk of packs.read(id, undefined)) {
      if (chunks.length === 0) {
        await packs.delete([id, other]);
        await packs.reclaim();
        assert.deepEqual(await files(), []);
      }
      chunks.push(Buffer.from(chunk));
    }
    assert.ok(Buffer.concat(chunks).equals(big));
    assert.deepEqual(await streamed(id), Buffer.alloc(0));
  });

  test('a changed header costs no blob, and a pack with one is not written anew', async () => {
    const ids = await addAll(10);
    await reopen();
    const [name] = await files();
    const file = await open(await pathOf(name), 'r+');
    await file.write(Buffer.from([0x5a]), 0, 1, 3 * 20_480 + 50);
    await file.close();
    assert.ok((await packs.readWhole(ids[3] ?? ''))?.equals(bytesOf(3)));
    assert.ok((await streamed(ids[3] ?? '')).equals(bytesOf(3)));
    assert.deepEqual(await listed(), ids.filter((_, n) => n !== 3).sort());
    await packs.delete(ids.filter((_, n) => n !== 3));
    await packs.reclaim();
    assert.ok((await packs.readWhole(ids[3] ?? ''))?.equals(bytesOf(3)));
  });

  test('of a pack that ends too soon, what is there is read', async () => {
    const ids = await addAll(10);
    await reopen();
    const [name] = await files();
    await truncate(await pathOf(name), 4 * 20_480 + 1000);
    for (const n of [0, 3]) assert.ok((await packs.readWhole(ids[n] ?? ''))?.equals(bytesOf(n)));
    await assert.rejects(packs.readWhole(ids[4] ?? ''), /ends before 20000 of its bytes/);
    await assert.rejects(streamed(ids[4] ?? ''), /ends at 936, before 20000/);
    assert.equal(await packs.readWhole(ids[5] ?? ''), undefined);
  });

  test('a blob with a damaged header can be deleted', async () => {
    const ids = await addAll(10);
    await reopen();
    const file = await open(await pathOf((await files())[0]), 'r+');
    await file.write(Buffer.from([0x5a]), 0, 1, 3 * 20_480 + 50);
    await file.close();
    assert.deepEqual(await packs.delete([ids[3] ?? '']), []);
    await expectKept(ids, (n) => n !== 3);
    await packs.delete(ids);
    await packs.reclaim();
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
    assert.equal(await packs.readWhole(others.idOf({ pack, at: 0, sizeBytes: blobBytes })), undefined);
    assert.equal(await packs.readWhole('f'.repeat(32)), undefined);
    assert.ok(await packs.readWhole(ids[0] ?? ''));
  });

  test('bytes of a blob that look like a header are not taken for one', async () => {
    const first = await packs.append([bytesOf(0)], blobBytes);
    const [pack = ''] = await files();
    const forged = Buffer.alloc(3 * 4096 - 64);
    for (const [n, state] of (['live', 'gone', 'hole'] as const).entries()) {
      const header = headerOf({ state, id: first, lengthBytes: 20_480, writtenMs: 1 });
      if (n > 0) header.copy(forged, n * 4096 - 64);
    }
    const second = await packs.append([forged], forged.length);
    const third = await packs.append([bytesOf(2)], blobBytes);
    await reopen();
    const file = await open(await pathOf(pack), 'r+');
    await file.write(Buffer.alloc(64), 0, 64, 20_480);
    await file.close();
    // The header of the second one is lost: what is in its bytes is no record.
    assert.deepEqual(await listed(), [first, third].sort());
    assert.equal(await packs.readWhole(second), undefined);
    await packs.delete([first, third]);
    await packs.reclaim();
    assert.deepEqual(await files(), [pack], 'what cannot be told apart stays');
  });

  test('after a sync that failed, nothing of that pack is answered as stored', async () => {
    // The second append waits for the sync after the one that fails.
    const failed = openPacks({
      folder: join(root, 'broken'),
      packBytes,
      clock: Date.now,
      isAlone: true,
      makeFolder: () => undefined,
      syncFolder,
    });
    const broken = await failed;
    await mkdir(join(root, 'broken'));
    const kept = await broken.append([bytesOf(0)], blobBytes);
    const key = join(root, 'broken', (await readdir(join(root, 'broken')))[0] ?? '');
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
    await rename(folder, `${folder}.away`);
    await assert.rejects(addAll(1), StorageUnavailable);
    // Nothing is written where a disk was mounted before.
    await mkdir(folder);
    await assert.rejects(addAll(1), StorageUnavailable);
    await rmdir(folder);
    await rename(`${folder}.away`, folder);
    const id = await packs.append([bytesOf(1)], blobBytes);
    for (const one of await files()) {
      await copyFile(await pathOf(one), join(root, 'copy'));
      await rename(join(root, 'copy'), await pathOf(one));
    }
    await assert.rejects(addAll(1), StorageUnavailable);
    assert.ok((await packs.readWhole(id))?.equals(bytesOf(1)));
  });

  test('nothing is answered before the folder has the entry of its pack', async () => {
    const gate = createGate();
    syncs = () => gate.passed;
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
    syncs = () => Promise.reject(Object.assign(new Error('no'), { code: 'EIO' }));
    await assert.rejects(addAll(3), StorageUnavailable);
    syncs = syncFolder;
    const ids = await addAll(2);
    await expectKept(ids, () => true);
    await reopen();
    assert.equal((await files()).length, 1);
  });
});
