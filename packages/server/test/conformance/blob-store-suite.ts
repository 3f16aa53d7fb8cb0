import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { AddedBlob, BlobStore, ByteRange } from '../../src/engines/blob-store.js';
import { BlobMissing } from '../../src/engines/storage-errors.js';
import { isRandomId, randomId } from '../../src/lib/random-id.js';
import { createGate } from '../support/gate.js';

export interface BlobStoreFixture {
  readonly store: BlobStore;
  /** Closes the store and opens it again. */
  readonly reopen: () => Promise<BlobStore>;
  /** Whether the store ends with its process: opened again, it is empty. */
  readonly isInMemory?: boolean;
  readonly cleanup: () => Promise<void>;
}

const maxChunkBytes = 256 * 1024;

/** The contract of `src/engines/blob-store.ts` as tests, the same for every engine, and for both ways to store a blob. */
export function blobStoreSuite(name: string, open: () => Promise<BlobStoreFixture>): void {
  for (const way of ['write', 'add'] as const) suiteOf(way, name, open);
}

function suiteOf(way: 'write' | 'add', name: string, open: () => Promise<BlobStoreFixture>): void {
  describe(`blob store: ${name}, ${way}`, () => {
    let fixture: BlobStoreFixture;
    let store: BlobStore;

    beforeEach(async () => {
      fixture = await open();
      store = fixture.store;
    });
    afterEach(async () => {
      await store.close();
      await fixture.cleanup();
    });

    async function read(id: string, range?: ByteRange): Promise<Buffer> {
      const chunks: Buffer[] = [];
      // A chunk holds its bytes until more are asked for.
      for await (const chunk of store.read(id, range)) chunks.push(Buffer.from(chunk));
      return Buffer.concat(chunks);
    }

    async function ids(): Promise<string[]> {
      const found: string[] = [];
      for await (const blob of store.ids()) found.push(blob.id);
      return found.sort();
    }

    /** `id` is that of a blob that is written; one that is added gets its own. */
    async function put(
      chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
      id = randomId(),
    ): Promise<AddedBlob> {
      return way === 'add' ? await store.add(chunks) : { id, ...(await store.write(id, chunks)) };
    }

    async function write(bytes: Buffer): Promise<string> {
      return (await put([bytes])).id;
    }

    test('a fresh store is empty', async () => {
      assert.deepEqual(await ids(), []);
    });

    test('gives back the bytes it was given, in whatever pieces they came', async () => {
      for (const sizes of [
        [],
        [0],
        [1],
        [5, 0, 7],
        [100_000],
        [maxChunkBytes],
        [1, 2 * maxChunkBytes - 1],
        Array(70).fill(10_000),
        [3_000_000],
      ]) {
        const chunks = sizes.map((size, n) => patterned(size, n));
        const bytes = Buffer.concat(chunks);
        const { id, ...info } = await put(chunks);
        assert.ok(isRandomId(id));
        assert.deepEqual(info, {
          sizeBytes: bytes.length,
          crc32: crc32(bytes),
          chunkCrc32s: parted(bytes).map((part) => crc32(part)),
        });
        assert.ok((await read(id)).equals(bytes));
      }
    });

    test('takes chunks one after the other as they come', async () => {
      let taken = 0;
      async function* source() {
        for (let n = 0; n < 20; n++) {
          taken++;
          yield patterned(100_000, n);
        }
      }
      const { id } = await put(source());
      assert.equal(taken, 20);
      assert.equal((await read(id)).length, 2_000_000);
    });

    test('reads in chunks of at most 256 KiB', async () => {
      const id = await write(patterned(1_000_000, 1));
      let chunks = 0;
      for await (const chunk of store.read(id)) {
        assert.ok(chunk.length > 0 && chunk.length <= maxChunkBytes);
        chunks++;
      }
      assert.ok(chunks >= 4);
    });

    test('reads any range, both ends included', async () => {
      const bytes = patterned(700_000, 3);
      const id = await write(bytes);
      for (const [start, end] of [
        [0, 0],
        [0, 699_999],
        [699_999, 699_999],
        [262_143, 262_144],
        [5, 600_000],
      ] as const) {
        assert.ok((await read(id, { start, end })).equals(bytes.subarray(start, end + 1)));
      }
    });

    test('reads a small blob whole', async () => {
      const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, n) => n % 251));
      const id = await write(bytes);
      assert.ok((await store.readWhole(id, bytes.length)).equals(bytes));
      await assert.rejects(store.readWhole(randomId(), 10), BlobMissing);
    });

    test('a missing blob is reported before the first chunk', async () => {
      const chunks = store.read(randomId())[Symbol.asyncIterator]();
      await assert.rejects(chunks.next(), BlobMissing);
    });

    test('when the source fails, the write rejects with its error and keeps nothing', async () => {
      for (const before of [0, 10, 1_000_000]) {
        async function* source() {
          yield patterned(before, 1);
          throw new Error('cut off');
        }
        const id = randomId();
        await assert.rejects(put(source(), id), /^Error: cut off$/);
        await assert.rejects(read(id), BlobMissing);
      }
      assert.deepEqual(await ids(), []);
    });

    test('an unfinished blob is neither listed nor read', async () => {
      const id = randomId();
      const begun = createGate();
      const finish = createGate();
      async function* source() {
        yield patterned(1_000_000, 1);
        begun.open();
        await finish.passed;
      }
      const writing = put(source(), id);
      await begun.passed;
      assert.deepEqual(await ids(), []);
      await assert.rejects(read(id), BlobMissing);
      finish.open();
      const added = await writing;
      assert.deepEqual(await ids(), [added.id]);
    });

    test('deletes blobs, and ids without a blob are no error', async () => {
      const [one, two] = [await write(patterned(10, 1)), await write(patterned(300_000, 2))];
      await store.delete([randomId(), one, one]);
      await assert.rejects(read(one), BlobMissing);
      assert.equal((await read(two)).length, 300_000);
      assert.deepEqual(await ids(), [two]);
      await store.delete([]);
    });

    test('lists every blob once, with the time it was written and its size', async () => {
      const written: string[] = [];
      for (let n = 0; n < 20; n++) written.push(await write(patterned(n, n)));
      assert.deepEqual(await ids(), written.sort());
      let bytes = 0;
      for await (const { writtenSeconds, sizeBytes } of store.ids()) {
        bytes += sizeBytes;
        assert.ok(Number.isInteger(writtenSeconds));
        assert.ok(Math.abs(writtenSeconds - Date.now() / 1000) < 3600);
      }
      assert.equal(bytes, (20 * 19) / 2);
    });

    test('many writes at once keep the bytes of each', async () => {
      const written = await Promise.all(
        Array.from({ length: 64 }, async (_, n) => ({ id: await write(patterned(n * 1000, n)), n })),
      );
      for (const { id, n } of written) assert.ok((await read(id)).equals(patterned(n * 1000, n)));
      assert.equal((await ids()).length, 64);
    });

    test('a reader that stops early releases what it holds, and others read on', async () => {
      const id = await write(patterned(1_000_000, 1));
      for (let n = 0; n < 50; n++) {
        for await (const chunk of store.read(id)) {
          assert.ok(chunk.length > 0);
          break;
        }
      }
      assert.equal((await read(id)).length, 1_000_000);
    });

    test('closing waits for calls in progress; what was written is stored when the store is opened again, or gone if it was in memory', async () => {
      const written = [await write(patterned(10, 1))];
      const writing = put([patterned(500_000, 2)]);
      const [reopened, { id }] = await Promise.all([fixture.reopen(), writing]);
      store = reopened;
      if (fixture.isInMemory) {
        assert.deepEqual(await ids(), []);
        await assert.rejects(read(id), BlobMissing);
        return;
      }
      assert.deepEqual(await ids(), [...written, id].sort());
      assert.ok((await read(id)).equals(patterned(500_000, 2)));
    });
  });
}

/** In parts of 256 KiB, which have a checksum each. */
function parted(bytes: Buffer): Buffer[] {
  const count = Math.ceil(bytes.length / maxChunkBytes);
  return Array.from({ length: count }, (_, n) => bytes.subarray(n * maxChunkBytes, (n + 1) * maxChunkBytes));
}

/** Bytes that differ from place to place and from seed to seed. */
export function patterned(size: number, seed: number): Buffer {
  // They repeat after 64 KiB.
  const first = Buffer.allocUnsafe(Math.min(size, 65_536));
  for (let at = 0; at < first.length; at++) first[at] = (at * 31 + (at >> 8) + seed) & 0xff;
  return Buffer.alloc(size, first);
}
