import { RefusedRequest } from '../../api/errors.js';
import { countOf } from '../../ui/format.js';
import { tell, tellFailure } from '../../ui/toast.js';
import { readItem, transact } from '../base-api.js';
import { type ItemWork, inGroups, namingItems } from '../bulk/in-transactions.js';
import { noteChanges } from '../history/session-history.js';
import { takeBackChanges } from '../history/take-back.js';
import type { Listing } from '../listing/listing.js';
import type { Row } from '../view/row.js';
import { draftRow } from './item-draft.js';
import { changeOperations, replaceOperations } from './item-text.js';
import type { Staged, StagedItem } from './staged.js';

interface Change extends ItemWork {
  readonly before: Row;
  readonly after: Row;
}

/** An item that somebody else has changed, as it is stored now; undefined if it was deleted. */
interface Conflict {
  readonly key: string;
  readonly row: Row | undefined;
}

/**
 * Saves the staged changes, none of which has a mistake: in one transaction, or in several if there are more than one can
 * hold. An item that somebody else has changed in the meantime is not overwritten; its staged changes stay, with what is
 * stored now. Gives whether all was saved. `shown` gives the listing that is shown at the time. Rejects with any other
 * failure; what was saved before it can be taken back.
 */
export async function saveStaged(base: string, staged: Staged, shown: () => Listing): Promise<boolean> {
  const sent = new Map(staged.items.peek());
  const changes = Array.from(sent.values(), (item) => changeOf(item));
  const done: Change[] = [];
  try {
    for (const group of inGroups(changes)) {
      const conflicts = await tryToSave(base, group);
      for (const { key, row } of conflicts) staged.conflict(key, row);
      if (conflicts.length > 0) return false;
      const saved = new Map(group.map(({ key, after }) => [key, after]));
      staged.wereSaved(sent, saved);
      shown().replace(saved);
      for (const key of saved.keys()) sent.delete(key);
      done.push(...group);
    }
    return true;
  } finally {
    if (done.length > 0) {
      noteChanges(base, done.map(textsOf));
      const undo = once(() => takeBack(base, done, shown).catch(tellFailure));
      staged.saved(undo);
      tell(`Saved ${countOf(done.length, 'item')}`, { undo: { what: 'save', run: undo }, of: base });
    }
  }
}

const textsOf = ({ key, before, after }: Change) => ({ key, before: before.text, after: after.text });

/** Values are changed one by one; another order of them puts the whole item. */
function changeOf(item: StagedItem): Change {
  const { row } = item;
  const after = draftRow(row, item);
  const operations =
    item.text === undefined ? changeOperations(row, item.changes) : replaceOperations(row, after.text);
  return { key: row.key, before: row, after, operations };
}

/** Gives the items that were changed by somebody else; none if the group was saved. */
async function tryToSave(base: string, group: readonly Change[]): Promise<readonly Conflict[]> {
  try {
    await transact(base, group);
    return [];
  } catch (cause) {
    if (!(cause instanceof RefusedRequest)) throw cause;
    if (![404, 412].includes(cause.status)) throw namingItems(group, cause);
    // The service names the first operation that failed; others may fail, too.
    const current = await Promise.all(
      group.map(async ({ key, before }) => ({ key, before, row: await readItem(base, key) })),
    );
    const changed = current.filter(({ before, row }) => row?.text !== before.text);
    return changed.length === 0 ? current : changed;
  }
}

/** The save may be taken back from its message, or with a key: only the first one does it. Gives whether it did. */
function once(run: () => void): () => boolean {
  let isDone = false;
  return () => {
    if (isDone) return false;
    isDone = true;
    run();
    return true;
  };
}

/** Puts items back as they were. Those that were changed again stay as they are. */
async function takeBack(base: string, saved: readonly Change[], shown: () => Listing): Promise<void> {
  const { back, isWhole } = await takeBackChanges(base, saved.map(textsOf));
  const rows = new Map(saved.map(({ key, before }) => [key, before]));
  shown().replace(new Map(back.map((key) => [key, rows.get(key)])));
  if (!isWhole) shown().refresh();
}
