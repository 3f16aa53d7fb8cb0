import type { Put } from '../../engines/item-store.js';
import { rowPiece } from '../contents/piece.js';
import { type Checksum, contentKey, type FileRow, jsonRow, type ListedPiece, type Piece } from '../rows.js';

/** What a file is besides its bytes. */
export type AboutFile = Omit<FileRow, keyof Piece | 'layout' | 'bytes' | 'revision'>;

/** What a copy of a file keeps of it besides its bytes. */
export function keptByCopies(file: FileRow): Omit<AboutFile, 'modifiedMs'> {
  const { contentType, expiresAtSeconds, metadata, headers, md5, checksum, partChecksum } = file;
  return { contentType, metadata, headers, md5, checksum, partChecksum, expiresAtSeconds };
}

/** The content of a file, and the rows that it needs. */
interface ContentOfParts {
  readonly content: Omit<FileRow, keyof AboutFile>;
  /** Of the only part. */
  readonly partChecksum?: Checksum | undefined;
  readonly puts: readonly Put[];
}

/**
 * Makes a content of its pieces, whose list takes 10 ms for 10,000. A single piece is the content itself. Several pieces
 * need a list. A content without pieces is empty.
 */
export function contentOf(parts: readonly ListedPiece[], contentId: string): ContentOfParts {
  const pieces = parts.map(
    ({ id, layout, sizeBytes, crc32, chunkCrc32s, checksum, continues }): ListedPiece => {
      return { id, layout, sizeBytes, crc32, chunkCrc32s, checksum, continues };
    },
  );
  const [first] = pieces;
  if (first === undefined) {
    const { piece, puts } = rowPiece(Buffer.alloc(0));
    return { content: piece, puts };
  }
  if (pieces.length === 1) {
    const { checksum: partChecksum, continues: _, ...content } = first;
    return { content, partChecksum, puts: [] };
  }
  const sizeBytes = pieces.reduce((sum, piece) => sum + piece.sizeBytes, 0);
  const content = { id: contentId, layout: 'parts', sizeBytes } as const;
  return { content, puts: [jsonRow(contentKey(contentId), pieces)] };
}

/** The file of a content. Each member by its name: with `...`, the files of a copy of 1000 took 10 ms instead of one. */
export function fileOf({ content, partChecksum: ofPart }: ContentOfParts, about: AboutFile): FileRow {
  const { id, layout, sizeBytes, crc32, chunkCrc32s } = content;
  const { contentType, metadata, headers, md5, checksum, expiresAtSeconds, modifiedMs, uploadId } = about;
  return {
    id,
    layout,
    sizeBytes,
    crc32,
    chunkCrc32s,
    contentType,
    metadata,
    headers,
    md5,
    checksum,
    partChecksum: (checksum?.isComposite && ofPart) || about.partChecksum,
    expiresAtSeconds,
    modifiedMs,
    uploadId,
  } satisfies { [Member in Exclude<keyof FileRow, 'bytes' | 'revision'>]: FileRow[Member] };
}
