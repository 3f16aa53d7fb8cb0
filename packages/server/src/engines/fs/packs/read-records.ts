import { readBytes } from '../read-file.js';
import { type PackedBlob, recordBytes } from './pack-ids.js';
import { blockBytes, headerBytes, type RecordHeader, readHeader } from './record.js';

/** A record, and where it is in its pack. */
export interface PackRecord extends RecordHeader {
  /** Where it begins, in bytes. */
  readonly at: number;
  /** Those of its blob. */
  readonly sizeBytes: number;
}

export interface FoundRecords {
  readonly records: readonly PackRecord[];
  /**
   * Whether there is something that is neither a record nor empty: a write that a power cut has torn, or a header that the disk
   * has changed. Then records may be missing, whose blobs can be read all the same.
   */
  readonly isDamaged: boolean;
}

/** Blocks where nothing was written are looked through this many bytes at a time. */
const stretchBytes = 64 * blockBytes;

/**
 * The records of a pack, in their order. `blobOf` says where a blob lies in this pack; undefined if its id is not one of this
 * pack, so that no bytes of a blob are taken for a header. Rejects with the failure of the disk.
 */
export async function readRecords(
  file: number,
  blobOf: (id: string) => PackedBlob | undefined,
): Promise<FoundRecords> {
  const records: PackRecord[] = [];
  let isDamaged = false;

  function recordAt(at: number, header: RecordHeader): PackRecord | undefined {
    const blob = blobOf(header.id);
    if (blob?.at !== at) return undefined;
    const own = recordBytes(blob.sizeBytes);
    // A hole may have taken up the records after it.
    const isLong = header.state === 'hole' ? header.lengthBytes >= own : header.lengthBytes === own;
    return isLong ? { ...header, at, sizeBytes: blob.sizeBytes } : undefined;
  }

  for (let at = 0; ; ) {
    const header = readHeader(await readBytes(file, at, headerBytes));
    const record = typeof header === 'object' ? recordAt(at, header) : undefined;
    if (record !== undefined) {
      records.push(record);
      at += record.lengthBytes;
      continue;
    }
    const stretch = await readBytes(file, at, stretchBytes);
    if (stretch.length === 0) return { records, isDamaged };
    let passed = 0;
    for (; passed < stretch.length; passed += blockBytes) {
      const next = readHeader(stretch, passed);
      if (typeof next === 'object' && recordAt(at + passed, next) !== undefined) break;
      if (next !== 'empty') isDamaged = true;
    }
    at += passed;
  }
}
