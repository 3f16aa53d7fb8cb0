import type { ChecksumAlgorithm } from '../../drive/rows.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { type Crc, crc32Matrix, crcOf, followedBy } from '../../lib/crc-matrix.js';

const crcs: Partial<Record<ChecksumAlgorithm, Crc>> = {
  CRC32: crc32Matrix,
  CRC32C: crcOf(32, 0, 0x82f63b78),
  CRC64NVME: crcOf(64, 0x9a6c9329, 0xac4bc9b5),
};

const partsAStep = 100;

/** Combines CRCs, as base64, of parts of these sizes. Undefined for another algorithm. */
export function* combineCrcs(
  algorithm: ChecksumAlgorithm,
  parts: readonly { readonly value: string; readonly sizeBytes: number }[],
): Steps<string | undefined> {
  const crc = crcs[algorithm];
  if (crc === undefined) return undefined;
  const width = crc.bits / 8;
  let [high, low] = [0, 0];
  for (const [n, { value, sizeBytes }] of parts.entries()) {
    if (n % partsAStep === partsAStep - 1) yield;
    const bytes = Buffer.from(value, 'base64');
    const [h, l] = followedBy(crc, sizeBytes, high, low);
    high = h ^ (width === 8 ? bytes.readUInt32BE(0) : 0);
    low = l ^ bytes.readUInt32BE(width - 4);
  }
  const combined = Buffer.alloc(width);
  if (width === 8) combined.writeUInt32BE(high >>> 0, 0);
  combined.writeUInt32BE(low >>> 0, width - 4);
  return combined.toString('base64');
}
