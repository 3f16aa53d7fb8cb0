import { readLogValue } from '../../engines/change-log.js';
import type { ItemStore } from '../../engines/item-store.js';
import { keptFrom, keptKey } from '../../feed/retention.js';
import { inGroups } from '../../lib/groups.js';
import { baseSpaces, changesSpace, driveSpaces } from '../../spaces.js';
import { createNotedKeys, type Many, type NotedKeys } from './noted-keys.js';

const spacesAtOnce = 100;

/** The log of the source no longer has what comes after the position of a standby. */
export class LogTooShort extends Error {
  override readonly name = 'LogTooShort';
}

/**
 * What the logs of a store note from a key on, also if it is not complete yet. Throws `LogTooShort` if changes since
 * then were dropped.
 */
export async function notedSince(items: ItemStore, from: string): Promise<NotedKeys> {
  const noted = createNotedKeys();
  const names = items.spaces(`${changesSpace}/`, { ahead: spacesAtOnce });
  for await (const logs of inGroups(names, spacesAtOnce)) {
    const first = await items.firstRows(logs, { gte: from, lt: keptKey });
    for (const [n, log] of logs.entries())
      if (first[n] !== undefined) await addNotes(items, { log, from }, noted);
    for (const log of logs) {
      // Asked when the rows have been read: what was dropped before is not among them.
      const kept = await keptFrom(items, log.slice(changesSpace.length + 1));
      if (from < kept) throw new LogTooShort();
    }
  }
  return noted;
}

/** These keys of a space, and those that the log of its project notes of it from a key on. */
export async function notedOf(
  items: ItemStore,
  space: string,
  { known, from }: { readonly known: ReadonlySet<string>; readonly from: string },
): Promise<Set<string> | Many> {
  const noted = createNotedKeys();
  noted.add(space, known);
  await addNotes(items, { log: logOf(space), from, only: space }, noted);
  return noted.of(space);
}

async function addNotes(
  items: ItemStore,
  { log, from, only }: { readonly log: string; readonly from: string; readonly only?: string },
  noted: NotedKeys,
): Promise<void> {
  for await (const batch of items.scan(log, { gte: from, lt: keptKey })) {
    for (const { value } of batch) {
      for (const [space, keys] of Object.entries(readLogValue(value).keys))
        if (only === undefined || only === space) noted.add(space, keys);
    }
  }
}

function logOf(space: string): string {
  const beginning = space.startsWith(baseSpaces) ? baseSpaces : driveSpaces;
  return `${changesSpace}/${space.slice(beginning.length, space.indexOf('/', beginning.length))}`;
}
