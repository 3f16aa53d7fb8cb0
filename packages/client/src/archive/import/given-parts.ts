import type { GivenPart } from '../../drive/upload.js';
import { checksumText, type PartEntry } from '../layout/manifest.js';

/** The limits of docs/http.md#upload-chunked-part. */
const maxPartBytes = 10 * 1024 * 1024;
const maxParts = 10_000;

/**
 * How to send a file so that it has the parts that it had: those that are larger than the service takes at once go in
 * several, of which all but the last say that they continue. Gives undefined for parts that are not those of the file, or
 * that need more requests than an upload may have: its own checksum is kept then, and those of its parts are lost.
 */
export function givenPartsOf(parts: readonly PartEntry[] | undefined, size: number): GivenPart[] | undefined {
  if (parts === undefined || parts.reduce((sum, part) => sum + part.size, 0) !== size) return undefined;
  const given: GivenPart[] = [];
  for (const { size: partBytes, checksum } of parts) {
    const pieces = Math.max(1, Math.ceil(partBytes / maxPartBytes));
    if (given.length + pieces > maxParts) return undefined;
    // They are equal, so that none is smaller than all but the last part may be.
    for (let piece = 0; piece < pieces; piece++) {
      const isLast = piece === pieces - 1;
      given.push({
        bytes: Math.floor((partBytes * (piece + 1)) / pieces) - Math.floor((partBytes * piece) / pieces),
        headers: {
          ...(!isLast && { 'X-File-Continues': 'true' }),
          ...(isLast && checksum && { 'X-File-Checksum': checksumText(checksum) }),
        },
      });
    }
  }
  return given;
}
