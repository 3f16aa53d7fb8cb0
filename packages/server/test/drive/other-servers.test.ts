import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { createDriveService, type DriveService } from '../../src/drive/service.js';
import { BlobMissing } from '../../src/engines/storage-errors.js';
import { patterned } from '../conformance/blob-store-suite.js';
import {
  collect,
  type DriveFixture,
  drive,
  largeBytes,
  minPartBytes,
  openDriveFixture,
  uploadTtlSeconds,
} from '../support/drive-fixture.js';

const type = 'text/plain';
const graceSeconds = 3600;
/** Read whole when it is opened, but not kept in a row. */
const middleBytes = 100_000;

describe('a drive that two servers serve', () => {
  let fixture: DriveFixture;
  /** The other one: it shares rows and bytes, and knows nothing of this one's downloads. */
  let other: DriveService;
  /** Copies with the same leases as any other service; it waits for `beforeRead` before it reads bytes from a row, too. */
  let copier: DriveService;
  let beforeRead: () => Promise<void>;

  beforeEach(async () => {
    beforeRead = async () => {};
    fixture = await openDriveFixture(
      (blobs) => ({
        ...blobs,
        async *read(id, range) {
          await beforeRead();
          yield* blobs.read(id, range);
        },
        async readWhole(id, sizeBytes) {
          await beforeRead();
          return await blobs.readWhole(id, sizeBytes);
        },
      }),
      graceSeconds,
    );
    other = createDriveService({
      ...fixture,
      clock: () => fixture.nowMs,
      settings: { uploadTtlSeconds, garbageGraceSeconds: 0 },
      wakeMaintenance: () => {},
    });
    copier = createDriveService({
      ...fixture,
      items: {
        ...fixture.items,
        async get(space, key) {
          if (key.startsWith('content/')) await beforeRead();
          return await fixture.items.get(space, key);
        },
      },
      clock: () => fixture.nowMs,
      settings: { uploadTtlSeconds, garbageGraceSeconds: 0 },
      wakeMaintenance: () => {},
    });
  });
  afterEach(() => fixture.close());

  const sweepAll = async () => {
    await other.handleDue('drive/demo/photos', await fixture.keys('garbage/'), () => true);
  };

  test('keeps the bytes of a file that was overwritten or deleted for the grace time, then deletes them', async () => {
    const { service } = fixture;
    const changes = {
      overwritten: () => service.put(...drive, 'a', { source: patterned(largeBytes, 2), contentType: type }),
      deleted: () => service.remove(...drive, ['a']),
      ended: async () => {
        const id = await service.uploads.initialize(...drive, 'a', { contentType: type });
        const parts = [patterned(minPartBytes, 3), patterned(largeBytes, 4)];
        for (const [n, bytes] of parts.entries()) {
          await service.uploads.part(...drive, 'a', {
            uploadId: id,
            source: bytes,
            part: n + 1,
            contentType: undefined,
          });
        }
        await service.uploads.end(...drive, 'a', { uploadId: id });
      },
    };
    for (const [name, change] of Object.entries(changes)) {
      await service.put(...drive, 'a', { source: patterned(largeBytes, 1), contentType: type });
      const file = await service.open(...drive, 'a');
      assert.ok(file);
      file.release();
      await change();
      fixture.nowMs += (graceSeconds - 1) * 1000;
      await fixture.maintenance.runOnce();
      const bytes = await collect(file.read({ start: 0, end: largeBytes - 1 }));
      assert.ok(bytes.equals(patterned(largeBytes, 1)), name);
      await service.remove(...drive, ['a']);
      fixture.nowMs += graceSeconds * 1000;
      await fixture.maintenance.runOnce();
      assert.deepEqual(await fixture.blobIds(), [], name);
    }
  });

  test('keeps the parts of an upload that were sent again, aborted or dropped for the grace time, for a backup of the rows', async () => {
    const { uploads } = fixture.service;
    const part = (uploadId: string, seed: number) =>
      uploads.part(...drive, 'a', {
        uploadId,
        source: patterned(largeBytes, seed),
        part: 1,
        contentType: type,
      });
    const changes = {
      'sent again': (id: string) => part(id, 2),
      aborted: (id: string) => uploads.abort(...drive, 'a', id),
      dropped: async () => {
        fixture.nowMs += (uploadTtlSeconds + 1) * 1000;
        await fixture.maintenance.runOnce();
      },
    };
    for (const [name, change] of Object.entries(changes)) {
      const id = await uploads.initialize(...drive, 'a', { contentType: type });
      await part(id, 1);
      const [blob = ''] = await fixture.blobIds();
      await change(id);
      fixture.nowMs += (graceSeconds - 1) * 1000;
      await fixture.maintenance.runOnce();
      const kept: Buffer[] = [];
      for await (const chunk of fixture.blobs.read(blob)) kept.push(Buffer.from(chunk));
      assert.ok(Buffer.concat(kept).equals(patterned(largeBytes, 1)), name);
      await uploads.abort(...drive, 'a', id);
      fixture.nowMs += graceSeconds * 1000;
      await fixture.maintenance.runOnce();
      assert.deepEqual(await fixture.blobIds(), [], name);
    }
  });

  test('gives the new file when the old one is overwritten and swept between reading its row and its bytes', async () => {
    await fixture.service.put(...drive, 'a', { source: patterned(middleBytes, 1), contentType: type });
    beforeRead = async () => {
      beforeRead = async () => {};
      await other.put(...drive, 'a', { source: patterned(middleBytes, 2), contentType: type });
      await sweepAll();
    };
    assert.ok((await fixture.read('a'))?.equals(patterned(middleBytes, 2)));
  });

  test('gives no file when it is deleted and swept between reading its row and its bytes', async () => {
    await fixture.service.put(...drive, 'a', { source: patterned(middleBytes, 1), contentType: type });
    beforeRead = async () => {
      beforeRead = async () => {};
      await other.remove(...drive, ['a']);
      await sweepAll();
    };
    assert.equal(await fixture.service.open(...drive, 'a'), undefined);
  });

  for (const [kind, bytes] of [
    ['in rows', 1000],
    ['in a blob', middleBytes],
  ] as const) {
    const source = (seed: number) => ({ source: patterned(bytes, seed), contentType: type });
    const copy = () =>
      copier.copy(...drive, { files: [{ from: 'a', to: 'b' }], overwrite: false }, () => false);

    test(`copies the new file when the old one, ${kind}, is overwritten and swept before its bytes are read`, async () => {
      await fixture.service.put(...drive, 'a', source(1));
      beforeRead = async () => {
        beforeRead = async () => {};
        await other.put(...drive, 'a', source(2));
        await sweepAll();
      };
      await copy();
      assert.ok((await fixture.read('b'))?.equals(patterned(bytes, 2)));
    });

    test(`copies nothing when the file, ${kind}, is deleted and swept before its bytes are read`, async () => {
      await fixture.service.put(...drive, 'a', source(1));
      beforeRead = async () => {
        beforeRead = async () => {};
        await other.remove(...drive, ['a']);
        await sweepAll();
      };
      await assert.rejects(copy, { status: 404 });
      assert.equal(await fixture.read('b'), undefined);
    });

    test(`gives up a copy when the file, ${kind}, is overwritten and swept at each attempt`, async () => {
      await fixture.service.put(...drive, 'a', source(1));
      let attempts = 0;
      beforeRead = async () => {
        await other.put(...drive, 'a', source(2 + attempts++));
        await sweepAll();
      };
      await assert.rejects(copy, { status: 429 });
      assert.equal(attempts, 10);
      assert.equal(await fixture.service.open(...drive, 'b'), undefined);
    });
  }

  test('fails for a file whose bytes are lost, and does not try endlessly', async () => {
    await fixture.service.put(...drive, 'a', { source: patterned(middleBytes, 1), contentType: type });
    await fixture.blobs.delete(await fixture.blobIds());
    await assert.rejects(async () => fixture.service.open(...drive, 'a'), BlobMissing);
  });
});
