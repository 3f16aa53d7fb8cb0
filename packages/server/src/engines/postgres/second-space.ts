import type { SecondSpace } from '../item-store.js';
import type { Run } from './pool.js';
import { lockRows, readRows } from './statements.js';

/**
 * The rows of a second space, as the keys of a group commit. Those of its own space are well-formed Unicode, so no key of
 * them begins with half of a surrogate pair.
 */
const lockedMark = '\ud800';
const readMark = '\ud801';
/** No space has it. */
const endOfSpace = '\0';

/** The keys of what a transaction locks, and then of what it reads, in their order. */
export function secondSpaceKeys({ space, locked, read }: SecondSpace): string[] {
  return [...locked.map((key) => lockedKey(space, key)), ...read.map((key) => keyOf(readMark, space, key))];
}

/** The key of a row that is locked, or put. */
export function lockedKey(space: string, key: string): string {
  return keyOf(lockedMark, space, key);
}

export function isOfSecondSpace(key: string): boolean {
  return key.startsWith(lockedMark) || key.startsWith(readMark);
}

/** The space and the key of a row of a second space. */
export function splitKey(key: string): { readonly space: string; readonly key: string } {
  const end = key.indexOf(endOfSpace);
  return { space: key.slice(1, end), key: key.slice(end + 1) };
}

/**
 * Locks rows of second spaces in the order of spaces and keys, and then reads others: so what is read is no older than the
 * locks. Gives their values by their keys in the group.
 */
export async function readSecondSpaces(
  run: Run,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const rows = new Map<string, Buffer>();
  const read = async (mark: string, read: typeof readRows) => {
    const wanted = new Map<string, string[]>();
    for (const marked of keys) {
      if (!marked.startsWith(mark)) continue;
      const { space, key } = splitKey(marked);
      wanted.set(space, [...(wanted.get(space) ?? []), key]);
    }
    await Promise.all(
      [...wanted]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(async ([space, inSpace]) => {
          const found = await read(run, Buffer.from(space), inSpace);
          for (const [key, value] of found) rows.set(keyOf(mark, space, key), value);
        }),
    );
  };
  // Sent in this order, one after the other, and none waits for the answer of the one before.
  await Promise.all([read(lockedMark, lockRows), read(readMark, readRows)]);
  return rows;
}

function keyOf(mark: string, space: string, key: string): string {
  return mark + space + endOfSpace + key;
}
