import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDriveService } from '../../src/drive/service.js';
import { countReads } from '../support/count-reads.js';
import { drive, openDriveFixture, uploadTtlSeconds } from '../support/drive-fixture.js';

test('lists of files, of objects and of the trash read two batches at once at most', async (context) => {
  const fixture = await openDriveFixture(undefined, 0, 3600);
  context.after(() => fixture.close());
  const file = { source: Buffer.from('x'), contentType: 'text/plain' };
  const names = Array.from({ length: 100 }, (_, n) => `file-${n}`);
  for (const name of names) await fixture.service.put(...drive, name, file);
  await fixture.service.remove(...drive, names.slice(50));
  const { store, reads } = countReads(fixture.items);
  const service = createDriveService({
    items: store,
    blobs: fixture.blobs,
    clock: () => fixture.nowMs,
    settings: { uploadTtlSeconds, trashSeconds: 3600 },
    wakeMaintenance: () => {},
  });
  const page = { prefix: '', within: '', last: '', limit: 1000 };
  const lists = Array.from({ length: 10 }, () => [
    service.list(...drive, { ...page, recursive: true }).then(({ names }) => names.length),
    service
      .listEntries(...drive, { ...page, delimiter: '/', after: '' })
      .then(({ entries }) => entries.length),
    service.trash.list(...drive, page).then(({ files }) => files.length),
  ]);
  for (const count of await Promise.all(lists.flat())) assert.equal(count, 50);
  assert.equal(reads.most, 2);
});
