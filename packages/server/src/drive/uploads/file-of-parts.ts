import { rowPiece } from '../contents/piece.js';
import { contentKey, type FileRow, jsonRow, type Piece } from '../rows.js';

/**
 * Makes a file of its pieces, and gives the rows that it needs in addition to its own. A single piece is the content itself.
 * Several pieces need a list. A file without pieces is empty.
 */
export function fileOf(
  parts: readonly Piece[],
  contentId: string,
  about: Pick<FileRow, 'contentType' | 'modifiedMs' | 'expiresAtSeconds' | 'metadata'>,
) {
  const pieces = parts.map(({ id, layout, sizeBytes, crc32, chunkCrc32s }): Piece => {
    return { id, layout, sizeBytes, crc32, chunkCrc32s };
  });
  const [first] = pieces;
  if (first === undefined) {
    const { piece, puts } = rowPiece(Buffer.alloc(0));
    return { file: { ...piece, ...about } satisfies FileRow, puts };
  }
  if (pieces.length === 1) return { file: { ...first, ...about } satisfies FileRow, puts: [] };
  const sizeBytes = pieces.reduce((sum, piece) => sum + piece.sizeBytes, 0);
  const file: FileRow = { id: contentId, layout: 'parts', sizeBytes, ...about };
  return { file, puts: [jsonRow(contentKey(contentId), pieces)] };
}
