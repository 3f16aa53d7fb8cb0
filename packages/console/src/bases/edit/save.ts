import { RefusedRequest, statusOf } from '../../api/errors.js';
import { countOf } from '../../ui/format.js';
import { tell, tellFailure } from '../../ui/toast.js';
import { readItem, transact } from '../base-api.js';
import { type ItemWork, inGroups } from '../bulk/in-transactions.js';
import type { Listing } from '../listing/listing.js';
import type { Row } from '../row.js';
import { applyChanges, changeOperations, replaceOperations } from './item-text.js';
import type { Staged } from './staged.js';

interface Change extends ItemWork {
  readonly before: Row;
  readonly after: Row;
}

/**
 * Saves the staged changes: in one transaction, or in several if there are more than one can hold. An item that somebody
 * else has changed meanwhile is not overwritten; its staged changes stay, with what is stored now. Gives whether all was
 * saved. `shown` gives the listing that is shown at the time. Rejects with any other failure.
 */
export async function saveStaged(base: string, staged: Staged, shown: () => Listing): Promise<boolean> {
  const changes = Array.from(staged.items.peek().values(), ({ row, changes: own }) => ({
    key: row.key,
    before: row,
    after: applyChanges(row, own),
    operations: changeOperations(row, own),
  }));
  const done: Change[] = [];
  for (const group of inGroups(changes)) {
    const inConflict = await tryToSave(base, group);
    if (inConflict === undefined) {
      staged.discard(group.map(({ before }) => before.key));
      shown().replace(new Map(group.map(({ before, after }) => [before.key, after])));
      done.push(...group);
      continue;
    }
    for (const { before } of inConflict) staged.conflict(before.key, await readItem(base, before.key));
    break;
  }
  if (done.length > 0) tellSaved(base, done, shown);
  return done.length === changes.length;
}

/** The items that were changed by somebody else; undefined if the group was saved. */
async function tryToSave(base: string, group: readonly Change[]): Promise<readonly Change[] | undefined> {
  try {
    await transact(
      base,
      group.flatMap(({ operations }) => operations),
    );
    return undefined;
  } catch (cause) {
    if (![404, 412].includes(statusOf(cause)) || !(cause instanceof RefusedRequest)) throw cause;
    // The service names the first operation that failed; others may fail, too.
    const current = await Promise.all(
      group.map(async (change) => ({ change, row: await readItem(base, change.before.key) })),
    );
    const changed = current.filter(({ change, row }) => row?.text !== change.before.text);
    return changed.length === 0 ? group : changed.map(({ change }) => change);
  }
}

function tellSaved(base: string, done: readonly Change[], shown: () => Listing): void {
  tell(`Saved ${countOf(done.length, 'item')}`, {
    label: 'Undo',
    run: () => {
      takeBack(base, done, shown).catch(tellFailure);
    },
  });
}

/** Puts items back as they were, text by text, unless they were changed again. */
async function takeBack(base: string, done: readonly Change[], shown: () => Listing): Promise<void> {
  const inverse = done.map(({ before, after }) => ({
    key: before.key,
    before: after,
    after: before,
    operations: replaceOperations(after, before.text),
  }));
  for (const group of inGroups(inverse)) {
    const operations = group.flatMap((change) => change.operations);
    await transact(base, operations);
    shown().replace(new Map(group.map(({ before, after }) => [before.key, after])));
  }
  tell(`Took back the changes of ${countOf(done.length, 'item')}`);
}
