import { crc32 } from 'node:zlib';

/**
 * A pack is a row of records. A record has a header and the bytes of a blob, and ends at a multiple of the block of most file
 * systems, so that a record that is not needed any more can become a hole.
 */
export const blockBytes = 4096;
export const headerBytes = 64;

/** `live`: there is a blob. `gone`: it was deleted. `hole`: it was deleted, and its bytes take no room any more. */
export type RecordState = 'live' | 'gone' | 'hole';

export interface RecordHeader {
  readonly state: RecordState;
  readonly id: string;
  /** The bytes of the record with its header; the next one follows. */
  readonly lengthBytes: number;
  /** When the blob was written: milliseconds since 1970 UTC. */
  readonly writtenMs: number;
}

const states: readonly RecordState[] = ['live', 'gone', 'hole'];
const markOf = (state: RecordState) => `blob${state}`;
const idAt = 8;
const lengthAt = 40;
const writtenAt = 48;
const sumAt = headerBytes - 4;
const nothing = Buffer.alloc(headerBytes);

export function headerOf({ state, id, lengthBytes, writtenMs }: RecordHeader): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.write(markOf(state), 0, 'latin1');
  header.write(id, idAt, 'latin1');
  header.writeDoubleLE(lengthBytes, lengthAt);
  header.writeDoubleLE(writtenMs, writtenAt);
  header.writeUInt32LE(crc32(header.subarray(0, sumAt)), sumAt);
  return header;
}

/** The header that begins at `at`; `empty` where nothing was written, `damaged` where there is something else. */
export function readHeader(bytes: Buffer, at = 0): RecordHeader | 'empty' | 'damaged' {
  const header = bytes.subarray(at, at + headerBytes);
  if (header.length < headerBytes || header.equals(nothing)) return 'empty';
  if (header.readUInt32LE(sumAt) !== crc32(header.subarray(0, sumAt))) return 'damaged';
  const mark = header.toString('latin1', 0, idAt);
  const state = states.find((one) => markOf(one) === mark);
  const lengthBytes = header.readDoubleLE(lengthAt);
  const isWhole = Number.isSafeInteger(lengthBytes) && lengthBytes > 0 && lengthBytes % blockBytes === 0;
  if (state === undefined || !isWhole) return 'damaged';
  const id = header.toString('latin1', idAt, lengthAt);
  return { state, id, lengthBytes, writtenMs: header.readDoubleLE(writtenAt) };
}
