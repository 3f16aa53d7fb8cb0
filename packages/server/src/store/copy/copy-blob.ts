import { readChecked, WrongBytes } from '../../drive/contents/checksums.js';
import type { Piece } from '../../drive/rows.js';
import type { BlobStore } from '../../engines/blob-store.js';
import { BlobMissing, isUnreadable, StorageUnavailable } from '../../engines/storage-errors.js';

export interface BlobCopierDependencies {
  readonly source: BlobStore;
  readonly destination: BlobStore;
  /** Called with the number of bytes as they pass. */
  readonly moved: (bytes: number) => void;
  /** Throws when the copy must end. */
  readonly throwIfEnded: () => void;
}

export type BlobCopier = ReturnType<typeof createBlobCopier>;

export function createBlobCopier({ source, destination, moved, throwIfEnded }: BlobCopierDependencies) {
  async function copyOnce(piece: Piece): Promise<void> {
    const { sizeBytes, crc32: checksum } = await destination.write(piece.id, moving(piece));
    if (sizeBytes === piece.sizeBytes && checksum === piece.crc32) return;
    await destination.delete([piece.id]);
    throw new StorageUnavailable(`The destination wrote other bytes than it was given, blob ${piece.id}`);
  }

  /** The bytes of the source. Throws if they are wrong, so that the write keeps nothing. */
  async function* moving(piece: Piece): AsyncGenerator<Buffer> {
    for await (const chunk of readable(source, piece)) {
      throwIfEnded();
      moved(chunk.length);
      // The reader may use its buffer again while the writer still gathers.
      yield Buffer.from(chunk);
    }
  }

  async function wrongIn(blobs: BlobStore, piece: Piece): Promise<string | undefined> {
    throwIfEnded();
    try {
      for await (const _chunk of readable(blobs, piece)) throwIfEnded();
      return undefined;
    } catch (cause) {
      if (cause instanceof BlobMissing) return `its bytes, blob ${piece.id}, are missing`;
      if (cause instanceof WrongBytes) return cause.message;
      throw cause;
    }
  }

  return {
    /**
     * Copies a blob, and keeps it only if it has the size and the CRC-32 of its row. Throws `BlobMissing` if the source
     * does not have it, `WrongBytes` if the source has other bytes.
     */
    async copy(piece: Piece): Promise<void> {
      throwIfEnded();
      try {
        await copyOnce(piece);
      } catch (cause) {
        if (!(cause instanceof WrongBytes)) throw cause;
        // Perhaps only the first read failed, and the disk is sound.
        await copyOnce(piece);
      }
    },

    /** Whether the destination has a blob, complete or not: only its first byte is read. */
    async has({ id, sizeBytes }: Piece): Promise<boolean> {
      throwIfEnded();
      try {
        const range = sizeBytes === 0 ? undefined : { start: 0, end: 0 };
        for await (const _chunk of destination.read(id, range)) break;
        return true;
      } catch (cause) {
        if (cause instanceof BlobMissing) return false;
        throw cause;
      }
    },

    /** What is wrong with a blob of the destination, or undefined. Reads all of its bytes. */
    wrong: (piece: Piece) => wrongIn(destination, piece),
    /** The same of the source. */
    wrongAtSource: (piece: Piece) => wrongIn(source, piece),
  };
}

/** If a blob cannot be read, it is reported as a problem. If the store cannot be reached, the copy ends. */
async function* readable(blobs: BlobStore, piece: Piece): AsyncGenerator<Buffer> {
  try {
    yield* readChecked(blobs, piece);
  } catch (cause) {
    const isUnreachable = cause instanceof StorageUnavailable && !isUnreadable(cause);
    if (isUnreachable || cause instanceof BlobMissing || cause instanceof WrongBytes) throw cause;
    throw new WrongBytes(`its bytes, blob ${piece.id}, cannot be read: ${String(cause)}`, { cause });
  }
}
