/** The storage cannot do it for now (full, read-only, unreachable, out of handles). Answered with 503. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

/** A blob that a row names is not in the blob store. */
export class BlobMissing extends Error {
  override readonly name = 'BlobMissing';
}
