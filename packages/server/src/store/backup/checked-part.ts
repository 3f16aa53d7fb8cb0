import { crc32 } from 'node:zlib';
import type { BlobStore } from '../../engines/blob-store.js';
import { OperatorError } from '../../operator-error.js';
import type { BackupPart } from './place.js';

/** The bytes of a part of a backup. Throws `OperatorError` before the end if they are not what was written. */
export async function* readPart(place: BlobStore, part: BackupPart): AsyncGenerator<Buffer> {
  let size = 0;
  let sum = 0;
  for await (const chunk of place.read(part.id)) {
    size += chunk.length;
    sum = crc32(chunk, sum);
    // The store may use its buffer again.
    yield Buffer.from(chunk);
  }
  if (size !== part.sizeBytes || sum !== part.crc32) {
    throw new OperatorError(`The backup is damaged: its part ${part.id} has other bytes than were written`);
  }
}
