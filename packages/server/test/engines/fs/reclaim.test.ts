import assert from 'node:assert/strict';
import { copyFile, stat, truncate } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { isWorthCopying } from '../../../src/engines/fs/packs/worth-copying.js';
import { patterned } from '../../conformance/blob-store-suite.js';
import { blobBytes, bytesOf, packBytes, usePacks } from '../../support/packs.js';

describe('the room of deleted blobs in packs', () => {
  const { disk, opened, listed, pathOf, files, reopen, addAll, streamed, expectKept, diskBytes } = usePacks();

  test('a pack without a blob is removed, and one of which half is gone gives that half back', async () => {
    const ids = await addAll(20);
    const before = await diskBytes();
    await reopen();
    const kept = (n: number) => n >= 10 && n % 2 === 0;
    await disk.packs.delete(ids.filter((_, n) => !kept(n)));
    await disk.packs.reclaim();
    assert.equal((await files()).length, 1);
    const after = await diskBytes();
    assert.ok(after < before / 3, `${after} of ${before} bytes are left`);
    await expectKept(ids, kept);
    await reopen();
    await expectKept(ids, kept);
    // What is a hole already is not counted again: nothing is copied for one blob more.
    const [name] = await files();
    const { ino } = await stat(await pathOf(name));
    await disk.packs.delete([ids[10] ?? '']);
    await disk.packs.reclaim();
    assert.equal((await stat(await pathOf(name))).ino, ino);
    await expectKept(ids, (n) => kept(n) && n !== 10);
    await disk.packs.delete(ids);
    await disk.packs.reclaim();
    assert.deepEqual(await files(), []);
  });

  test('a pack of which more is deleted every second is not written anew for a minute, and is removed when it is empty', async () => {
    const ids = await addAll(30);
    await reopen();
    const restMs = 5000;
    const pack = (await diskBytes()) / 3;
    // Of the first ten eight are gone, of the second ten all, and of the last ten six.
    await disk.packs.delete([...ids.slice(0, 8), ...ids.slice(10, 20), ...ids.slice(20, 26)]);
    await disk.packs.reclaim(restMs);
    assert.equal((await files()).length, 2, 'the empty one is removed at once');
    assert.equal(await diskBytes(), 2 * pack);
    disk.nowMs += restMs - 1;
    await disk.packs.delete(ids.slice(8, 9));
    disk.nowMs += 1;
    await disk.packs.reclaim(restMs);
    const left = await diskBytes();
    assert.ok(
      left > pack && left < 1.6 * pack,
      `only the one that was left alone is written anew: ${left} of ${2 * pack}`,
    );
    disk.nowMs += 60_000 - restMs - 1;
    await disk.packs.delete(ids.slice(9, 10));
    await disk.packs.reclaim(restMs);
    assert.equal((await files()).length, 1, 'the last blob of the first ten is gone');
    await expectKept(ids, (n) => n >= 26);
  });

  test('a pack of which something is deleted all the time is written anew after a minute', async () => {
    const ids = await addAll(10);
    await reopen();
    await disk.packs.delete(ids.slice(0, 6));
    await disk.packs.reclaim(5000);
    const [name] = await files();
    const { ino } = await stat(await pathOf(name));
    disk.nowMs += 59_999;
    await disk.packs.delete(ids.slice(6, 7));
    await disk.packs.reclaim(5000);
    assert.equal((await stat(await pathOf(name))).ino, ino);
    disk.nowMs += 1;
    await disk.packs.reclaim(5000);
    assert.notEqual((await stat(await pathOf(name))).ino, ino);
    await expectKept(ids, (n) => n >= 7);
  });

  test('what is deleted while a pack is looked at does not count against the file that takes its place', async () => {
    // At ever later moments of the look.
    for (let round = 0; round < 120; round++) {
      const ids = await addAll(10);
      await reopen();
      await disk.packs.delete(ids.slice(1, 6));
      const reclaimed = disk.packs.reclaim();
      for (let turn = 0; turn < round; turn++) await new Promise((resolve) => setImmediate(resolve));
      // The last ones: what is gone at the end is left out of the new file, which is then as short as what is deleted here.
      const deleted = disk.packs.delete(ids.slice(6));
      await Promise.all([reclaimed, deleted]);
      await disk.packs.reclaim();
      await disk.packs.reclaim();
      assert.ok((await disk.packs.readWhole(ids[0] ?? ''))?.equals(bytesOf(0)), `round ${round}`);
      await disk.packs.delete(ids);
    }
  });

  test('a last record that a kill has cut off does not count for more than is there', async () => {
    const small = Buffer.alloc(3000, 7);
    const kept = await disk.packs.append([small], small.length);
    const cutOff = await disk.packs.append([bytesOf(1)], blobBytes);
    await reopen();
    await truncate(await pathOf((await files())[0]), 4096 + 1000);
    await disk.packs.delete([cutOff]);
    await disk.packs.reclaim();
    assert.ok((await disk.packs.readWhole(kept))?.equals(small));
  });

  test('a pack of which a little is deleted every few seconds is written anew a minute after half of it is gone', async () => {
    await disk.packs.close();
    disk.packs = await opened(true, 4 * packBytes);
    const ids = await addAll(40);
    await reopen();
    const before = await diskBytes();
    let isWrittenAnewAt: number | undefined;
    for (const [n, id] of ids.slice(0, 39).entries()) {
      await disk.packs.delete([id]);
      await disk.packs.reclaim(5000);
      if ((await diskBytes()) < before) isWrittenAnewAt ??= n + 1;
      disk.nowMs += 4000;
    }
    // Half of them are gone after 20, and fifteen times 4 s later a minute has passed.
    assert.equal(isWrittenAnewAt, 35);
    await expectKept(ids, (n) => n === 39);
  });

  test('what is deleted after a look at a pack counts, too', async () => {
    const ids = await addAll(10);
    await reopen();
    const before = await diskBytes();
    await disk.packs.delete(ids.slice(0, 4));
    await disk.packs.reclaim();
    assert.equal(await diskBytes(), before);
    await disk.packs.delete(ids.slice(4, 6));
    await disk.packs.reclaim();
    assert.ok((await diskBytes()) < before / 2);
    await expectKept(ids, (n) => n >= 6);
  });

  test('room is given back after a restart too: the list of all blobs finds what was deleted', async () => {
    const ids = await addAll(10);
    await disk.packs.delete(ids.slice(0, 6));
    await reopen();
    await disk.packs.reclaim();
    const before = await diskBytes();
    await listed();
    await disk.packs.reclaim();
    assert.ok((await diskBytes()) < before / 2);
    await expectKept(ids, (n) => n >= 6);
  });

  test('where several processes write, packs are read and marked, and none is written anew', async () => {
    const ids = await addAll(10);
    await disk.packs.close();
    disk.packs = await opened(false);
    const [name] = await files();
    const { ino } = await stat(await pathOf(name));
    await disk.packs.delete(ids.slice(0, 8));
    await disk.packs.reclaim();
    assert.equal((await stat(await pathOf(name))).ino, ino);
    await expectKept(ids, (n) => n >= 8);
  });

  test('what a kill has left of a pack that was written anew is removed', async () => {
    const ids = await addAll(10);
    await reopen();
    await copyFile(await pathOf((await files())[0]), await pathOf('0123456789abcdef.new'));
    await disk.packs.delete(ids.slice(0, 1));
    await disk.packs.reclaim();
    assert.equal((await files()).length, 1);
    await expectKept(ids, (n) => n >= 1);
  });

  test('what is deleted while a pack is written anew stays deleted', async () => {
    const large = 1_000_000;
    await disk.packs.close();
    disk.packs = await opened(true, 20 * large);
    /** How far the new file has come; undefined if there is none. */
    const newBytes = async () => {
      const name = (await files()).find((one) => one.endsWith('.new'));
      return name && (await stat(await pathOf(name)).catch(() => undefined))?.size;
    };
    for (let cut = 0; cut < 3; ) {
      const ids = await Promise.all(
        Array.from({ length: 16 }, (_, n) => disk.packs.append([patterned(large, n)], large)),
      );
      await disk.packs.close();
      disk.packs = await opened(true, 20 * large);
      await disk.packs.delete(ids.slice(0, 8));
      let isDone = false;
      const reclaimed = disk.packs.reclaim().then(() => {
        isDone = true;
      });
      // The ninth blob is copied already, the last one is not.
      while (!isDone && Number((await newBytes()) ?? 0) < 9.5 * large);
      await disk.packs.delete([ids[8] ?? '', ids[15] ?? '']);
      if (await newBytes()) cut++;
      await reclaimed;
      const kept = [9, 10, 11, 12, 13, 14];
      for (const [n, id] of ids.entries())
        assert.equal((await disk.packs.readWhole(id)) !== undefined, kept.includes(n));
      assert.deepEqual(await listed(), kept.map((n) => ids[n]).sort());
      await disk.packs.delete(ids);
      await disk.packs.reclaim();
      assert.deepEqual(await files(), []);
    }
  });

  test('a reader gets all bytes of a blob that is deleted while it reads, and whose room is given back', async () => {
    const big = patterned(700_000, 5);
    const id = await disk.packs.append([big], big.length);
    const other = await disk.packs.append([bytesOf(1)], blobBytes);
    await reopen();
    const chunks: Buffer[] = [];
    for await (const chunk of disk.packs.read(id, undefined)) {
      if (chunks.length === 0) {
        await disk.packs.delete([id, other]);
        await disk.packs.reclaim();
        assert.deepEqual(await files(), []);
      }
      chunks.push(Buffer.from(chunk));
    }
    assert.ok(Buffer.concat(chunks).equals(big));
    assert.deepEqual(await streamed(id), Buffer.alloc(0));
  });
});

test('a pack is copied for half of it, on a short disk for a sixteenth, and only into half of the room', () => {
  const ample = { freeBytes: 1000, isShort: false };
  const short = { freeBytes: 1000, isShort: true };
  assert.deepEqual(
    [49, 50].map((gone) => isWorthCopying({ live: 100 - gone, gone }, ample)),
    [false, true],
  );
  assert.deepEqual(
    [9, 10].map((gone) => isWorthCopying({ live: 160 - gone, gone }, short)),
    [false, true],
  );
  assert.deepEqual(
    [500, 499].map((live) => isWorthCopying({ live, gone: live }, ample)),
    [false, true],
  );
});
