import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { ownedBlobs } from '../../src/drive/contents/owned-blobs.js';
import type { ItemStore, ScanRange } from '../../src/engines/item-store.js';
import { driveSpace } from '../../src/spaces.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { copyStore } from '../../src/store/copy/copy-store.js';
import { memoryStore } from '../support/copy-fixture.js';
import {
  type DriveFixture,
  drive,
  largeBytes,
  minPartBytes,
  openDriveFixture,
} from '../support/drive-fixture.js';
import { propertyRuns } from '../support/property-runs.js';

const space = driveSpace(...drive);
const daySeconds = 24 * 60 * 60;
const large = (letter: string) => Buffer.alloc(largeBytes, letter);

describe('the trash of a drive', () => {
  let fixture: DriveFixture;

  beforeEach(async () => {
    fixture = await openDriveFixture(undefined, 0, daySeconds);
  });
  afterEach(() => fixture.close());

  const put = (name: string, source: Buffer | string, expiresAtSeconds?: number) =>
    fixture.service.put(...drive, name, {
      source: Buffer.from(source),
      contentType: 'text/plain',
      expiresAtSeconds,
    });
  const remove = (...names: string[]) => fixture.service.remove(...drive, names);
  const list = async () => {
    const query = { prefix: '', within: '', last: '', limit: 1000 };
    return (await fixture.service.trash.list(...drive, query)).files;
  };
  const trashed = async () => (await list()).map(({ file }) => file.name);
  const restore = (id: string, name?: string, overwrite = false) =>
    fixture.service.trash.restore(...drive, { files: [{ id, name }], overwrite, within: '' });
  const newest = async () => (await list())[0]?.id ?? '';
  const text = async (name: string) => (await fixture.read(name))?.toString();

  async function check(): Promise<void> {
    const { items, blobs } = fixture;
    const report = await checkStore({ items, blobs, clock: () => fixture.nowMs, orphanAgeSeconds: 0 });
    assert.deepEqual(report.problems, []);
  }

  test('has what every operation deletes or overwrites, and gives it back as it was', async () => {
    const { service } = fixture;
    await put('put', 'one');
    const etag = (await service.open(...drive, 'put'))?.row.id;
    await put('put', 'two');
    await put('ended', large('e'));
    const uploadId = await service.uploads.initialize(...drive, 'ended');
    for (const part of [1, 2])
      await service.uploads.part(...drive, 'ended', {
        uploadId,
        part,
        source: Buffer.alloc(part === 1 ? minPartBytes : 3, 'p'),
        contentType: undefined,
      });
    await service.uploads.end(...drive, 'ended', { uploadId });
    await put('from', 'from');
    await put('to', large('t'));
    await service.move(...drive, { files: [{ from: 'from', to: 'to' }], overwrite: true });
    await service.copy(...drive, { files: [{ from: 'to', to: 'put' }], overwrite: true }, () => false);
    await remove('ended', 'never');
    await service.removeAll(...drive, '', () => false);
    assert.deepEqual((await trashed()).sort(), ['ended', 'ended', 'put', 'put', 'put', 'to', 'to']);
    await fixture.maintenance.runOnce();
    await check();
    const [first] = (await list()).filter(({ file }) => file.name === 'put' && file.id === etag);
    await restore(first?.id ?? '');
    assert.equal(await text('put'), 'one');
    assert.equal((await service.open(...drive, 'put'))?.row.id, etag);
    for (const { id, file } of await list()) await restore(id, `back/${file.name}/${id}`);
    assert.deepEqual(await trashed(), []);
    assert.equal(
      (await service.list(...drive, { prefix: '', within: '', last: '', limit: 9, recursive: true })).names
        .length,
      7,
    );
    await check();
  });

  test('gives newest first, over pages; keeps time and metadata; an expired file does not come to it', async () => {
    const { service } = fixture;
    for (const name of ['a', 'b', 'c']) {
      await put(name, name);
      fixture.nowMs += 1000;
      await remove(name);
    }
    const query = { prefix: '', within: '', limit: 2 };
    const first = await service.trash.list(...drive, { ...query, last: '' });
    assert.deepEqual([first.files.map(({ file }) => file.name), first.more], [['c', 'b'], true]);
    const second = await service.trash.list(...drive, { ...query, last: first.files[1]?.id ?? '' });
    assert.deepEqual([second.files.map(({ file }) => file.name), second.more], [['a'], false]);
    assert.deepEqual(
      (await service.trash.list(...drive, { ...query, prefix: 'b', last: '' })).files.length,
      1,
    );

    const now = fixture.nowMs / 1000;
    await put('expires', 'x', now + 10);
    await put('expired', 'x', now + 1);
    fixture.nowMs += 2000;
    await remove('expires', 'expired');
    const [newestFile] = await list();
    assert.deepEqual([newestFile?.file.name, newestFile?.file.endsAtSeconds], ['expires', now + 10]);
    assert.equal((await list()).length, 4);
    await check();
  });

  test('lets go of a file and its bytes when its time is over, and not a second before', async () => {
    await put('large', large('l'));
    await put('small', 'small');
    await remove('large', 'small');
    fixture.nowMs += daySeconds * 1000 - 1000;
    await fixture.maintenance.runOnce();
    assert.equal((await list()).length, 2);
    assert.equal((await fixture.blobIds()).length, 1);
    fixture.nowMs += 1000;
    assert.deepEqual(await list(), []);
    const { id } = { id: (await fixture.keys('trash/'))[0]?.slice(6) ?? '' };
    await assert.rejects(restore(id), /not in the trash/);
    await fixture.maintenance.runOnce();
    await fixture.maintenance.runOnce();
    assert.deepEqual(await fixture.keys(), []);
    assert.deepEqual(await fixture.blobIds(), []);
  });

  test('restores all files or none, and replaces a file only when asked to: that one comes to the trash', async () => {
    await put('a', 'old a');
    await remove('a');
    const id = await newest();
    await put('a', 'new a');
    await assert.rejects(restore(id), /files\[0\]\.name: File already exists/);
    await restore(id, 'a', true);
    assert.equal(await text('a'), 'old a');
    assert.deepEqual(await trashed(), ['a']);
    const files = [
      { id: await newest(), name: 'b' },
      { id: '0'.repeat(44), name: 'c' },
    ];
    const both = { files, overwrite: false, within: '' };
    await assert.rejects(
      fixture.service.trash.restore(...drive, both),
      /files\[1\]\.id: is not in the trash/,
    );
    assert.deepEqual(await trashed(), ['a']);
    await restore(await newest(), 'b');
    assert.equal(await text('b'), 'new a');
    await check();
  });

  test('of several requests for one file, one gets it', async () => {
    await put('a', large('a'));
    await remove('a');
    const id = await newest();
    const attempts = [
      ...['x', 'y', 'z'].map((name) =>
        restore(id, name).then(
          () => name,
          () => undefined,
        ),
      ),
      fixture.service.trash
        .remove(...drive, [id], () => true)
        .then((deleted) => (deleted ? 'deleted' : undefined)),
    ];
    const won = (await Promise.all(attempts)).filter((name) => name !== undefined);
    assert.equal(won.length, 1);
    await fixture.maintenance.runOnce();
    await check();
  });

  test('a drive may have a time of its own, or none; no row is written where there is none', async () => {
    await fixture.service.trash.set(...drive, 0);
    assert.equal(await fixture.service.trash.seconds(...drive), 0);
    await put('a', 'a');
    await remove('a');
    assert.deepEqual(await fixture.keys(), ['\0']);
    await fixture.service.trash.set(...drive, 5);
    await put('a', 'a');
    await remove('a');
    assert.equal((await list())[0]?.file.endsAtSeconds, fixture.nowMs / 1000 + 5);
    await fixture.service.trash.set(...drive, null);
    assert.equal(await fixture.service.trash.seconds(...drive), daySeconds);
    assert.deepEqual(
      (await fixture.keys()).map((key) => key.split('/')[0]),
      ['content', 'trash'],
    );
  });

  test('every content has one owner, whatever is done in whatever order', async () => {
    const names = ['a', 'b', 'c'];
    const name = fc.constantFrom(...names);
    const step = fc.oneof(
      fc.tuple(fc.constant('put' as const), name, fc.boolean()),
      fc.tuple(fc.constant('remove' as const), name, fc.boolean()),
      fc.tuple(fc.constant('move' as const), name, fc.boolean()),
      fc.tuple(fc.constant('copy' as const), name, fc.boolean()),
      fc.tuple(fc.constant('restore' as const), name, fc.boolean()),
      fc.tuple(fc.constant('empty' as const), name, fc.boolean()),
      fc.tuple(fc.constant('wait' as const), name, fc.boolean()),
      fc.tuple(fc.constant('setting' as const), name, fc.boolean()),
    );
    const { service, items, blobs } = fixture;
    const ignore = () => undefined;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        for (const [what, of, flag] of steps) {
          const to = names[(names.indexOf(of) + 1) % names.length] as string;
          const body = { files: [{ from: of, to }], overwrite: flag };
          if (what === 'put') await put(of, flag ? large('x') : 'small');
          if (what === 'remove') await remove(of, to);
          if (what === 'move') await service.move(...drive, body).catch(ignore);
          if (what === 'copy') await service.copy(...drive, body, () => false).catch(ignore);
          if (what === 'restore') await restore(await newest(), of, flag).catch(ignore);
          if (what === 'empty') await service.trash.remove(...drive, [await newest()], () => flag);
          if (what === 'wait') fixture.nowMs += (flag ? 30 : 2) * 3_600_000;
          if (what === 'setting') await service.trash.set(...drive, flag ? 7200 : null);
          if (what === 'wait') await fixture.maintenance.runOnce();
        }
        await fixture.maintenance.runOnce();
        await check();
        // All blobs, and no others, are those that rows own.
        const owned = new Set<string>();
        for await (const id of ownedBlobs(items)) owned.add(id);
        for (const id of await fixture.blobIds()) assert.ok(owned.has(id), id);
        const copy = await memoryStore({ after: () => {} } as never);
        const options = { overwrite: false, verify: true, blobsAtOnce: 2, listen: () => {} };
        const report = await copyStore({ source: { items, blobs }, destination: copy, ...options });
        assert.deepEqual(report.problems, []);
        const there = await checkStore({ ...copy, clock: () => fixture.nowMs, orphanAgeSeconds: 0 });
        assert.deepEqual(there.problems, []);
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  test('a blob whose file comes back while all rows are read is found', async () => {
    await put('a', large('a'));
    await remove('a');
    const [blob] = await fixture.blobIds();
    const { items } = fixture;
    // The trash is read after the names. Between the two, the file comes back.
    const reading: ItemStore = {
      ...items,
      async *scan(of: string, range: ScanRange = {}) {
        if (of === space && range.prefix === 'trash/') await restore(await newest());
        yield* items.scan(of, range);
      },
    };
    const owned: string[] = [];
    for await (const id of ownedBlobs(reading)) owned.push(id);
    assert.deepEqual(await trashed(), []);
    assert.deepEqual(owned, [blob]);
    fixture.nowMs += 8 * daySeconds * 1000;
    await fixture.maintenance.runOnce();
    assert.deepEqual(await fixture.keys(), await fixture.keys('name/'));
    assert.equal((await fixture.read('a'))?.length, largeBytes);
  });
});
