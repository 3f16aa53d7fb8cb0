import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ChecksumAlgorithm } from '../../drive/rows.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { createMd5, createShortMd5 } from '../../lib/md5.js';
import { createRareCrc } from './rare-crcs.js';

/** Computes what is to be known of the bytes that pass. */
export interface Sums {
  /** Gives a promise if so many bytes wait to be hashed that no more should be added before it resolves. */
  add(bytes: Buffer): Promise<void> | undefined;
  finish(): Promise<FoundSums>;
}

export interface FoundSums {
  /** In hexadecimal digits. */
  readonly md5: string;
  /** As base64; undefined if no algorithm was asked for. */
  readonly checksum: string | undefined;
  /** In hexadecimal digits; undefined if it was not asked for. */
  readonly sha256: string | undefined;
}

interface Sum {
  update(bytes: Buffer): void;
  digest(): Buffer;
}

export interface AskedSums {
  readonly algorithm: ChecksumAlgorithm | undefined;
  readonly withSha256: boolean;
  /** Whether the bytes are few. */
  readonly isShort: boolean;
}

export function createSums({ algorithm, withSha256, isShort }: AskedSums): Sums {
  const md5 = isShort ? createShortMd5() : createMd5();
  const checksum = algorithm && sumOf(algorithm);
  const sha256 = withSha256 ? createHash('sha256') : undefined;
  return {
    add(bytes) {
      checksum?.update(bytes);
      sha256?.update(bytes);
      return md5.add(bytes);
    },
    finish: async () => ({
      md5: (await md5.digest()).toString('hex'),
      checksum: checksum?.digest().toString('base64'),
      sha256: sha256?.digest('hex'),
    }),
  };
}

function sumOf(algorithm: ChecksumAlgorithm): Sum {
  if (algorithm === 'SHA1') return createHash('sha1');
  if (algorithm === 'SHA256') return createHash('sha256');
  if (algorithm === 'CRC32') return crc32Sum();
  return createRareCrc(algorithm);
}

function crc32Sum(): Sum {
  let sum = 0;
  return {
    update(bytes) {
      sum = crc32(bytes, sum);
    },
    digest() {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(sum);
      return bytes;
    },
  };
}

/** The checksum of the checksums of parts, as base64: of 320 KB at most, and of 40 KB for a CRC. */
export function* compositeOf(algorithm: ChecksumAlgorithm, bytes: Buffer): Steps<string> {
  const sum = sumOf(algorithm);
  for (let at = 0; at < bytes.length; at += bytesAStep) {
    if (at > 0) yield;
    sum.update(bytes.subarray(at, at + bytesAStep));
  }
  return sum.digest().toString('base64');
}

const bytesAStep = 4096;
