import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { ByteRange } from '../../../src/engines/blob-store.js';
import { driveSpace } from '../../../src/spaces.js';
import { patterned } from '../../conformance/blob-store-suite.js';
import { type DriveFixture, drive, minPartBytes, openDriveFixture } from '../../support/drive-fixture.js';

const type = 'text/plain';
const space = driveSpace('demo', 'photos');
const kib = 1024;

describe('stored bytes that have changed are not handed out:', () => {
  let fixture: DriveFixture;

  beforeEach(async () => {
    fixture = await openDriveFixture();
  });
  afterEach(() => fixture.close());

  async function flipInRow(key: string, at: number): Promise<void> {
    await fixture.items.transact(space, [key], ([row]) => {
      assert.ok(row);
      return { puts: [{ key, value: flipped(row, at) }], result: undefined };
    });
  }

  async function flipInBlob(id: string, at: number): Promise<void> {
    const path = join(fixture.blobsFolder, id.slice(0, 2), id);
    await writeFile(path, flipped(await readFile(path), at));
  }

  /** Rows of files and lists of parts as versions before this one wrote them. */
  async function withoutChunkSums(): Promise<void> {
    for (const { key, value } of await fixture.rows()) {
      if (!key.startsWith('name/') && !value.subarray(0, 1).equals(Buffer.from('['))) continue;
      const text = JSON.stringify(JSON.parse(value.toString()), (name, it) =>
        name === 'chunkCrc32s' ? undefined : it,
      );
      const put = { key, value: Buffer.from(text) };
      await fixture.items.transact(space, [], () => ({ puts: [put], result: undefined }));
    }
  }

  const read = (range?: ByteRange) => fixture.read('file', range);
  const wrong = { name: 'WrongBytes' };

  for (const size of [1, 4 * kib, 16 * kib]) {
    test(`a file of ${size} bytes in a row is refused, whole or in ranges`, async () => {
      await fixture.service.put(...drive, 'file', { source: patterned(size, 1), contentType: type });
      assert.ok((await read())?.equals(patterned(size, 1)));
      const [key] = await fixture.keys('content/');
      assert.ok(key);
      await flipInRow(key, size >> 1);
      await assert.rejects(read(), wrong);
      await assert.rejects(read({ start: 0, end: 0 }), wrong);
    });
  }

  test('a part in a row is refused, whole or in ranges, and the other part is given', async () => {
    const id = await fixture.service.uploads.initialize(...drive, 'file', { contentType: type });
    const parts = [patterned(minPartBytes, 1), patterned(1000, 2)];
    for (const [n, bytes] of parts.entries()) {
      await fixture.service.uploads.part(...drive, 'file', {
        uploadId: id,
        source: bytes,
        part: n + 1,
        contentType: undefined,
      });
    }
    const small = (await fixture.rows('content/')).find(({ value }) => value.length === 1000);
    assert.ok(small);
    await fixture.service.uploads.end(...drive, 'file', { uploadId: id });
    const inSmall = { start: minPartBytes + 10, end: minPartBytes + 20 };
    assert.ok((await read(inSmall))?.equals(patterned(1000, 2).subarray(10, 21)));
    await flipInRow(small.key, 500);
    await assert.rejects(read(inSmall), wrong);
    await assert.rejects(read(), wrong);
    assert.ok((await read({ start: 0, end: 9 }))?.equals(patterned(minPartBytes, 1).subarray(0, 10)));
  });

  test('a range of a blob with the changed byte is refused, and ranges in other chunks are given', async () => {
    const bytes = patterned(1_000_000, 1);
    const chunk = 256 * kib;
    for (const at of [0, 300_000, 2 * chunk - 1, 999_999]) {
      await fixture.service.put(...drive, 'file', { source: bytes, contentType: type });
      await fixture.maintenance.runOnce();
      const [id] = await fixture.blobIds();
      assert.ok(id);
      await flipInBlob(id, at);
      for (const [start, end] of [
        [at, at],
        [Math.max(0, at - 1000), Math.min(999_999, at + 1000)],
        [Math.max(0, at - 300_000), at],
        [at, 999_999],
        [0, at],
        [0, 999_999],
      ] as const) {
        await assert.rejects(read({ start, end }), wrong, `${start}-${end}, changed at ${at}`);
      }
      // In the same 256 KiB, bytes are not told apart.
      const first = at - (at % chunk);
      const others = [
        { start: 0, end: first - 1 },
        { start: first + chunk, end: 999_999 },
        { start: first + chunk + 7, end: first + chunk + 8 },
      ];
      for (const range of others.filter(({ start, end }) => start <= end && end < bytes.length)) {
        assert.ok((await read(range))?.equals(bytes.subarray(range.start, range.end + 1)));
      }
    }
  });

  test('a range of a file of several parts is refused if one of its parts has changed', async () => {
    const id = await fixture.service.uploads.initialize(...drive, 'file', { contentType: type });
    const parts = [patterned(minPartBytes, 1), patterned(400_000, 2)];
    const whole = Buffer.concat(parts);
    for (const [n, bytes] of parts.entries()) {
      await fixture.service.uploads.part(...drive, 'file', {
        uploadId: id,
        source: bytes,
        part: n + 1,
        contentType: undefined,
      });
    }
    await fixture.service.uploads.end(...drive, 'file', { uploadId: id });
    const across = { start: minPartBytes - 5, end: minPartBytes + 5 };
    assert.ok((await read(across))?.equals(whole.subarray(across.start, across.end + 1)));
    const [list] = await fixture.rows('content/');
    const pieces = JSON.parse(list?.value.toString() ?? '') as { id: string }[];
    await flipInBlob(pieces[1]?.id ?? '', 100);
    await assert.rejects(read(across), wrong);
    await assert.rejects(read(), wrong);
    const before = { start: 5, end: minPartBytes - 1 };
    assert.ok((await read(before))?.equals(whole.subarray(before.start, before.end + 1)));
  });

  test('a range of a file that an earlier version wrote is compared with the whole piece around it', async () => {
    const bytes = patterned(1_000_000, 1);
    await fixture.service.put(...drive, 'file', { source: bytes, contentType: type });
    await withoutChunkSums();
    assert.ok((await read({ start: 300_000, end: 600_000 }))?.equals(bytes.subarray(300_000, 600_001)));
    const [id] = await fixture.blobIds();
    await flipInBlob(id ?? '', 500_000);
    await assert.rejects(read({ start: 500_000, end: 500_000 }), wrong);
    await assert.rejects(read({ start: 0, end: 5 }), wrong);
    await assert.rejects(read(), wrong);
  });

  test('a range ends with its last byte, wherever it begins and ends', async () => {
    const bytes = patterned(1_000_000, 3);
    await fixture.service.put(...drive, 'file', { source: bytes, contentType: type });
    const edges = [0, 1, 256 * kib - 1, 256 * kib, 256 * kib + 1, 512 * kib, 700_000, 768 * kib, 999_999];
    for (const old of [false, true]) {
      if (old) await withoutChunkSums();
      for (const start of edges) {
        for (const end of edges.filter((edge) => edge >= start)) {
          assert.ok((await read({ start, end }))?.equals(bytes.subarray(start, end + 1)), `${start}-${end}`);
        }
      }
    }
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at]! ^= 1;
  return changed;
}
