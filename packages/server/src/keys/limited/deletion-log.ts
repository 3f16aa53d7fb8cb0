import type { Put } from '../../engines/item-store.js';

// The limited keys that were deleted, in order. Each deletion has a number, and the row of that number names the key.
// Servers that share their rows look for new deletions about every second. New deletions remove the rows of old ones, so no
// clock decides how long they stay.

/** The row with the last number. */
export const lastDeletionKey = '!ended';
const begin = `${lastDeletionKey}/`;
const numberLength = 12;
/** How many deletions are kept. A server that is further behind compares all keys that it has in memory with their rows. */
const keptDeletions = 10_000;

/** The number of the last deletion; 0 if there was none. */
export function lastDeletionOf(row: Buffer | undefined): number {
  return row === undefined ? 0 : Number(row.toString());
}

/** The change that notes the deletions of these keys. `last`: the row with the last number. */
export function noteDeletions(
  last: Buffer | undefined,
  ids: readonly string[],
): { readonly puts: readonly Put[]; readonly deletes: readonly string[] } {
  const from = lastDeletionOf(last);
  const rows = ids.map((id, index) => ({ key: deletionKey(from + index + 1), value: Buffer.from(id) }));
  const total = { key: lastDeletionKey, value: Buffer.from(String(from + ids.length)) };
  const outdated = ids.map((_, index) => from + index + 1 - keptDeletions).filter((number) => number > 0);
  return { puts: [...rows, total], deletes: outdated.map(deletionKey) };
}

/** The rows of the deletions after this number, up to that one. */
export function deletionRange(after: number, to: number): { readonly gt: string; readonly lte: string } {
  return { gt: deletionKey(after), lte: deletionKey(to) };
}

/** The row of the deletion with this number. */
export function deletionKey(number: number): string {
  return begin + String(number).padStart(numberLength, '0');
}
