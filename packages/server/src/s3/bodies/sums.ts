import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Checksum, ChecksumAlgorithm } from '../../drive/rows.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { createMd5, createShortMd5 } from '../../lib/md5.js';

export interface FoundSums {
  readonly sums: {
    /** In hexadecimal digits. */
    readonly md5: string;
    /** Undefined if no algorithm was asked for. */
    readonly checksum: Checksum | undefined;
  };
  /** In hexadecimal digits; undefined if it was not asked for. */
  readonly sha256: string | undefined;
}

interface Sum {
  update(bytes: Buffer): void;
  digest(): Buffer | Promise<Uint8Array>;
}

export interface AskedSums {
  readonly algorithm: ChecksumAlgorithm | undefined;
  readonly withSha256: boolean;
  /** Whether the bytes are few. */
  readonly isShort: boolean;
}

/** Computes what is to be known of the bytes that pass. */
export async function createSums({ algorithm, withSha256, isShort }: AskedSums) {
  const md5 = isShort ? createShortMd5() : createMd5();
  const checksum = algorithm && (await sumOf(algorithm));
  const sha256 = withSha256 ? createHash('sha256') : undefined;
  return {
    /** Gives a promise if so many bytes wait to be hashed that no more should be added before it resolves. */
    add(bytes: Buffer) {
      checksum?.update(bytes);
      sha256?.update(bytes);
      return md5.add(bytes);
    },
    async finish(): Promise<FoundSums> {
      const value = checksum && Buffer.from(await checksum.digest()).toString('base64');
      return {
        sums: {
          md5: (await md5.digest()).toString('hex'),
          checksum: algorithm && value !== undefined ? { algorithm, value } : undefined,
        },
        sha256: sha256?.digest('hex'),
      };
    },
  };
}

/** CRC-32, SHA-1 and SHA-256 are part of Node; the others are loaded when the first client asks for one. */
async function sumOf(algorithm: ChecksumAlgorithm): Promise<Sum> {
  if (algorithm === 'SHA1') return createHash('sha1');
  if (algorithm === 'SHA256') return createHash('sha256');
  if (algorithm === 'CRC32') return crc32Sum();
  const { Crc32c, Crc64Nvme } = await import('./rare-crcs.js');
  return algorithm === 'CRC32C' ? new Crc32c() : new Crc64Nvme();
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

/**
 * The checksum of the checksums of parts, as base64: of 320 KB at most, and of 40 KB for CRC-32C, which Node does not have and
 * the package only as a promise.
 */
export function* compositeOf(algorithm: ChecksumAlgorithm, bytes: Buffer): Steps<string> {
  if (algorithm === 'SHA1' || algorithm === 'SHA256') {
    return createHash(algorithm.toLowerCase()).update(bytes).digest('base64');
  }
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(algorithm === 'CRC32' ? crc32(bytes) : yield* crc32cOf(bytes));
  return sum.toString('base64');
}

const bytesAStep = 4096;

function* crc32cOf(bytes: Buffer): Steps<number> {
  let sum = -1;
  for (const [n, byte] of bytes.entries()) {
    if (n % bytesAStep === bytesAStep - 1) yield;
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0x82f63b78 : 0);
  }
  return ~sum >>> 0;
}
