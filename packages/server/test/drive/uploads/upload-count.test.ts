import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createUploadCount, type UploadCount } from '../../../src/drive/uploads/upload-count.js';
import { createUploads } from '../../../src/drive/uploads/uploads.js';
import { type DriveFixture, openDriveFixture } from '../../support/drive-fixture.js';

const most = 20;
async function* noSpaces() {
  yield* [];
}

const full = { status: 409, message: /open uploads/ };

describe('the open uploads of a project', () => {
  let fixture: DriveFixture;
  before(async () => {
    fixture = await openDriveFixture();
  });
  after(() => fixture.close());

  /** A server over the rows of the test. */
  function server() {
    const { items, blobs } = fixture;
    const context = {
      items: items as never,
      blobs,
      ledgers: { of: () => undefined } as never,
      clock: () => fixture.nowMs,
      inlineFileBytes: 0,
      garbageDue: () => 0,
      trashSeconds: 0,
      wakeMaintenance() {},
    };
    return createUploads(context, 60, most);
  }

  async function openMany(open: () => Promise<unknown>): Promise<number> {
    const all = await Promise.allSettled(Array.from({ length: 2 * most }, open));
    for (const one of all) if (one.status === 'rejected') assert.equal(one.reason.status, 409);
    return all.filter(({ status }) => status === 'fulfilled').length;
  }

  test('are bounded over all its drives, by links and by keys, and again free when they end', async () => {
    const uploads = server();
    let next = 0;
    const linked = { link: 'l', contentType: 'a/b', maxBytes: 1, endsAtSeconds: fixture.nowMs };
    const ofLink = await uploads.openLinked('demo', 'd2', 'a', linked);
    const ids: string[] = [];
    const opened = await openMany(async () => {
      const drive = `d${++next % 3}`;
      if (next % 2 > 0) ids.push(await uploads.initialize('demo', drive, `${drive} a`));
      else await uploads.openLinked('demo', drive, 'a', { ...linked, link: `l${next}` });
    });
    assert.equal(opened, most - 1);
    await assert.rejects(uploads.initialize('demo', 'new', 'a'), full);
    await uploads.initialize('other', 'new', 'a');
    // An open upload of a link is found, and the service itself is not bounded.
    assert.equal(await uploads.openLinked('demo', 'd2', 'a', linked), ofLink);
    await uploads.initialize('demo', 'd1', '');

    const [one = '', two = ''] = ids;
    assert.equal(await uploads.end('demo', 'd1', 'd1 a', { uploadId: one }), 'ended');
    assert.equal(await uploads.abort('demo', 'd0', 'd0 a', two), true);
    assert.equal(await openMany(() => uploads.initialize('demo', 'd1', 'a')), 2);
  });

  test('are counted by a server that did not open them', async () => {
    const uploads = server();
    // The first tenth is not counted.
    assert.equal(await openMany(() => uploads.initialize('demo', 'd1', 'a')), most / 10);
  });

  test('are not counted without a pause, nor twice at once', async () => {
    let nowMs = 5000;
    let counts = 0;
    const items = {
      spaces() {
        counts++;
        return noSpaces();
      },
    };
    const count: UploadCount = createUploadCount(items as never, 1, () => nowMs);
    const open = () => count.open('demo', async () => {});
    await open();
    await Promise.all([open(), assert.rejects(open(), full)]);
    assert.equal(counts, 1);
    await assert.rejects(open(), full);
    assert.equal(counts, 1);
    nowMs += 1000;
    await open();
    assert.equal(counts, 2);
    await assert.rejects(
      count.open('demo', async () => {}),
      full,
    );
    count.closed('demo');
    await open();
    assert.equal(counts, 2);
  });

  test('that could not be stored take no room', async () => {
    const items = { spaces: noSpaces };
    const count = createUploadCount(items as never, 1);
    const lost = () => count.open('demo', () => Promise.reject(new Error('lost')));
    await assert.rejects(lost(), /lost/);
    await assert.rejects(lost(), /lost/);
    await count.open('demo', async () => {});
  });
});
