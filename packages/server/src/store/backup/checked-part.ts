import { crc32 } from 'node:zlib';
import type { BlobStore } from '../../engines/blob-store.js';
import { BlobMissing, isBadSector } from '../../engines/storage-errors.js';
import { OperatorError } from '../../operator-error.js';
import type { BackupPart } from './manifest.js';

/** The bytes of a part of a backup. Throws `OperatorError` before the end if they are not what was written. */
export async function* readPart(place: BlobStore, part: BackupPart): AsyncGenerator<Buffer> {
  let size = 0;
  let sum = 0;
  try {
    for await (const chunk of place.read(part.id)) {
      size += chunk.length;
      if (size > part.sizeBytes) break;
      sum = crc32(chunk, sum);
      // The store may use its buffer again.
      yield Buffer.from(chunk);
    }
  } catch (cause) {
    if (cause instanceof BlobMissing) throw damagedPart(part, 'is missing');
    if (isBadSector(cause)) throw damagedPart(part, 'cannot be read from the disk');
    throw cause;
  }
  if (size !== part.sizeBytes || sum !== part.crc32)
    throw damagedPart(part, 'has other bytes than were written');
}

/** What is wrong with a part, or undefined. Reads all of it. */
export async function partProblem(place: BlobStore, part: BackupPart): Promise<string | undefined> {
  try {
    for await (const _chunk of readPart(place, part));
    return undefined;
  } catch (cause) {
    if (cause instanceof DamagedPart) return cause.problem;
    throw cause;
  }
}

/** A part of a backup that is not as it was written. */
export class DamagedPart extends OperatorError {
  constructor(readonly problem: string) {
    super(`The backup is damaged: ${problem}`);
  }
}

function damagedPart({ id }: BackupPart, why: string): DamagedPart {
  return new DamagedPart(`its part ${id} ${why}`);
}
