import { randomBytes } from 'node:crypto';
import { blockBytes, headerBytes } from './record.js';

/** Where a blob lies in a pack. Its id says so, so nothing needs to be looked up. */
export interface PackedBlob {
  /** The name of the pack: 16 digits of `[0-9a-f]`, random. */
  readonly pack: string;
  /** Where its record begins, in bytes. */
  readonly at: number;
  readonly sizeBytes: number;
}

const nameDigits = 16;
const numberDigits = 8;

export function newPackName(): string {
  return randomBytes(nameDigits / 2).toString('hex');
}

export function isPackName(name: string): boolean {
  return /^[\da-f]{16}$/.test(name);
}

/** The pack that a blob lies in if it lies in one. */
export function packOf(id: string): string {
  return id.slice(0, nameDigits);
}

/** An id looks like one of `randomId()`: 16 digits name the pack, 8 the block at which its record begins, 8 its size. */
export function packedId({ pack, at, sizeBytes }: PackedBlob): string {
  return pack + digits(at / blockBytes) + digits(sizeBytes);
}

export function packedBlob(id: string): PackedBlob {
  return {
    pack: packOf(id),
    at: Number.parseInt(id.slice(nameDigits, nameDigits + numberDigits), 16) * blockBytes,
    sizeBytes: Number.parseInt(id.slice(nameDigits + numberDigits), 16),
  };
}

/** How many bytes of its pack a blob takes. */
export function recordBytes(sizeBytes: number): number {
  return Math.ceil((headerBytes + sizeBytes) / blockBytes) * blockBytes;
}

function digits(value: number): string {
  return value.toString(16).padStart(numberDigits, '0');
}
