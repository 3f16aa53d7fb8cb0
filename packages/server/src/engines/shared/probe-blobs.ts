import type { BlobStore } from '../blob-store.js';
import { BlobMissing } from '../storage-errors.js';

/** A valid id under which no blob is written. */
const noBlob = '0'.repeat(32);

/** Resolves when the blob store answers a read. Throws what its `read` throws if it does not. */
export async function probeBlobs(blobs: BlobStore): Promise<void> {
  try {
    for await (const _ of blobs.read(noBlob)) return;
  } catch (cause) {
    // That the blob is missing is an answer.
    if (!(cause instanceof BlobMissing)) throw cause;
  }
}
