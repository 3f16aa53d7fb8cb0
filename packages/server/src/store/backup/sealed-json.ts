import { crc32 } from 'node:zlib';

/**
 * JSON whose last member is the CRC-32 of all bytes before it: `{…,"crc32":"0123abcd"}`. It is JSON, so that earlier
 * versions, which wrote none, can read it.
 */
const seal = /^,"crc32":"([0-9a-f]{8})"\}$/;
const sealBytes = ',"crc32":"01234567"}'.length;

export function sealed(value: object): Buffer {
  const text = Buffer.from(JSON.stringify(value).slice(0, -1));
  return Buffer.concat([text, Buffer.from(`,"crc32":"${hex(crc32(text))}"}`)]);
}

/** What sealed JSON holds, and whether it has a checksum. Undefined if it has other bytes than were written. */
export function unsealed(
  bytes: Buffer,
): { readonly value: Readonly<Record<string, unknown>>; readonly isSealed: boolean } | undefined {
  const at = Math.max(0, bytes.length - sealBytes);
  const [, checksum] = seal.exec(bytes.toString('latin1', at)) ?? [];
  const isSealed = checksum !== undefined;
  if (isSealed && checksum !== hex(crc32(bytes.subarray(0, at)))) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    if (typeof value !== 'object' || value === null) return undefined;
    const { crc32: _, ...members } = value as Record<string, unknown>;
    return { value: isSealed ? members : (value as Record<string, unknown>), isSealed };
  } catch {
    return undefined;
  }
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, '0');
}
