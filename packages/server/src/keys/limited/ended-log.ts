import type { Put } from '../../engines/item-store.js';

// Which limited keys were deleted, in the order in which they were: each deletion has a number, and a row below it names
// the key. Servers that share their rows read what is new about every second. The rows of old numbers are deleted by new
// deletions, so no clock decides how long they stay.

/** The row with the last number. */
export const lastEndedKey = '!ended';
const begin = `${lastEndedKey}/`;
const numberLength = 12;
/** A server that is so far behind compares all keys that it has in memory with their rows. */
export const keptDeletions = 10_000;

/** The number of the last deletion; 0 if there was none. */
export function lastEndedOf(row: Buffer | undefined): number {
  return row === undefined ? 0 : Number(row.toString());
}

/** The change that says that these keys have ended. `last`: the row with the last number. */
export function noteEnded(
  last: Buffer | undefined,
  ids: readonly string[],
): { readonly puts: readonly Put[]; readonly deletes: readonly string[] } {
  const from = lastEndedOf(last);
  const rows = ids.map((id, index) => ({ key: endedKey(from + index + 1), value: Buffer.from(id) }));
  const total = { key: lastEndedKey, value: Buffer.from(String(from + ids.length)) };
  const outdated = ids.map((_, index) => from + index + 1 - keptDeletions).filter((number) => number > 0);
  return { puts: [...rows, total], deletes: outdated.map(endedKey) };
}

/** The rows of the deletions after this number, up to that one. */
export function endedRange(after: number, to: number): { readonly gt: string; readonly lte: string } {
  return { gt: endedKey(after), lte: endedKey(to) };
}

function endedKey(number: number): string {
  return begin + String(number).padStart(numberLength, '0');
}
