import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listEntries } from '../../../src/drive/files/list-entries.js';
import type { ItemStore, ScannedRow, ScanRange } from '../../../src/engines/item-store.js';
import { driveSpace } from '../../../src/spaces.js';
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

async function* counted(batches: AsyncIterable<readonly ScannedRow[]>) {
  mostOpen = Math.max(mostOpen, ++open);
  try {
    yield* batches;
  } finally {
    open--;
  }
}

test('a page holds one scan at a time, and none when it is over', async () => {
  const items = Object.create(fixture.items, {
    scan: { value: (space: string, range?: ScanRange) => counted(fixture.items.scan(space, range)) },
  }) as ItemStore;
  for (const delimiter of ['', '/']) {
    for (const limit of [1, 3, 60, 1000]) {
      const query = { prefix: '', within: '', after: '', delimiter, limit, nowSeconds: 0 };
      await listEntries(items, driveSpace(...drive), query);
      assert.deepEqual([open, mostOpen], [0, 1], `${delimiter} ${limit}`);
    }
  }
});
