import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDriveService } from '../../src/drive/service.js';
import { countReads } from '../support/count-reads.js';
import { drive, openDriveFixture, uploadTtlSeconds } from '../support/drive-fixture.js';

const page = { prefix: '', within: '', last: '', limit: 1000 };

/** The files of a fixture, and what is read of its rows. */
function countedService({ items, blobs, nowMs }: Awaited<ReturnType<typeof openDriveFixture>>) {
  const { store, reads } = countReads(items);
  const service = createDriveService({
    items: store,
    blobs,
    clock: () => nowMs,
    settings: { uploadTtlSeconds, trashSeconds: 3600 },
    wakeMaintenance: () => {},
  });
  return { service, reads };
}

test('lists of files, of objects and of the trash read two batches at once at most', async (context) => {
  const fixture = await openDriveFixture(undefined, 0, 3600);
  context.after(() => fixture.close());
  const file = { source: Buffer.from('x'), contentType: 'text/plain' };
  const names = Array.from({ length: 100 }, (_, n) => `file-${n}`);
  for (const name of names) await fixture.service.put(...drive, name, file);
  await fixture.service.remove(...drive, names.slice(50));
  const { service, reads } = countedService(fixture);
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

test('four lists of a project at once have rows, whether of names alone or with details', async (context) => {
  const fixture = await openDriveFixture();
  context.after(() => fixture.close());
  await fixture.service.put(...drive, 'file', { source: Buffer.from('x'), contentType: 'text/plain' });
  const { service, reads } = countedService(fixture);
  const lists = Array.from({ length: 10 }, (_, n) =>
    service.list(...drive, { ...page, recursive: true, details: n % 2 === 0 }),
  );
  for (const { names } of await Promise.all(lists)) assert.deepEqual(names, ['file']);
  assert.equal(reads.mostOpen, 4);
});
