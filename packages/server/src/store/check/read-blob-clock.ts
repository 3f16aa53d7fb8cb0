import type { BlobStore } from '../../engines/blob-store.js';
import { StorageUnavailable } from '../../engines/storage-errors.js';
import { randomId } from '../../lib/random-id.js';

/**
 * The time of the clock that dates the blobs, in whole seconds since 1970. It may be the clock of another machine. Writes a
 * blob to find out, and deletes it. Throws `StorageUnavailable`.
 */
export async function readBlobClock(blobs: BlobStore): Promise<number> {
  const id = randomId();
  await blobs.write(id, [Buffer.from('now')]);
  try {
    for await (const blob of blobs.ids()) if (blob.id === id) return blob.writtenSeconds;
    throw new StorageUnavailable('The blob store does not list a blob that was just written');
  } finally {
    await blobs.delete([id]);
  }
}
