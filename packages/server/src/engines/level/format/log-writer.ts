import { crc32c, maskedCrc } from './crc32c.js';
import { blockBytes, logHeaderBytes, RecordKind } from './log-format.js';

/** A log of these records, as LevelDB writes it (`log_writer.cc`). */
export function writeLog(records: readonly Buffer[]): Buffer {
  const pieces: Buffer[] = [];
  let end = 0;

  function append(piece: Buffer): void {
    pieces.push(piece);
    end += piece.length;
  }

  for (const record of records) {
    let at = 0;
    let isFirst = true;
    do {
      const left = blockBytes - (end % blockBytes);
      if (left < logHeaderBytes) append(Buffer.alloc(left));
      const length = Math.min(record.length - at, blockBytes - (end % blockBytes) - logHeaderBytes);
      const isLast = at + length === record.length;
      append(fragmentOf(kindOf(isFirst, isLast), record.subarray(at, at + length)));
      at += length;
      // A first fragment may be empty, at the end of a block.
      isFirst = false;
    } while (at < record.length);
  }
  return Buffer.concat(pieces);
}

function kindOf(isFirst: boolean, isLast: boolean): number {
  if (isFirst) return isLast ? RecordKind.full : RecordKind.first;
  return isLast ? RecordKind.last : RecordKind.middle;
}

function fragmentOf(kind: number, bytes: Buffer): Buffer {
  const fragment = Buffer.alloc(logHeaderBytes + bytes.length);
  fragment.writeUInt16LE(bytes.length, 4);
  fragment[6] = kind;
  bytes.copy(fragment, logHeaderBytes);
  fragment.writeUInt32LE(maskedCrc(crc32c(fragment, 6, fragment.length)), 0);
  return fragment;
}
