import type { BlobStore } from '../engines/blob-store.js';
import { StorageUnavailable } from '../engines/storage-errors.js';

/**
 * The same blob store. When it cannot store or delete a blob, it throws what `failure` gives; when the chunks cannot be read,
 * what their source threw: both may be a disk, and only one of them is this one.
 */
export function watchedWrites(blobs: BlobStore, failure: (cause: StorageUnavailable) => Error): BlobStore {
  return {
    ...blobs,
    async delete(ids) {
      await blobs.delete(ids).catch((cause) => {
        throw cause instanceof StorageUnavailable ? failure(cause) : cause;
      });
    },
    async write(id, chunks) {
      let readFailure: unknown;
      async function* watched(): AsyncGenerator<Buffer> {
        try {
          yield* chunks;
        } catch (cause) {
          readFailure = cause;
          throw cause;
        }
      }
      try {
        return await blobs.write(id, watched());
      } catch (cause) {
        throw cause instanceof StorageUnavailable && cause !== readFailure ? failure(cause) : cause;
      }
    },
  };
}

/** Why a store cannot be written to, for people: what the disk or the network says, if that is known. */
export function writeProblem({ message, cause }: StorageUnavailable): string {
  return cause instanceof Error ? cause.message : message;
}
