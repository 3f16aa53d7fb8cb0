import type { Checksum } from '../rows.js';
import type { OpenFile } from './open-file.js';

/** A part of a file, as the S3 client sent it that wrote the file, here or where the file comes from. */
export interface FilePart {
  readonly sizeBytes: number;
  readonly checksum?: Checksum | undefined;
}

/** The parts of a file in their order. What was written whole is its only part. */
export function filePartsOf({ pieces = [], row }: OpenFile): readonly FilePart[] {
  if (pieces.length < 2) {
    // A checksum of all bytes is that of a single part, too.
    const ofAll = row.checksum?.isComposite ? undefined : row.checksum;
    return [{ sizeBytes: row.sizeBytes, checksum: row.partChecksum ?? ofAll }];
  }
  const parts: FilePart[] = [];
  let before = 0;
  for (const [n, piece] of pieces.entries()) {
    before += piece.sizeBytes;
    if (piece.continues && n < pieces.length - 1) continue;
    parts.push({ sizeBytes: before, checksum: piece.checksum });
    before = 0;
  }
  return parts;
}
