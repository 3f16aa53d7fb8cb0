import { readBytes } from '../read-file.js';
import { packedBlob, recordBytes } from './packed-id.js';
import { blockBytes, headerBytes, type RecordHeader, readHeader } from './record.js';

/** What a walk finds in a pack. */
export interface PackRecord extends RecordHeader {
  /** Where it begins, in bytes. */
  readonly at: number;
}

/** Blocks where nothing was written are looked through so many bytes at a time. */
const stretchBytes = 64 * blockBytes;

/**
 * The records of a pack, in their order. `onDamage` is called when something is neither a record nor empty: a write that a
 * power cut has torn, or a header that the disk has changed. Then records may be missing, whose blobs can be read all the same.
 */
export async function* walkRecords(
  pack: string,
  file: number,
  onDamage: () => void,
): AsyncGenerator<PackRecord> {
  let at = 0;
  for (;;) {
    const header = readHeader(await readBytes(file, at, headerBytes));
    if (typeof header === 'object' && belongsTo(header, pack, at)) {
      yield { ...header, at };
      at += header.lengthBytes;
      continue;
    }
    const stretch = await readBytes(file, at, stretchBytes);
    if (stretch.length === 0) return;
    let passed = 0;
    for (; passed < stretch.length; passed += blockBytes) {
      const next = readHeader(stretch, passed);
      if (typeof next === 'object' && belongsTo(next, pack, at + passed)) break;
      if (next !== 'empty') onDamage();
    }
    at += passed;
  }
}

/** Whether a header is that of a record in this place, and not bytes of a blob that look like one. */
function belongsTo({ id, state, lengthBytes: length }: RecordHeader, pack: string, at: number): boolean {
  const blob = packedBlob(id);
  const own = recordBytes(blob.sizeBytes);
  // A hole may have taken up the records after it.
  return blob.pack === pack && blob.at === at && (state === 'hole' ? length >= own : length === own);
}
