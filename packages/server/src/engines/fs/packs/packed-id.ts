import { randomBytes } from 'node:crypto';
import { headerBytes, slotBlockBytes } from './slot.js';

/** Where a blob lies in a pack. Its id says so, so nothing needs to be looked up. */
export interface Place {
  /** The name of the pack: 16 digits of `[0-9a-f]`, random. */
  readonly pack: string;
  /** Where its slot begins, in bytes. */
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

/** An id looks like one of `randomId()`: 16 digits name the pack, 8 the block at which its slot begins, 8 its size. */
export function packedId({ pack, at, sizeBytes }: Place): string {
  return pack + digits(at / slotBlockBytes) + digits(sizeBytes);
}

export function placeOf(id: string): Place {
  return {
    pack: packOf(id),
    at: Number.parseInt(id.slice(nameDigits, nameDigits + numberDigits), 16) * slotBlockBytes,
    sizeBytes: Number.parseInt(id.slice(nameDigits + numberDigits), 16),
  };
}

/** How many bytes of its pack a blob takes. */
export function slotBytes(sizeBytes: number): number {
  return Math.ceil((headerBytes + sizeBytes) / slotBlockBytes) * slotBlockBytes;
}

function digits(value: number): string {
  return value.toString(16).padStart(numberDigits, '0');
}
