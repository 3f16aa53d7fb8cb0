import type { BlobStore, ByteRange } from '../engines/blob-store.js';
import type { ItemStore } from '../engines/item-store.js';
import { gather } from '../engines/shared/collect-chunks.js';
import { BlobMissing } from '../engines/storage-errors.js';
import { type Content, readContent, readWholeChecked } from './content.js';
import { createContentCache } from './content-cache.js';
import type { Leases } from './leases.js';
import { maxBufferedBytes } from './limits.js';
import { contentKey, type FileRow, nameKey, type Piece, readRow } from './rows.js';

/** A file as it was when it was opened, whatever becomes of its name. `release` it, always. */
export interface OpenFile {
  readonly id: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  readonly modifiedMs: number;
  /** All bytes, when they are few. */
  readonly bytes: Buffer | undefined;
  /** Some bytes, read as they are asked for: nothing is opened before. Not after `release`. */
  read(range: ByteRange): AsyncIterable<Buffer>;
  /** The bytes may go when nobody else reads them. Calling it again does nothing. */
  release(): void;
}

export interface FileReader {
  /** The file of a name, or undefined. Without a promise when the row engine has its bytes at hand. */
  open(space: string, name: string): OpenFile | undefined | Promise<OpenFile | undefined>;
}

const hotContentsBytes = 48 * 1024 * 1024;

export function createFileReader(items: ItemStore, blobs: BlobStore, leases: Leases): FileReader {
  const contents = createContentCache(hotContentsBytes);

  function open(space: string, name: string): OpenFile | undefined | Promise<OpenFile | undefined> {
    const row = items.get(space, nameKey(name));
    return row instanceof Promise ? row.then((found) => openRow(found)) : openRow(row);

    function openRow(found: Buffer | undefined): OpenFile | undefined | Promise<OpenFile | undefined> {
      if (found === undefined) return undefined;
      const file = readRow<FileRow>(found);
      const hot = contents.get(file.id);
      if (hot !== undefined) return new BufferedFile(file, hot);
      if (file.layout !== 'row') return openLeased(space, name, found, file);
      const bytes = items.get(space, contentKey(file.id));
      return bytes instanceof Promise
        ? bytes.then((b) => fromRow(found, file, b))
        : fromRow(found, file, bytes);
    }

    function fromRow(found: Buffer, file: FileRow, bytes: Buffer | undefined) {
      if (bytes !== undefined) return new BufferedFile(file, bytes);
      // Overwritten between the two reads: the name knows better by now.
      const again = items.get(space, nameKey(name));
      return again instanceof Promise ? again.then((row) => instead(found, row)) : instead(found, again);
    }

    function instead(found: Buffer, again: Buffer | undefined) {
      if (again !== undefined && found.equals(again)) {
        throw new BlobMissing(`There is no content ${readRow<FileRow>(found).id}`);
      }
      return openRow(again);
    }
  }

  /** Takes the lease, then looks whether the name still names the content: only then it is surely not swept. */
  async function openLeased(space: string, name: string, found: Buffer, file: FileRow) {
    const release = leases.take(file.id);
    try {
      const again = await items.get(space, nameKey(name));
      if (again === undefined || Buffer.compare(again, found) !== 0) {
        release();
        return await open(space, name);
      }
      if (file.sizeBytes <= maxBufferedBytes) {
        const bytes = await allBytes(space, file);
        release();
        contents.add(file.id, bytes);
        return new BufferedFile(file, bytes);
      }
      const content = await contentOf(space, file);
      return {
        ...file,
        bytes: undefined,
        read: (range: ByteRange) => readContent(blobs, content, range),
        release,
      };
    } catch (cause) {
      release();
      if (!(cause instanceof BlobMissing)) throw cause;
      // The sweep of another server knows nothing of the lease: if the file was overwritten or deleted since, the
      // name knows better by now.
      const again = await items.get(space, nameKey(name));
      if (again?.equals(found)) throw cause;
      return again === undefined ? undefined : await open(space, name);
    }
  }

  async function allBytes(space: string, file: FileRow): Promise<Buffer> {
    if (file.layout === 'blob') return await readWholeChecked(blobs, file);
    const content = await contentOf(space, file);
    return await gather(readContent(blobs, content, { start: 0, end: file.sizeBytes - 1 }), file.sizeBytes);
  }

  async function contentOf(space: string, file: FileRow): Promise<Content> {
    const rowBytes = async (id: string) => {
      const bytes = await items.get(space, contentKey(id));
      if (bytes === undefined) throw new BlobMissing(`There is no content ${id}`);
      return bytes;
    };
    if (file.layout === 'parts') return { pieces: readRow<Piece[]>(await rowBytes(file.id)), rowBytes };
    const { id, sizeBytes, crc32 = 0 } = file;
    return { pieces: [{ id, layout: 'blob', sizeBytes, crc32 }], rowBytes };
  }

  return { open };
}

/** A class, since every small download makes one: spread into an object of its own it cost a tenth of the answer. */
class BufferedFile implements OpenFile {
  readonly id: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  readonly modifiedMs: number;

  constructor(
    { id, sizeBytes, contentType, modifiedMs }: FileRow,
    readonly bytes: Buffer,
  ) {
    this.id = id;
    this.sizeBytes = sizeBytes;
    this.contentType = contentType;
    this.modifiedMs = modifiedMs;
  }

  async *read({ start, end }: ByteRange): AsyncGenerator<Buffer> {
    yield this.bytes.subarray(start, end + 1);
  }

  release(): void {}
}
