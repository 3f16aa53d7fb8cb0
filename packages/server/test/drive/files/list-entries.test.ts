import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listEntries } from '../../../src/drive/files/list-entries.js';
import { type FileRow, fileRow } from '../../../src/drive/rows.js';
import type { ItemStore, ScanRange, TextRow } from '../../../src/engines/item-store.js';
import { driveSpace } from '../../../src/spaces.js';
import { countReads } from '../../support/count-reads.js';
import { type DriveFixture, drive, openDriveFixture } from '../../support/drive-fixture.js';

let fixture: DriveFixture;
/** Scans that were begun and neither read to their end nor closed: each may hold a connection. */
let open = 0;
let mostOpen = 0;

before(async () => {
  fixture = await openDriveFixture();
  for (let n = 0; n < 50; n++) {
    const file = { source: Buffer.from('x'), contentType: 'text/plain' };
    await fixture.service.put(...drive, `dir${n % 5}/${n}`, file);
    await fixture.service.put(...drive, `dir${n % 7}/sub${n}/`, file);
  }
});
after(() => fixture.close());

async function* counted(batches: AsyncIterable<readonly TextRow[]>) {
  mostOpen = Math.max(mostOpen, ++open);
  try {
    yield* batches;
  } finally {
    open--;
  }
}

test('a page holds one scan at a time, and none when it is over', async () => {
  const items = Object.create(fixture.items, {
    scanText: { value: (space: string, range?: ScanRange) => counted(fixture.items.scanText(space, range)) },
  }) as ItemStore;
  for (const delimiter of ['', '/']) {
    for (const limit of [1, 3, 60, 1000]) {
      const query = { prefix: '', within: '', after: '', delimiter, limit, nowSeconds: 0 };
      await listEntries(items, driveSpace(...drive), query);
      assert.deepEqual([open, mostOpen], [0, 1], `${delimiter} ${limit}`);
    }
  }
});

test('what many names begin with is listed without reading them', async () => {
  const space = driveSpace('project', 'many');
  const folders = 60;
  const namesEach = 500;
  const file: FileRow = { id: '0', layout: 'row', sizeBytes: 0, contentType: 'text/plain', modifiedMs: 0 };
  const nameOf = (folder: number, n: number) =>
    `${String(folder).padStart(2, '0')}--${String(n).padStart(4, '0')}`;
  for (let folder = 0; folder < folders; folder++) {
    const puts = Array.from({ length: namesEach }, (_, n) => fileRow(nameOf(folder, n), file));
    await fixture.items.transact(space, [], () => ({ puts, result: undefined }));
  }
  let rows = 0;
  const items = Object.create(fixture.items, {
    scanText: {
      async *value(scanned: string, range?: ScanRange) {
        for await (const batch of fixture.items.scanText(scanned, range)) {
          rows += batch.length;
          yield batch;
        }
      },
    },
  }) as ItemStore;
  const listed = async (more: object) => {
    rows = 0;
    const query = { prefix: '', within: '', after: '', delimiter: '--', limit: 1000, nowSeconds: 0, ...more };
    return await listEntries(items, space, query);
  };
  const all = await listed({});
  assert.deepEqual(
    all.entries.map(({ name }) => name),
    Array.from({ length: folders }, (_, n) => `${String(n).padStart(2, '0')}--`),
  );
  assert.ok(
    rows <= 10 * folders,
    `${rows} rows were read for ${folders} entries of ${folders * namesEach} names`,
  );
  for (const after of ['29--', '29--0250', '29--0250 is not there', '29--~']) {
    const { entries } = await listed({ after });
    // A marker within what is cut lists it again; the cut text itself, and what is behind all of it, does not.
    const first = after === '29--' || after === '29--~' ? '30--' : '29--';
    assert.equal(entries[0]?.name, first, after);
    assert.ok(rows <= 10 * folders, `${rows} rows were read after ${after}`);
  }
  // Nothing is cut: a page reads its own names and one more.
  const { entries, more } = await listed({ delimiter: 'none', prefix: '0', after: '03--0100' });
  assert.deepEqual([entries.length, more, entries[0]?.name], [1000, true, '03--0101']);
  assert.ok(rows <= 1100, `${rows} rows were read for a page of 1,000`);
});

test('names that have expired are passed over in large pages, however few are asked for', async () => {
  const space = driveSpace('project', 'expired');
  const row = { id: '0', layout: 'row', sizeBytes: 0, contentType: 'text/plain', modifiedMs: 0 } as const;
  const puts = Array.from({ length: 5000 }, (_, n) =>
    fileRow(String(n).padStart(4, '0'), n < 4999 ? { ...row, expiresAtSeconds: 10 } : row),
  );
  await fixture.items.transact(space, [], () => ({ puts, result: undefined }));
  for (const delimiter of ['', '/']) {
    const { store, reads } = countReads(fixture.items);
    const query = { prefix: '', within: '', after: '', delimiter, limit: 1, nowSeconds: 20 };
    const { entries } = await listEntries(store, space, query);
    assert.deepEqual(
      entries.map(({ name }) => name),
      ['4999'],
    );
    assert.ok(reads.scans < 20, `${reads.scans} scans`);
  }
});
