import { rowPiece } from '../contents/piece.js';
import { contentKey, type FileRow, jsonRow, type ListedPiece, type Piece } from '../rows.js';

/** What a file is besides its bytes. */
export type AboutFile = Omit<FileRow, keyof Piece | 'layout' | 'bytes' | 'revision'>;

/** What a copy of a file keeps of it besides its bytes. */
export function keptByCopies(file: FileRow): Omit<AboutFile, 'modifiedMs'> {
  const { contentType, expiresAtSeconds, metadata, headers, md5, checksum, partChecksum } = file;
  return { contentType, metadata, headers, md5, checksum, partChecksum, expiresAtSeconds };
}

/**
 * Makes a file of its pieces, and gives the rows that it needs in addition to its own. A single piece is the content itself.
 * Several pieces need a list. A file without pieces is empty.
 */
export function fileOf(parts: readonly ListedPiece[], contentId: string, about: AboutFile) {
  const pieces = parts.map(
    ({ id, layout, sizeBytes, crc32, chunkCrc32s, checksum, continues }): ListedPiece => {
      return { id, layout, sizeBytes, crc32, chunkCrc32s, checksum, continues };
    },
  );
  const [first] = pieces;
  if (first === undefined) {
    const { piece, puts } = rowPiece(Buffer.alloc(0));
    return { file: { ...piece, ...about } satisfies FileRow, puts };
  }
  if (pieces.length === 1) {
    const { checksum: ofPart, continues: _, ...piece } = first;
    const partChecksum = (about.checksum?.isComposite && ofPart) || about.partChecksum;
    return { file: { ...piece, ...about, partChecksum } satisfies FileRow, puts: [] };
  }
  const sizeBytes = pieces.reduce((sum, piece) => sum + piece.sizeBytes, 0);
  const file: FileRow = { id: contentId, layout: 'parts', sizeBytes, ...about };
  return { file, puts: [jsonRow(contentKey(contentId), pieces)] };
}
