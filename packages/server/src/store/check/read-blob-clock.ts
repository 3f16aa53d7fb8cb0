import type { BlobStore } from '../../engines/blob-store.js';
import { StorageUnavailable } from '../../engines/storage-errors.js';
import { randomId } from '../../lib/random-id.js';

/**
 * What the clock shows that dates the blobs, in whole seconds since 1970: it may be that of another machine. A blob is written for it,
 * and deleted. Throws `StorageUnavailable`.
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
