/**
 * The contract of a byte engine: blobs under random ids, written once, never changed.
 *
 * `test/conformance/blob-store-suite.ts` states every promise below as a test; every engine passes it.
 */

export interface BlobInfo {
  readonly sizeBytes: number;
  /** CRC-32 (the one of zlib and PNG) of the bytes, an unsigned 32-bit number. */
  readonly crc32: number;
}

export interface StoredBlob {
  readonly id: string;
  /** When it was written: whole seconds since 1970 UTC. */
  readonly writtenSeconds: number;
}

/** Bytes `start` to `end`, both included, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface BlobStore {
  /**
   * Stores the chunks under an id of `randomId()`. When it resolves, all bytes are on stable storage; when it
   * rejects (with what the source threw, or `StorageUnavailable`), nothing is kept. Memory is bounded by a
   * small buffer, however many bytes come. Chunks are taken one after the other, so a slow disk slows the source.
   */
  write(id: string, chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<BlobInfo>;

  /**
   * The bytes in chunks of at most 256 KiB, read as they are asked for. Throws `BlobMissing` when there is no
   * such blob, before the first chunk. A range lies within the blob: the caller knows its size. A chunk holds its
   * bytes until more are asked for: its buffer may be used again.
   */
  read(id: string, range?: ByteRange): AsyncIterable<Buffer>;

  /** All bytes of a blob that is known to be small, in a buffer that is the caller's. Throws `BlobMissing`. */
  readWhole(id: string, sizeBytes: number): Promise<Buffer>;

  /** Takes blobs away; ids that are not there are no error. */
  delete(ids: readonly string[]): Promise<void>;

  /** All blobs, in any order. */
  ids(): AsyncIterable<StoredBlob>;

  /** Waits for work in progress, then lets go of the storage. */
  close(): Promise<void>;
}
