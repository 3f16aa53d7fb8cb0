import { stat } from 'node:fs/promises';
import { isCode } from '../../../lib/folder.js';
import { type ByteRange, summedBytes } from '../../blob-store.js';
import { BytesDamaged } from '../../storage-errors.js';
import { onDisk, readFailure } from '../errors.js';
import { readBytes, readInto } from '../read-file.js';
import type { OpenPacks } from './open-packs.js';
import type { PackCatalog } from './pack-catalog.js';
import { headerBytes, type RecordHeader, readHeader } from './record.js';

/** Reads packs. Everything rejects with `StorageUnavailable` if their folder is not there, and with `BadSector`. */
export type PackReads = ReturnType<typeof createPackReads>;

export interface PackReadsDependencies {
  readonly folder: string;
  readonly catalog: PackCatalog;
  readonly files: OpenPacks;
}

/** Reads the packs of a catalog. */
export function createPackReads({ folder, catalog, files }: PackReadsDependencies) {
  /** What `use` reads of a pack; undefined if the pack is not there. `failure` makes the error of another cause. */
  async function whileThere<T>(
    pack: string,
    use: () => Promise<T>,
    failure = (cause: unknown) => readFailure(`Pack ${pack}`, cause),
  ): Promise<T | undefined> {
    try {
      return await use();
    } catch (cause) {
      // It is opened anew: its disk may be mounted again.
      files.forget(pack);
      if (isCode(cause, 'ENOENT') && (await onDisk(stat(folder)))) return undefined;
      throw failure(cause);
    }
  }

  return {
    whileThere,

    /** All bytes of a blob, in a buffer that the caller may keep; undefined if no pack has it. Throws `BytesDamaged`. */
    async readWhole(id: string): Promise<Buffer | undefined> {
      const blob = catalog.find(id);
      if (blob === undefined) return undefined;
      const { pack, at, sizeBytes } = blob;
      const bytes = await whileThere(pack, () =>
        files.with(pack, (file) => readBytes(file, at, headerBytes + sizeBytes)),
      );
      if (bytes === undefined || !isOf(readHeader(bytes), id)) return undefined;
      if (bytes.length < headerBytes + sizeBytes)
        throw new BytesDamaged(`The pack of blob ${id} ends before ${sizeBytes} of its bytes`);
      return bytes.subarray(headerBytes);
    },

    /**
     * The bytes of a blob in chunks, each overwritten by the next one. Returns false, without a chunk, if no pack has it. Throws
     * `BytesDamaged`.
     */
    async *read(id: string, range: ByteRange | undefined): AsyncGenerator<Buffer, boolean> {
      const blob = catalog.find(id);
      if (blob === undefined) return false;
      const { pack, at, sizeBytes } = blob;
      const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
      // Held to the end: what is deleted in the meantime is still there in the old file.
      const taken = files.take(pack);
      try {
        const header = await whileThere(pack, async () =>
          readHeader(await readBytes(await taken.file, at, headerBytes)),
        );
        if (header === undefined || !isOf(header, id)) return false;
        if (end >= sizeBytes) throw new BytesDamaged(`Blob ${id} has ${sizeBytes} bytes, and not ${end + 1}`);
        const file = await taken.file;
        const buffer = Buffer.allocUnsafe(Math.min(summedBytes, end + 1 - start));
        for (let from = start; from <= end; ) {
          const chunk = buffer.subarray(0, end + 1 - from);
          const bytes = await whileThere(pack, () => readInto(chunk, file, at + headerBytes + from));
          if (!bytes) throw new BytesDamaged(`The pack of blob ${id} ends at ${from}, before ${end + 1}`);
          from += bytes;
          yield chunk.subarray(0, bytes);
        }
        return true;
      } finally {
        taken.release();
      }
    },
  };
}

/**
 * Whether a header may be that of this blob. A damaged header may: then the checksum in the row of the file shows whether
 * the bytes are right.
 */
export function isOf(
  header: RecordHeader | 'empty' | 'damaged',
  id: string,
): header is RecordHeader | 'damaged' {
  return header === 'damaged' || (header !== 'empty' && header.id === id && header.state === 'live');
}
