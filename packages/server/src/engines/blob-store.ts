/**
 * The contract of a blob store: blobs under ids of the form of `randomId()`, written once, never changed.
 *
 * `test/conformance/blob-store-suite.ts` has a test for every promise below; every engine passes it.
 */

/**
 * A blob has a CRC-32 of all its bytes, and one of each of these chunks, so that a range can be compared without reading
 * the whole blob. The engines also read this many bytes at once. Measured on a 10 MiB blob in the page cache: reading 4 KiB
 * takes 0.24 ms without a comparison, 0.25 ms with chunks of 256 KiB, 0.5 ms with chunks of 1 MiB and 4.4 ms if the whole
 * blob is compared.
 */
export const summedBytes = 256 * 1024;

export interface BlobInfo {
  readonly sizeBytes: number;
  /** CRC-32 (the one of zlib and PNG) of the bytes, an unsigned 32-bit number. */
  readonly crc32: number;
  /** Those of its chunks of `summedBytes`; the last one may be shorter. */
  readonly chunkCrc32s: readonly number[];
}

export interface AddedBlob extends BlobInfo {
  readonly id: string;
}

export interface StoredBlob {
  readonly id: string;
  /** When the blob was written: whole seconds since 1970 UTC. */
  readonly writtenSeconds: number;
  readonly sizeBytes: number;
}

/** Bytes `start` to `end`, both included, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface BlobStore {
  /** The most bytes that a write keeps in memory. */
  readonly keptByWrite: number;

  /** Whether processes that share the store may replace each other's blob of an id, as in S3. Default: false. */
  readonly replaces?: boolean;

  /**
   * Stores the chunks under an id: one of `randomId()`, or one that `add` gave in another store. When it resolves, all bytes
   * are on stable storage. When it rejects, with the error of the source or `StorageUnavailable`, nothing is kept. It
   * buffers little, however many bytes there are: it takes one chunk after the other, so a slow disk slows the source down.
   * It may keep chunks until it resolves, so the source must not use their memory again.
   */
  write(id: string, chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<BlobInfo>;

  /**
   * The same for few bytes, unless the store has a blob of that id: then it gives false, and changes nothing. A store that does not
   * know such a condition may replace the blob after all. Absent for an engine whose `replaces` is false.
   */
  writeUnlessThere?: ((id: string, bytes: Buffer) => Promise<boolean>) | undefined;

  /** The same as `write` under a new id, which the store chooses: so it may keep small blobs where they cost the least. */
  add(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<AddedBlob>;

  /**
   * The bytes in chunks of at most 256 KiB, read on demand. Throws `BlobMissing` before the first chunk if there is no
   * such blob. The caller knows the size of the blob and asks for a range within it. A chunk is valid until the next
   * one is asked for, because its buffer may be used again.
   */
  read(id: string, range?: ByteRange): AsyncIterable<Buffer>;

  /** All bytes of a blob that is known to be small, in a buffer that the caller may keep. Throws `BlobMissing`. */
  readWhole(id: string, sizeBytes: number): Promise<Buffer>;

  /** Deletes blobs. It is not an error if an id has no blob. */
  delete(ids: readonly string[]): Promise<void>;

  /** All blobs, in any order. */
  ids(): AsyncIterable<StoredBlob>;

  /**
   * Resolves if the blobs would take a write now, as far as can be told without writing. Otherwise it rejects with
   * `StorageUnavailable`, which has a `reason` if the store does answer. It is cheap enough to be asked every second.
   * Absent for an engine whose reads tell as much.
   */
  ready?: (() => Promise<void>) | undefined;

  /** Waits for work in progress, then releases the storage. */
  close(): Promise<void>;
}
