import { readLogValue } from '../../engines/change-log.js';
import type { ItemStore } from '../../engines/item-store.js';
import { keptFrom, keptKey } from '../../feed/retention.js';
import { baseSpaces, changesSpace, driveSpaces } from '../../spaces.js';

/** The keys of rows that have changed, by their spaces. */
export type Noted = Map<string, Set<string> | Many>;

/** So many that all rows of the space are compared: that is faster, and takes no memory. */
export type Many = 'many';

/** A base or a drive with more changed rows is compared as a whole. */
const maxKeys = 20_000;
const maxAllKeys = 100_000;
const spacesAtOnce = 100;

/** The log of the source no longer has what comes after the position of a standby. */
export class LogTooShort extends Error {
  override readonly name = 'LogTooShort';
}

/**
 * What the logs of a store note from a key on, also if it is not complete yet. Throws `LogTooShort` if changes since
 * then were dropped.
 */
export async function notedSince(items: ItemStore, from: string): Promise<Noted> {
  const noted: Noted = new Map();
  for await (const logs of inGroups(items.spaces(`${changesSpace}/`, { ahead: spacesAtOnce }))) {
    const first = await items.firstRows(logs, { gte: from, lt: keptKey });
    for (const [n, log] of logs.entries())
      if (first[n] !== undefined) await addNotes(items, log, from, noted);
    for (const log of logs) {
      // Asked when the rows have been read: what was dropped before is not among them.
      const kept = await keptFrom(items, log.slice(changesSpace.length + 1));
      if (from < kept) throw new LogTooShort();
    }
  }
  return noted;
}

/** What the log of its project notes of one space from a key on. */
export async function notedOf(items: ItemStore, space: string, from: string): Promise<Set<string> | Many> {
  const noted: Noted = new Map();
  await addNotes(items, logOf(space), from, noted, space);
  return noted.get(space) ?? new Set();
}

/** Adds keys to those of a space. Gives what it has then. */
export function addKeys(
  noted: Noted,
  space: string,
  keys: ReadonlySet<string> | readonly string[] | Many,
): Set<string> | Many {
  const before = noted.get(space) ?? new Set();
  if (before === 'many') return before;
  if (keys === 'many') {
    noted.set(space, keys);
    return keys;
  }
  for (const key of keys) before.add(key);
  const now = before.size > maxKeys ? 'many' : before;
  noted.set(space, now);
  return now;
}

async function addNotes(
  items: ItemStore,
  log: string,
  from: string,
  noted: Noted,
  only?: string,
): Promise<void> {
  for await (const batch of items.scan(log, { gte: from, lt: keptKey })) {
    for (const { value } of batch) {
      for (const [space, keys] of Object.entries(readLogValue(value).keys))
        if (only === undefined || only === space) addKeys(noted, space, keys);
    }
    bound(noted);
  }
}

/** Gives up the keys of the space that has the most, until those of all spaces are few enough. */
function bound(noted: Noted): void {
  const sizes = [...noted].flatMap(([space, keys]) => (keys === 'many' ? [] : [[space, keys.size] as const]));
  let all = sizes.reduce((sum, [, size]) => sum + size, 0);
  if (all <= maxAllKeys) return;
  for (const [space, size] of sizes.sort(([, a], [, b]) => b - a)) {
    if (all <= maxAllKeys) return;
    noted.set(space, 'many');
    all -= size;
  }
}

function logOf(space: string): string {
  const beginning = space.startsWith(baseSpaces) ? baseSpaces : driveSpaces;
  return `${changesSpace}/${space.slice(beginning.length, space.indexOf('/', beginning.length))}`;
}

async function* inGroups(names: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let group: string[] = [];
  for await (const name of names) {
    group.push(name);
    if (group.length < spacesAtOnce) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
