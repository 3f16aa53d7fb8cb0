import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { StorageUnavailable } from '../../src/engines/storage-errors.js';
import { patterned } from '../conformance/blob-store-suite.js';
import { collect, type DriveFixture, drive, largeBytes, openDriveFixture } from '../support/drive-fixture.js';

const type = 'text/plain';
const hourMs = 60 * 60 * 1000;

let fixture: DriveFixture;
/** For how long the process does not run between the write of a blob and that of its row. */
let stoppedMs: number;

beforeEach(async () => {
  stoppedMs = 0;
  fixture = await openDriveFixture((blobs) => ({
    ...blobs,
    async write(id, chunks) {
      const written = await blobs.write(id, chunks);
      fixture.nowMs += stoppedMs;
      return written;
    },
    async add(chunks) {
      const added = await blobs.add(chunks);
      fixture.nowMs += stoppedMs;
      return added;
    },
  }));
});
afterEach(() => fixture.close());

test('a blob gets no name when its server was stopped so long that another one may have removed it', async () => {
  const { service } = fixture;
  const put = (seed: number) =>
    service.put(...drive, 'a', { source: patterned(largeBytes, seed), contentType: type });
  await put(1);
  const before = await fixture.blobIds();
  stoppedMs = 2 * hourMs;
  await assert.rejects(put(2), StorageUnavailable);
  const file = await service.open(...drive, 'a');
  assert.ok(file);
  assert.ok((await collect(file.read({ start: 0, end: largeBytes - 1 }))).equals(patterned(largeBytes, 1)));
  file.release();
  assert.deepEqual(await fixture.blobIds(), before);
});

test('nor does a part of an upload, which can be sent again', async () => {
  const { uploads } = fixture.service;
  const uploadId = await uploads.initialize(...drive, 'a', { contentType: type });
  const send = () =>
    uploads.part(...drive, 'a', {
      uploadId,
      source: patterned(largeBytes, 1),
      part: 1,
      contentType: undefined,
    });
  stoppedMs = 2 * hourMs;
  await assert.rejects(send(), StorageUnavailable);
  assert.deepEqual(await fixture.blobIds(), []);
  stoppedMs = 0;
  await send();
  await uploads.end(...drive, 'a', { uploadId });
  assert.equal((await fixture.blobIds()).length, 1);
});
