import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BlobStore } from '../../../src/engines/blob-store.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { memoryShare } from '../../../src/lib/memory.js';
import { checkStore } from '../../../src/store/check/check-store.js';
import { patterned } from '../../conformance/blob-store-suite.js';
import {
  type DriveFixture,
  drive,
  largeBytes,
  minPartBytes,
  openDriveFixture,
} from '../../support/drive-fixture.js';

describe('the drive service, for moved and copied files,', () => {
  let fixture: DriveFixture;
  /** Called before each write of a blob. */
  let beforeWrite: () => Promise<void> | void;

  beforeEach(async () => {
    beforeWrite = () => {};
    fixture = await openDriveFixture(
      (blobs): BlobStore => ({
        ...blobs,
        async add(chunks) {
          await beforeWrite();
          return await blobs.add(chunks);
        },
      }),
    );
  });
  afterEach(() => fixture.close());

  const present = () => false;
  const put = (name: string, size: number) =>
    fixture.service.put(...drive, name, { source: patterned(size, size), contentType: 'text/plain' });

  async function putParts(name: string): Promise<void> {
    const { uploads } = fixture.service;
    const uploadId = await uploads.initialize(...drive, name);
    for (const [index, size] of [minPartBytes, largeBytes, 10].entries()) {
      const part = { uploadId, part: index + 1, source: patterned(size, index), contentType: undefined };
      if (index === 1) part.source = patterned(minPartBytes + 1, index);
      await uploads.part(...drive, name, part);
    }
    assert.equal(await uploads.end(...drive, name, { uploadId }), 'ended');
  }

  const copy = (files: readonly (readonly [string, string])[], overwrite = false) =>
    fixture.service.copy(...drive, { files: files.map(([from, to]) => ({ from, to })), overwrite }, present);
  const move = (files: readonly [string, string][], overwrite = false) =>
    fixture.service.move(...drive, { files: files.map(([from, to]) => ({ from, to })), overwrite });

  async function expectSound(names: readonly string[], blobs: number): Promise<void> {
    await fixture.maintenance.runOnce();
    assert.deepEqual(fixture.logged, []);
    assert.deepEqual(
      await fixture.keys('name/'),
      names.map((name) => `name/${name}`),
    );
    for (const other of ['garbage/', 'part/', 'upload/']) assert.deepEqual(await fixture.keys(other), []);
    assert.equal((await fixture.blobIds()).length, blobs);
    const { items, blobs: store } = fixture;
    const report = await checkStore({ items, blobs: store, clock: () => fixture.nowMs, orphanAgeSeconds: 0 });
    assert.deepEqual(report.problems, []);
  }

  test('a copy ends in the middle of a file when nobody waits for it or its key has ended', async () => {
    await put('a', 4 * largeBytes);
    let writes = 0;
    beforeWrite = () => {
      writes++;
    };
    const body = { files: [{ from: 'a', to: 'b' }], overwrite: false };
    await assert.rejects(
      fixture.service.copy(...drive, body, () => writes > 0),
      { problems: [{ code: 'abandoned', message: 'connection: closed before the answer' }] },
    );
    assert.equal(writes, 1);
    await expectSound(['a'], 1);
  });

  test('moves change rows only; what a move replaces is deleted with its bytes', async () => {
    await put('a', largeBytes);
    await put('b', largeBytes + 1);
    await put('c', 10);
    const blobs = await fixture.blobIds();
    await move([
      ['a', 'b'],
      ['b', 'a'],
    ]);
    assert.deepEqual(await fixture.blobIds(), blobs);
    assert.equal((await fixture.read('a'))?.length, largeBytes + 1);
    await move(
      [
        ['a', 'c'],
        ['b', 'd'],
      ],
      true,
    );
    await expectSound(['c', 'd'], 2);
    assert.deepEqual(await fixture.keys('content/'), []);
    await fixture.service.remove(...drive, ['c', 'd']);
    await expectSound([], 0);
  });

  test('a download ends with the bytes that it began with, although the file moved and was deleted', async () => {
    await put('a', largeBytes);
    const file = await fixture.service.open(...drive, 'a');
    await move([['a', 'b']]);
    await fixture.service.remove(...drive, ['b']);
    await fixture.maintenance.runOnce();
    const chunks: Buffer[] = [];
    for await (const chunk of file?.read({ start: 0, end: largeBytes - 1 }) ?? [])
      chunks.push(Buffer.from(chunk));
    assert.ok(Buffer.concat(chunks).equals(patterned(largeBytes, largeBytes)));
    file?.release();
  });

  test('copies have blobs of their own, and leave no other row or blob behind', async () => {
    await put('large', largeBytes);
    await put('small', 10);
    await putParts('parts');
    await copy([
      ['large', 'large2'],
      ['small', 'small2'],
      ['parts', 'parts2'],
      ['parts', 'parts3'],
    ]);
    await expectSound(['large', 'large2', 'parts', 'parts2', 'parts3', 'small', 'small2'], 2 + 3 * 2);
    const bytes = await fixture.read('parts');
    await fixture.service.remove(...drive, ['large', 'small', 'parts', 'parts2']);
    await expectSound(['large2', 'parts3', 'small2'], 1 + 2);
    assert.ok((await fixture.read('parts3'))?.equals(bytes as Buffer));
  });

  test('many small files are copied, more than fit into one write', async () => {
    const names = Array.from({ length: 80 }, (_, n) => `f${n}`);
    for (const name of names) await put(name, 16 * 1024);
    await copy(names.map((name) => [name, `copy ${name}`]));
    await expectSound([...names, ...names.map((name) => `copy ${name}`)].sort(), 0);
    assert.equal((await fixture.keys('content/')).length, 160);
  });

  test('a copy whose source is deleted while bytes are copied is whole', async () => {
    await put('a', largeBytes);
    beforeWrite = async () => {
      await fixture.service.remove(...drive, ['a']);
      await fixture.maintenance.runOnce();
    };
    await copy([['a', 'b']]);
    assert.ok((await fixture.read('b'))?.equals(patterned(largeBytes, largeBytes)));
    // The bytes that were being copied were left to be deleted later.
    fixture.nowMs += 6000;
    await expectSound(['b'], 1);
  });

  test('a copy whose target appears while bytes are copied is refused, and drops its bytes', async () => {
    await put('a', largeBytes);
    beforeWrite = async () => {
      await put('b', 10);
    };
    await assert.rejects(copy([['a', 'b']]), { status: 409 });
    await expectSound(['a', 'b'], 1);
  });

  test('a copy drops its bytes when the storage fails or its client leaves', async () => {
    await put('a', largeBytes);
    await put('b', largeBytes);
    let writes = 0;
    beforeWrite = () => {
      if (++writes === 2) throw new StorageUnavailable('full');
    };
    await assert.rejects(
      copy([
        ['a', 'c'],
        ['b', 'd'],
      ]),
      StorageUnavailable,
    );
    await expectSound(['a', 'b'], 2);
    let asked = 0;
    const { copy: copyFiles } = fixture.service;
    const files = ['c', 'd', 'e', 'f', 'g', 'h'].map((to) => ({ from: 'a', to }));
    await assert.rejects(
      copyFiles(...drive, { files, overwrite: false }, () => ++asked > 5),
      /closed/,
    );
    await expectSound(['a', 'b'], 2);
  });

  test('many copies of a project together copy few contents at once, and another project waits for none', async () => {
    await put('a', largeBytes);
    await fixture.service.put('other', 'd', 'a', {
      source: patterned(largeBytes, 1),
      contentType: 'text/plain',
    });
    const ofProject = memoryShare(16);
    let atOnce = 0;
    let end: () => void = () => {};
    const isOver = new Promise<void>((resolve) => {
      end = resolve;
    });
    beforeWrite = async () => {
      atOnce++;
      await isOver;
      atOnce--;
    };
    const copies = Array.from({ length: 50 }, (_, n) =>
      copy(Array.from({ length: 4 }, (_, m) => ['a', `c${n}-${m}`] as const)),
    );
    while (atOnce < ofProject) await nextTurn();
    // What need not wait begins in these.
    for (let turn = 0; turn < 200; turn++) await nextTurn();
    assert.equal(atOnce, ofProject);
    beforeWrite = () => {};
    await fixture.service.copy('other', 'd', { files: [{ from: 'a', to: 'b' }], overwrite: false }, present);
    assert.equal(atOnce, ofProject);
    end();
    await Promise.all(copies);
  });

  test('while bytes are copied, a row names every blob; what a crash leaves is dropped within minutes', async () => {
    await put('a', largeBytes);
    await put('b', largeBytes);
    let writes = 0;
    let reached: () => void = () => {};
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    // From the second on, a write never ends, as after a kill.
    beforeWrite = () => {
      if (++writes === 2) reached();
      return writes > 1 ? new Promise(() => {}) : undefined;
    };
    copy([
      ['a', 'c'],
      ['b', 'd'],
    ]).catch(() => {});
    await isReached;
    while ((await fixture.keys('part/')).length === 0) await new Promise((resolve) => setImmediate(resolve));
    const { items, blobs } = fixture;
    const report = await checkStore({ items, blobs, clock: () => fixture.nowMs, orphanAgeSeconds: -3600 });
    assert.deepEqual(report.problems, []);
    assert.equal((await fixture.blobIds()).length, 3);
    // Nobody else sees the upload that holds them.
    assert.deepEqual(
      (await fixture.service.uploads.list(...drive, { within: '', last: '', limit: 9 })).uploads,
      [],
    );
    fixture.nowMs += 121_000;
    await expectSound(['a', 'b'], 2);
  });

  test('a copy that takes longer than that is not dropped', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    await put('a', largeBytes);
    await put('b', largeBytes);
    let writes = 0;
    beforeWrite = async () => {
      if (++writes !== 2) return;
      for (let minute = 0; minute < 30; minute++) {
        context.mock.timers.tick(60_000);
        // After the renewals that the ticks have begun.
        await fixture.items.transact('drive/demo/photos', [], () => ({ result: undefined }));
        fixture.nowMs += 60_000;
        await fixture.maintenance.runOnce();
      }
    };
    await copy([
      ['a', 'c'],
      ['b', 'd'],
    ]);
    await expectSound(['a', 'b', 'c', 'd'], 4);
  });
});
