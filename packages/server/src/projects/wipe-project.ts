import {
  anyFile,
  anyGarbage,
  anyPart,
  anyRestored,
  anyTrash,
  garbageContent,
  holdersOf,
  namedContent,
  RowUnreadable,
  restoredContent,
} from '../drive/contents/row-contents.js';
import { headerKey, type ItemStore, type Row } from '../engines/item-store.js';
import type { Store } from '../engines/store.js';
import { groupsOf } from '../lib/groups.js';
import {
  accountSpaceOf,
  baseSpaces,
  changesSpaceOf,
  countsSpace,
  driveSpaces,
  hooksSpace,
  hooksSpaceOf,
  publicSpace,
} from '../spaces.js';

/** The number of rows that are deleted at once. Others write between two of these steps. */
const rowsPerStep = 500;

/** Called between two steps; throws when the work must end. */
export type BetweenSteps = () => Promise<void>;

/**
 * Deletes everything that a project has stored, but its keys: step by step. It may end at any moment, and be begun again. Gives
 * whether it found something.
 */
export async function wipeProject(store: Store, project: string, between: BetweenSteps): Promise<boolean> {
  const { items } = store;
  let found = false;
  for await (const space of items.spaces(`${driveSpaces}${project}/`)) {
    found = true;
    await wipeContents(store, space, between);
    await wipeRows(items, space, between);
  }
  for await (const space of items.spaces(`${baseSpaces}${project}/`)) {
    found = true;
    await wipeRows(items, space, between);
  }
  await wipeRows(items, publicSpace(project), between);
  await wipeRows(items, hooksSpaceOf(project), between);
  await wipeRows(items, hooksSpace, between, `${project}/`);
  await wipeRows(items, accountSpaceOf(project), between);
  for (const prefix of [`${baseSpaces}${project}/`, `${driveSpaces}${project}/`])
    await wipeRows(items, countsSpace, between, prefix);
  // The last, because what is deleted is noted there.
  await wipeRows(items, changesSpaceOf(project), between);
  return found;
}

/** Deletes the bytes of a drive, and after them the rows that name them. */
async function wipeContents({ items, blobs }: Store, space: string, between: BetweenSteps): Promise<void> {
  for (const prefix of [anyPart, anyFile, anyTrash, anyRestored, anyGarbage]) {
    for await (const rows of steps(items, space, prefix)) {
      await between();
      const held = await Promise.all(rows.map((row) => blobsOf(items, space, row)));
      await blobs.delete(held.flat());
      await deleteRows(items, space, rows);
    }
  }
}

async function blobsOf(items: ItemStore, space: string, row: Row): Promise<readonly string[]> {
  try {
    const content = namedContent(row) ?? restoredContent(row) ?? garbageContent(row);
    return (content && (await holdersOf(items, space, content))?.blobs) ?? [];
  } catch (cause) {
    // Its bytes become orphans.
    if (cause instanceof RowUnreadable) return [];
    throw cause;
  }
}

async function wipeRows(items: ItemStore, space: string, between: BetweenSteps, prefix = ''): Promise<void> {
  for await (const rows of steps(items, space, prefix)) {
    await between();
    await deleteRows(items, space, rows);
  }
  // The header for itself, because its change is expensive.
  if (prefix !== '' || (await items.get(space, headerKey)) === undefined) return;
  await between();
  await items.transact(space, [headerKey], () => ({ deletes: [headerKey], result: undefined }));
}

/** The rows of a space without its header, in steps. */
async function* steps(items: ItemStore, space: string, prefix: string): AsyncGenerator<readonly Row[]> {
  for await (const batch of items.scan(space, { prefix, gt: headerKey, skipDamaged: true }))
    yield* groupsOf(batch, rowsPerStep);
}

async function deleteRows(items: ItemStore, space: string, rows: readonly Row[]): Promise<void> {
  const deletes = rows.map(({ key }) => key);
  await items.transact(space, [], () => ({ deletes, result: undefined }));
}
