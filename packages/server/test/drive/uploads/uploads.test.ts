import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { jsonRow, type PartRow, partKey } from '../../../src/drive/rows.js';
import type { BlobStore } from '../../../src/engines/blob-store.js';
import { driveSpace } from '../../../src/spaces.js';
import { patterned } from '../../conformance/blob-store-suite.js';
import {
  type DriveFixture,
  drive,
  largeBytes,
  minPartBytes,
  openDriveFixture,
  streamed,
  uploadTtlSeconds,
} from '../../support/drive-fixture.js';
import { createGate } from '../../support/gate.js';

describe('the drive service, for chunked uploads,', () => {
  let fixture: DriveFixture;
  let beforeWrite: () => Promise<void>;

  beforeEach(async () => {
    beforeWrite = async () => {};
    fixture = await openDriveFixture((blobs: BlobStore) => ({
      ...blobs,
      add: async (chunks) => {
        await beforeWrite();
        return await blobs.add(chunks);
      },
    }));
  });
  afterEach(() => fixture.close());

  const initialize = (name = 'a', type?: string) =>
    fixture.service.uploads.initialize(...drive, name, { contentType: type });
  const part = (id: string, n: number, bytes: Buffer, options: { name?: string; type?: string } = {}) =>
    fixture.service.uploads.part(...drive, options.name ?? 'a', {
      uploadId: id,
      source: streamed(bytes),
      part: n,
      contentType: options.type,
    });
  const end = (id: string, name = 'a') => fixture.service.uploads.end(...drive, name, { uploadId: id });
  const abort = (id: string, name = 'a') => fixture.service.uploads.abort(...drive, name, id);

  async function typeOf(name: string) {
    const file = await fixture.service.open(...drive, name);
    file?.release();
    return file?.row.contentType;
  }

  test('a list by name says when each upload was opened, also that of a link', async () => {
    const { uploads } = fixture.service;
    const openedMs = fixture.nowMs;
    await initialize('by key');
    const link = { link: 'l', contentType: 'a/b', maxBytes: 10, endsAtSeconds: openedMs / 1000 + 60 };
    await uploads.openLinked(...drive, 'by link', link);
    const query = { prefix: '', within: '', after: '', afterId: '', limit: 10 };
    const listed = (await uploads.listByName(...drive, query)).map((one) => [one.name, one.openedMs]);
    assert.deepEqual(listed, [
      ['by key', openedMs],
      ['by link', openedMs],
    ]);
  });

  test('makes one file of parts in any order, many at once, and keeps nothing else', async () => {
    const parts = [minPartBytes, minPartBytes + 7, largeBytes].map((size, n) => patterned(size, n));
    const id = await initialize();
    const sent = await Promise.all([2, 3, 1].map((n) => part(id, n, parts[n - 1] as Buffer)));
    assert.deepEqual(sent, [true, true, true]);
    assert.equal(await fixture.read('a'), undefined);
    assert.equal(await end(id), 'ended');
    const whole = Buffer.concat(parts);
    assert.ok((await fixture.read('a'))?.equals(whole));
    for (const [start, stop] of [
      [minPartBytes - 3, minPartBytes + 3],
      [5, whole.length - 5],
      [whole.length - 1, whole.length - 1],
    ] as const) {
      assert.ok((await fixture.read('a', { start, end: stop }))?.equals(whole.subarray(start, stop + 1)));
    }
    assert.deepEqual(await fixture.keys('upload/'), []);
    assert.deepEqual(await fixture.keys('part/'), []);
    await fixture.service.remove(...drive, ['a']);
    await fixture.maintenance.runOnce();
    assert.deepEqual(await fixture.keys(), []);
    assert.deepEqual(await fixture.blobIds(), []);
  });

  test('stores a small last part in a row, and deletes it with its file', async () => {
    const id = await initialize();
    await part(id, 1, patterned(minPartBytes, 1));
    await part(id, 2, patterned(10, 2));
    assert.equal(await end(id), 'ended');
    const whole = Buffer.concat([patterned(minPartBytes, 1), patterned(10, 2)]);
    assert.ok((await fixture.read('a'))?.equals(whole));
    assert.ok((await fixture.read('a', { start: whole.length - 12, end: whole.length - 2 }))?.length === 11);
    await fixture.service.remove(...drive, ['a']);
    await fixture.maintenance.runOnce();
    assert.deepEqual(await fixture.keys(), []);
  });

  test('makes a single part, small or large, the file', async () => {
    for (const size of [10, largeBytes]) {
      const id = await initialize();
      await part(id, 1, patterned(size, 1));
      assert.equal(await end(id), 'ended');
      assert.ok((await fixture.read('a'))?.equals(patterned(size, 1)));
    }
  });

  test('makes an empty file of an upload without parts', async () => {
    const id = await initialize('empty.txt');
    assert.equal(await end(id, 'empty.txt'), 'ended');
    assert.equal((await fixture.read('empty.txt'))?.length, 0);
  });

  test('serves the old file until the end, then replaces it at once', async () => {
    await fixture.service.put(...drive, 'a', { source: patterned(largeBytes, 9), contentType: 'text/plain' });
    const id = await initialize();
    await part(id, 1, patterned(largeBytes, 1));
    assert.ok((await fixture.read('a'))?.equals(patterned(largeBytes, 9)));
    await end(id);
    assert.ok((await fixture.read('a'))?.equals(patterned(largeBytes, 1)));
    await fixture.maintenance.runOnce();
    assert.equal((await fixture.blobIds()).length, 1);
  });

  test('replaces a part that is sent again, and deletes the earlier bytes', async () => {
    const id = await initialize();
    for (const size of [largeBytes, 10, 20, largeBytes + 1]) await part(id, 1, patterned(size, size));
    await fixture.maintenance.runOnce();
    assert.equal((await fixture.blobIds()).length, 1);
    assert.deepEqual(await fixture.keys('content/'), []);
    await end(id);
    assert.ok((await fixture.read('a'))?.equals(patterned(largeBytes + 1, largeBytes + 1)));
  });

  test('names gaps and small parts, and keeps the upload open', async () => {
    const id = await initialize();
    await part(id, 1, patterned(100, 1));
    await part(id, 4, patterned(100, 4));
    const refused = await end(id);
    assert.ok(typeof refused === 'object');
    assert.match(refused.problems[0]?.message ?? '', /2, 3 missing/);
    assert.match(refused.problems[1]?.message ?? '', /parts: 1 smaller/);
    for (const n of [1, 2, 3]) assert.equal(await part(id, n, patterned(minPartBytes, n)), true);
    assert.equal(await end(id), 'ended');
    assert.equal((await fixture.read('a'))?.length, 3 * minPartBytes + 100);
  });

  test('names part 1 when it is missing', async () => {
    const id = await initialize();
    await part(id, 2, patterned(10, 1));
    const refused = await end(id);
    assert.ok(typeof refused === 'object');
    assert.match(refused.problems[0]?.message ?? '', /parts: 1 missing/);
  });

  test('does not know an upload that was never made, was ended or aborted, or is of another name or drive', async () => {
    const unknown = async (id: string, name = 'a') => {
      assert.equal(await part(id, 1, patterned(largeBytes, 1), { name }), false);
      assert.equal(await end(id, name), 'unknown');
      assert.equal(await abort(id, name), false);
      assert.equal(await fixture.service.uploads.find(...drive, name, id), undefined);
    };
    await unknown('0'.repeat(32));
    const ended = await initialize();
    await end(ended);
    await unknown(ended);
    const aborted = await initialize();
    assert.equal(await abort(aborted), true);
    await unknown(aborted);
    const open = await initialize();
    await unknown(open, 'b');
    const other = ['demo', 'other'] as const;
    assert.equal(await fixture.service.uploads.end(...other, 'a', { uploadId: open }), 'unknown');
    assert.notEqual(await fixture.service.uploads.find(...drive, 'a', open), undefined);
    assert.deepEqual(await fixture.blobIds(), []);
  });

  test('deletes all parts of an aborted upload', async () => {
    const id = await initialize();
    await Promise.all([1, 2, 3].map((n) => part(id, n, patterned(n === 3 ? 10 : largeBytes, n))));
    await abort(id);
    await fixture.maintenance.runOnce();
    assert.deepEqual(await fixture.keys(), []);
    assert.deepEqual(await fixture.blobIds(), []);
  });

  test('drops an open upload a day after its last request, not after its first', async () => {
    const dayMs = uploadTtlSeconds * 1000;
    const id = await initialize();
    fixture.nowMs += dayMs - 1000;
    assert.equal(await part(id, 1, patterned(largeBytes, 1)), true);
    fixture.nowMs += dayMs - 1000;
    await fixture.maintenance.runOnce();
    assert.notEqual(await fixture.service.uploads.find(...drive, 'a', id), undefined);
    const { uploads } = fixture.service;
    const listed = async () => (await uploads.list(...drive, { within: '', last: '', limit: 1 })).uploads;
    assert.deepEqual(await listed(), [{ uploadId: id, name: 'a' }]);
    fixture.nowMs += 1000;
    // Before maintenance drops it.
    assert.deepEqual(await listed(), []);
    assert.equal(await end(id), 'unknown');
    await fixture.maintenance.runOnce();
    assert.deepEqual(await fixture.keys(), []);
    assert.deepEqual(await fixture.blobIds(), []);
  });

  test('counts an end that is refused as a request', async () => {
    const id = await initialize();
    await part(id, 2, patterned(10, 1));
    fixture.nowMs += uploadTtlSeconds * 1000 - 1000;
    await end(id);
    fixture.nowMs += 5000;
    await fixture.maintenance.runOnce();
    assert.notEqual(await fixture.service.uploads.find(...drive, 'a', id), undefined);
  });

  test('takes the type of Initialize, else of part 1, else derives it from the name', async () => {
    const cases = [
      { name: 'a.png', initial: 'text/a', first: 'text/b', expected: 'text/a' },
      { name: 'a.png', initial: undefined, first: 'text/b', expected: 'text/b' },
      { name: 'a.png', initial: undefined, first: undefined, expected: 'image/png' },
      { name: 'a', initial: undefined, first: undefined, expected: 'application/octet-stream' },
    ];
    for (const { name, initial, first, expected } of cases) {
      const id = await initialize(name, initial);
      await part(id, 2, patterned(10, 2), { name, type: 'text/second' });
      await part(id, 1, patterned(minPartBytes, 1), { name, ...(first && { type: first }) });
      assert.equal(await end(id, name), 'ended');
      assert.equal(await typeOf(name), expected);
    }
  });

  test('does not keep a part whose upload is ended or aborted while the part arrives', async () => {
    for (const finish of [end, abort]) {
      const id = await initialize();
      const arrived = createGate();
      const goOn = createGate();
      beforeWrite = () => {
        arrived.open();
        return goOn.passed;
      };
      const late = part(id, 1, patterned(largeBytes, 1));
      await arrived.passed;
      await finish(id);
      goOn.open();
      assert.equal(await late, false);
      assert.deepEqual(await fixture.blobIds(), []);
      assert.deepEqual(await fixture.keys('part/'), []);
    }
  });

  test('lets one of many concurrent ends and aborts succeed', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await initialize();
      await part(id, 1, patterned(20, 1));
      const results = await Promise.all(
        Array.from({ length: 16 }, (_, n) => (n % 2 === 0 ? end(id) : abort(id))),
      );
      assert.equal(results.filter((result) => result === 'ended' || result === true).length, 1);
    }
  });

  test('has every part in the file that was answered before a concurrent end', async () => {
    for (let round = 0; round < 20; round++) {
      const id = await initialize();
      await part(id, 1, patterned(100, 0));
      // Each replaces part 1; the file is one of them, whole, and exactly what the last accepted one sent.
      const accepted: number[] = [];
      const sent = Array.from({ length: 8 }, async (_, n) => {
        if (await part(id, 1, patterned(100, n + 1))) accepted.push(n + 1);
      });
      const [result] = await Promise.all([end(id), ...sent]);
      assert.equal(result, 'ended');
      const bytes = await fixture.read('a');
      const winner = accepted.at(-1) ?? 0;
      assert.ok(bytes?.equals(patterned(100, winner)), `round ${round}`);
      assert.equal((await fixture.keys('content/')).length, 1);
    }
  });

  test('puts together what is known of the parts before the change, and again if one came meanwhile', async () => {
    const id = await initialize();
    await part(id, 1, Buffer.from('first'));
    const seen: number[][] = [];
    const sums = async (parts: readonly { readonly sizeBytes: number }[]) => {
      seen.push(parts.map(({ sizeBytes }) => sizeBytes));
      // Another change of the same drive would wait for ever, if this were within the transaction.
      if (seen.length === 1) await part(id, 1, Buffer.from('sent again'));
      return { md5: `${'0'.repeat(32)}-${parts.length}` };
    };
    assert.equal(await fixture.service.uploads.end(...drive, 'a', { uploadId: id, sums }), 'ended');
    assert.deepEqual(seen, [[5], [10]]);
    assert.equal((await fixture.service.stat(...drive, 'a'))?.md5, `${'0'.repeat(32)}-1`);
    assert.equal((await fixture.read('a'))?.toString(), 'sent again');
  });

  test('makes a file of ten thousand parts of 5 MiB', async () => {
    const count = 10_000;
    const id = await initialize();
    const md5 = 'ab'.repeat(16);
    // Their bytes would be 50 GB, and no byte of them is read.
    const stored: PartRow = { id: '', layout: 'blob', sizeBytes: minPartBytes, crc32: 0, md5 };
    const rows = Array.from({ length: count }, (_, n) =>
      jsonRow(partKey(id, n + 1), { ...stored, id: n.toString(16).padStart(32, '0') }),
    );
    await fixture.items.transact(driveSpace(...drive), [], () => ({ puts: rows, result: undefined }));
    const parts = Array.from({ length: count }, (_, n) => ({ part: n + 1, md5 }));
    const sums = () => ({ md5: `${md5}-${count}` });
    assert.equal(await fixture.service.uploads.end(...drive, 'a', { uploadId: id, parts, sums }), 'ended');
    const file = await fixture.service.stat(...drive, 'a');
    assert.deepEqual([file?.sizeBytes, file?.md5], [count * minPartBytes, `${md5}-${count}`]);
    assert.deepEqual((await fixture.keys()).map((key) => key.split('/')[0]).sort(), ['content', 'name']);
  });

  test('accepts ten thousand parts', async () => {
    const id = await initialize();
    const bytes = patterned(1, 1);
    await Promise.all(Array.from({ length: 10_000 }, (_, n) => part(id, n + 1, bytes)));
    const refused = await end(id);
    assert.ok(typeof refused === 'object');
    assert.match(refused.problems[0]?.message ?? '', /and 9979 more smaller/);
    await abort(id);
    await fixture.maintenance.runOnce();
    assert.deepEqual(await fixture.keys(), []);
  });
});
