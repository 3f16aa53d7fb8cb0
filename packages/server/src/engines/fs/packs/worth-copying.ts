import { statfs } from 'node:fs/promises';
import type { PackRecord } from './read-records.js';

// When a pack is worth writing anew.

/** What is needed of a pack, and what was deleted. */
export interface PackBytes {
  live: number;
  gone: number;
}

/** The room on the disk. */
export interface Room {
  readonly freeBytes: number;
  readonly isShort: boolean;
}

/** A pack is written anew when half of its room is not needed: so all that is ever copied is less than what is deleted. */
const worthCopying = 1 / 2;
/** The same while less than a tenth of the disk is free. */
const worthCopyingWhenShort = 1 / 16;
const shortPart = 1 / 10;

export function bytesOf(records: readonly PackRecord[]): PackBytes {
  const bytes = { live: 0, gone: 0 };
  for (const { state, lengthBytes } of records) if (state !== 'hole') bytes[state] += lengthBytes;
  return bytes;
}

/** Half of the room that is free is left to others. */
export function isWorthCopying({ live, gone }: PackBytes, { freeBytes, isShort }: Room): boolean {
  const part = isShort ? worthCopyingWhenShort : worthCopying;
  return gone >= (live + gone) * part && live * 2 < freeBytes;
}

/** Undefined if the disk cannot be asked. */
export async function roomOf(folder: string): Promise<Room | undefined> {
  const found = await statfs(folder).catch(() => undefined);
  if (found === undefined) return undefined;
  return { freeBytes: found.bavail * found.bsize, isShort: found.bavail < found.blocks * shortPart };
}
