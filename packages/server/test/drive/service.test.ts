import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WrongBytes } from '../../src/drive/contents/checksums.js';
import type { BlobStore } from '../../src/engines/blob-store.js';
import { collectChunks } from '../../src/engines/shared/collect-chunks.js';
import { StorageUnavailable } from '../../src/engines/storage-errors.js';
import { patterned } from '../conformance/blob-store-suite.js';
import {
  collect,
  type DriveFixture,
  drive,
  largeBytes,
  openDriveFixture,
  streamed,
} from '../support/drive-fixture.js';

const type = 'text/plain';

describe('the drive service, for files,', () => {
  let fixture: DriveFixture;

  beforeEach(async () => {
    fixture = await openDriveFixture();
  });
  afterEach(() => fixture.close());

  const put = (name: string, bytes: Buffer) =>
    fixture.service.put(...drive, name, { source: bytes, contentType: type });

  test('gives back the bytes that were put, of any size, buffered or streamed', async () => {
    for (const size of [0, 1, 16 * 1024, 16 * 1024 + 1, 256 * 1024, 256 * 1024 + 1, 1_000_000]) {
      const bytes = patterned(size, size);
      await put('known', bytes);
      await fixture.service.put(...drive, 'streamed', { source: streamed(bytes), contentType: type });
      assert.ok((await fixture.read('known'))?.equals(bytes), `${size} known`);
      assert.ok((await fixture.read('streamed'))?.equals(bytes), `${size} streamed`);
    }
  });

  test('stores a small file without a blob, and a large one in exactly one', async () => {
    await fixture.service.put(...drive, 'small', {
      source: streamed(patterned(16 * 1024, 1)),
      contentType: type,
    });
    assert.deepEqual(await fixture.blobIds(), []);
    await put('large', patterned(largeBytes, 1));
    assert.equal((await fixture.blobIds()).length, 1);
  });

  test('gives undefined for a missing file, also in a drive without files', async () => {
    assert.equal(await fixture.read('nothing'), undefined);
    await put('a', patterned(3, 1));
    assert.equal(await fixture.read('nothing'), undefined);
  });

  test('gives the type, size and time of a file, and an id that every write changes', async () => {
    await put('a', patterned(3, 1));
    const first = await fixture.service.open(...drive, 'a');
    fixture.nowMs += 5000;
    await put('a', patterned(3, 1));
    const second = await fixture.service.open(...drive, 'a');
    assert.ok(first && second);
    assert.deepEqual([first.row.contentType, first.row.sizeBytes], [type, 3]);
    assert.equal(second.row.modifiedMs - first.row.modifiedMs, 5000);
    assert.notEqual(first.row.id, second.row.id);
  });

  test('leaves no row and no blob behind when a file of any size is overwritten or deleted', async () => {
    for (const before of [10, largeBytes]) {
      for (const after of [20, largeBytes + 1]) {
        await put('a', patterned(before, 1));
        await put('a', patterned(after, 2));
        await fixture.maintenance.runOnce();
        assert.equal((await fixture.keys()).length, after > 20 ? 1 : 2);
        assert.equal((await fixture.blobIds()).length, after > 20 ? 1 : 0);
        await fixture.service.remove(...drive, ['a']);
        assert.equal(await fixture.read('a'), undefined);
        await fixture.maintenance.runOnce();
        assert.deepEqual(await fixture.keys(), []);
        assert.deepEqual(await fixture.blobIds(), []);
      }
    }
  });

  test('deletes a thousand names in one step, missing ones among them', async () => {
    const names = Array.from({ length: 1000 }, (_, n) => `file ${n}`);
    await Promise.all(names.filter((_, n) => n % 2 === 0).map((name) => put(name, patterned(5, 1))));
    await put('stays', patterned(5, 2));
    await fixture.service.remove(...drive, names);
    assert.deepEqual(await fixture.keys('name/'), ['name/stays']);
    assert.equal((await fixture.keys('content/')).length, 1);
  });

  test('does not store a body that is cut off, and keeps the old file', async () => {
    await put('a', patterned(10, 1));
    for (const size of [100, 1_000_000]) {
      async function* cutOff() {
        yield* streamed(patterned(size, 2));
        throw new Error('cut off');
      }
      await assert.rejects(
        fixture.service.put(...drive, 'a', { source: cutOff(), contentType: type }),
        /cut off/,
      );
    }
    assert.ok((await fixture.read('a'))?.equals(patterned(10, 1)));
    assert.deepEqual(await fixture.blobIds(), []);
  });

  test('keeps drives and projects apart', async () => {
    await put('a', patterned(10, 1));
    const others: readonly (readonly [string, string])[] = [
      ['demo', 'photo'],
      ['demo', 'photos2'],
      ['dem', 'o/photos'],
    ];
    for (const other of others) assert.equal(await fixture.service.open(...other, 'a'), undefined);
  });

  test('gives a range of a row and of a blob', async () => {
    for (const size of [1000, 100_000, 1_000_000]) {
      const bytes = patterned(size, 1);
      await put('a', bytes);
      for (const range of [
        { start: 0, end: 0 },
        { start: 5, end: size - 5 },
        { start: size - 1, end: size - 1 },
      ]) {
        assert.ok((await fixture.read('a', range))?.equals(bytes.subarray(range.start, range.end + 1)));
      }
    }
  });
});

describe('the drive service, during downloads,', () => {
  let fixture: DriveFixture;

  beforeEach(async () => {
    fixture = await openDriveFixture();
  });
  afterEach(() => fixture.close());

  for (const change of ['overwrite', 'delete'] as const) {
    test(`ends a download that began before an ${change} with the bytes it began with`, async () => {
      const bytes = patterned(1_000_000, 1);
      await fixture.service.put(...drive, 'a', { source: bytes, contentType: type });
      const file = await fixture.service.open(...drive, 'a');
      assert.ok(file);
      const chunks = file.read({ start: 0, end: file.row.sizeBytes - 1 })[Symbol.asyncIterator]();
      const first = await chunks.next();
      assert.ok(!first.done);
      const begun = Buffer.from(first.value);

      if (change === 'delete') await fixture.service.remove(...drive, ['a']);
      else await fixture.service.put(...drive, 'a', { source: patterned(10, 2), contentType: type });
      await fixture.maintenance.runOnce();

      const rest = await collect({ [Symbol.asyncIterator]: () => chunks });
      assert.ok(Buffer.concat([begun, rest]).equals(bytes));
      // Not yet opened by this range when it was swept: the lease alone keeps it.
      assert.equal((await collect(file.read({ start: 0, end: 9 }))).length, 10);
      file.release();
      file.release();
      fixture.nowMs += 60_000;
      await fixture.maintenance.runOnce();
      assert.deepEqual(await fixture.blobIds(), []);
      assert.deepEqual(await fixture.keys('garbage/'), []);
    });
  }

  test('keeps a content until the last of its readers has released it', async () => {
    await fixture.service.put(...drive, 'a', { source: patterned(1_000_000, 1), contentType: type });
    const one = await fixture.service.open(...drive, 'a');
    const two = await fixture.service.open(...drive, 'a');
    assert.ok(one && two);
    await fixture.service.remove(...drive, ['a']);
    one.release();
    one.release();
    await fixture.maintenance.runOnce();
    assert.equal((await fixture.blobIds()).length, 1);
    two.release();
    fixture.nowMs += 60_000;
    await fixture.maintenance.runOnce();
    assert.deepEqual(await fixture.blobIds(), []);
  });

  test('gives every reader one whole version while others overwrite, delete and sweep', async () => {
    const sizes = [10, 100_000, 400_000];
    const versions = sizes.map((size, n) => patterned(size, n));
    let done = false;
    const writer = (async () => {
      for (let n = 0; n < 40; n++) {
        await fixture.service.put(...drive, 'a', { source: versions[n % 3] as Buffer, contentType: type });
        if (n % 7 === 6) await fixture.service.remove(...drive, ['a']);
        await fixture.maintenance.runOnce();
        fixture.nowMs += 10_000;
      }
      done = true;
    })();
    let read = 0;
    const readers = Array.from({ length: 8 }, async () => {
      while (!done) {
        const found = await fixture.read('a');
        // Reads of rows need no turn of the event loop: it is given one, or the writer would starve.
        await new Promise((resolve) => setImmediate(resolve));
        if (found === undefined) continue;
        assert.ok(versions.some((version) => version.equals(found)));
        read++;
      }
    });
    await Promise.all([writer, ...readers]);
    assert.ok(read > 0);
    assert.deepEqual(fixture.logged, []);
    fixture.nowMs += 60_000;
    await fixture.maintenance.runOnce();
    assert.equal((await fixture.blobIds()).length, (await fixture.read('a'))?.length === 10 ? 0 : 1);
  });
});

describe('the drive service, over a slow blob store,', () => {
  test('reads at most 64 small blobs into memory at once, and the projects take turns', async () => {
    const waiting: (() => void)[] = [];
    const fixture = await openDriveFixture((blobs) => ({
      ...blobs,
      async readWhole(id, sizeBytes) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return await blobs.readWhole(id, sizeBytes);
      },
    }));
    try {
      const { service } = fixture;
      const bytes = { source: patterned(100_000, 1), contentType: type };
      await service.put('demo', 'photos', 'a', bytes);
      await service.put('other', 'photos', 'a', bytes);
      const order: string[] = [];
      const open = async (project: string) => {
        const file = await service.open(project, 'photos', 'a');
        order.push(project);
        file?.release();
      };
      const all = Array.from({ length: 100 }, () => open('demo'));
      while (waiting.length < 64) await nextTurn();
      all.push(open('other'));
      await nextTurn();
      assert.equal(waiting.length, 64);
      while (order.length < all.length) {
        waiting.shift()?.();
        await nextTurn();
      }
      await Promise.all(all);
      assert.ok(order.indexOf('other') < 90, String(order.indexOf('other')));
    } finally {
      await fixture.close();
    }
  });
});

describe('the drive service, when storage fails,', () => {
  let fixture: DriveFixture;
  let failing: Partial<BlobStore>;

  beforeEach(async () => {
    failing = {};
    fixture = await openDriveFixture((blobs) => ({
      ...blobs,
      add: (chunks) => (failing.add ?? blobs.add)(chunks),
      read: (id, range) => (failing.read ?? blobs.read)(id, range),
      readWhole: (id, sizeBytes) =>
        failing.read === undefined
          ? blobs.readWhole(id, sizeBytes)
          : collectChunks(failing.read(id, { start: 0, end: sizeBytes - 1 }), sizeBytes),
      delete: (ids) => (failing.delete ?? blobs.delete)(ids),
    }));
  });
  afterEach(() => fixture.close());

  const full = () => Promise.reject(new StorageUnavailable('full'));

  test('changes nothing by a write that fails, so the old file can still be read', async () => {
    await fixture.service.put(...drive, 'a', { source: patterned(largeBytes, 1), contentType: type });
    failing.add = full;
    await assert.rejects(
      fixture.service.put(...drive, 'a', { source: patterned(largeBytes, 2), contentType: type }),
      StorageUnavailable,
    );
    assert.ok((await fixture.read('a'))?.equals(patterned(largeBytes, 1)));
    assert.deepEqual(await fixture.keys('garbage/'), []);
  });

  test('deletes bytes later that could not be deleted', async () => {
    await fixture.service.put(...drive, 'a', { source: patterned(largeBytes, 1), contentType: type });
    await fixture.service.remove(...drive, ['a']);
    failing.delete = full;
    await fixture.maintenance.runOnce();
    assert.equal(fixture.logged.length, 1);
    assert.equal((await fixture.keys('garbage/')).length, 1);
    delete failing.delete;
    fixture.nowMs += 60_000;
    await fixture.maintenance.runOnce();
    assert.deepEqual(await fixture.blobIds(), []);
    assert.deepEqual(await fixture.keys(), []);
  });

  test('notices wrong bytes before the last of them is given', async () => {
    const bytes = patterned(600_000, 1);
    await fixture.service.put(...drive, 'large', { source: bytes, contentType: type });
    await fixture.service.put(...drive, 'middle', { source: bytes.subarray(0, 100_000), contentType: type });
    failing.read = async function* (_id, range) {
      for (let at = range?.start ?? 0; at <= (range?.end ?? 0); at += 200_000) {
        const chunk = Buffer.from(bytes.subarray(at, Math.min(at + 200_000, (range?.end ?? 0) + 1)));
        chunk[7]! ^= 1;
        yield chunk;
      }
    };
    const file = await fixture.service.open(...drive, 'large');
    assert.ok(file);
    let seen = 0;
    await assert.rejects(async () => {
      for await (const chunk of file.read({ start: 0, end: 599_999 })) seen += chunk.length;
    }, WrongBytes);
    file.release();
    // The first 256 KiB are compared before the bytes that follow them.
    assert.equal(seen, 200_000);
    // One that is read whole is never answered at all; its lease is given back.
    await assert.rejects(async () => fixture.service.open(...drive, 'middle'), WrongBytes);
    await fixture.service.remove(...drive, ['middle', 'large']);
    await fixture.maintenance.runOnce();
    assert.deepEqual(await fixture.blobIds(), []);
  });
});
