import type { Operation } from '../../shared/group-commit.js';

// How LevelDB writes a batch into its log: `write_batch.cc`, `log_writer.cc` and `log_format.h`.

export const blockBytes = 32 * 1024;
/** The checksum, the length and the kind. */
export const logHeaderBytes = 7;
/** The batch's sequence number and its number of operations. */
export const batchHeaderBytes = 12;
/** Whether a fragment is a whole record, or which part of one. */
export const RecordKind = { full: 1, first: 2, middle: 3, last: 4 } as const;

/**
 * A record of the log: one batch, split over blocks of 32 KiB with a header in each. Offsets are in bytes of the file.
 */
export interface LogRecord {
  readonly start: number;
  readonly end: number;
  /** From the header at its start: how much of the record is in the first block, and whether that is all of it. */
  readonly firstLength: number;
  readonly firstKind: number;
}

export function batchBytes(operations: readonly Operation[]): number {
  let bytes = batchHeaderBytes;
  for (const operation of operations) {
    bytes += 1 + lengthPrefixed(Buffer.byteLength(operation.key));
    if (operation.type === 'put') bytes += lengthPrefixed(operation.value.length);
  }
  return bytes;
}

/** Where the record of a batch of `bytes` bytes goes in a log that ends at `end`. */
export function nextRecord(end: number, bytes: number): LogRecord {
  const left = blockBytes - (end % blockBytes);
  // If no header fits, the end of the block stays empty.
  const start = left < logHeaderBytes ? end + left : end;
  const firstLength = Math.min(bytes, blockBytes - (start % blockBytes) - logHeaderBytes);
  const rest = bytes - firstLength;
  const furtherHeaders = Math.ceil(rest / (blockBytes - logHeaderBytes));
  return {
    start,
    end: start + logHeaderBytes + bytes + furtherHeaders * logHeaderBytes,
    firstLength,
    firstKind: rest === 0 ? RecordKind.full : RecordKind.first,
  };
}

/** Whether these bytes are the header of the record. Where nothing was written there are zeros, or nothing. */
export function isHeaderOf(record: LogRecord, header: Buffer): boolean {
  return header.readUInt16LE(4) === record.firstLength && header[6] === record.firstKind;
}

/** Lengths have seven bits in a byte. */
function lengthPrefixed(bytes: number): number {
  let prefix = 1;
  for (let rest = bytes; rest >= 128; rest = Math.floor(rest / 128)) prefix++;
  return prefix + bytes;
}
