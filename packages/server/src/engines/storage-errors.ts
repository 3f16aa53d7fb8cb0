/** The storage cannot do it for now (full, read-only, unreachable, out of handles). Answered with 503. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

/** A blob that a row names is not in the blob store. */
export class BlobMissing extends Error {
  override readonly name = 'BlobMissing';
}

/** An embedded store is not where it was looked for. */
export class StoreMissing extends Error {
  override readonly name = 'StoreMissing';
}

/** Another process has the store open. */
export class StoreInUse extends Error {
  override readonly name = 'StoreInUse';
}

/** Stored rows do not have the bytes that were written. */
export class RowsDamaged extends Error {
  override readonly name = 'RowsDamaged';
}
