import { type Clock, nowSeconds } from '../../lib/clock.js';
import { randomId } from '../../lib/random-id.js';
import { type BlobInfo, type BlobStore, summedBytes } from '../blob-store.js';
import { createBlobSums } from '../shared/blob-sums.js';
import { BlobMissing } from '../storage-errors.js';

/** The blob store of `--memory` and of tests: only the memory limits it, and it ends with the process. */
export function openMemoryBlobStore(clock: Clock = Date.now): BlobStore {
  const blobs = new Map<string, { readonly bytes: Buffer; readonly writtenSeconds: number }>();

  async function write(id: string, chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<BlobInfo> {
    const taken: Buffer[] = [];
    const sums = createBlobSums();
    for await (const chunk of chunks) {
      sums.add(chunk);
      taken.push(chunk);
    }
    const bytes = Buffer.concat(taken);
    blobs.set(id, { bytes, writtenSeconds: nowSeconds(clock) });
    return sums.info();
  }

  return {
    // What is stored is not counted, only what has arrived since.
    keptByWrite: 2 * summedBytes,

    write,

    async add(chunks) {
      const id = randomId();
      return { id, ...(await write(id, chunks)) };
    },

    async *read(id, range) {
      const blob = blobs.get(id);
      if (blob === undefined) throw new BlobMissing(`There is no blob ${id}`);
      const end = range === undefined ? blob.bytes.length : range.end + 1;
      // One buffer for all chunks, as on a disk: tests in memory find those who keep a chunk.
      const buffer = Buffer.allocUnsafe(Math.min(summedBytes, Math.max(0, end - (range?.start ?? 0))));
      for (let at = range?.start ?? 0; at < end; at += summedBytes) {
        yield buffer.subarray(0, blob.bytes.copy(buffer, 0, at, Math.min(at + summedBytes, end)));
      }
    },

    async readWhole(id) {
      const blob = blobs.get(id);
      if (blob === undefined) throw new BlobMissing(`There is no blob ${id}`);
      return Buffer.from(blob.bytes);
    },

    async delete(ids) {
      for (const id of ids) blobs.delete(id);
    },

    async *ids() {
      for (const [id, { writtenSeconds, bytes }] of blobs)
        yield { id, writtenSeconds, sizeBytes: bytes.length };
    },

    async close() {},
  };
}
