import { countOf } from '../../ui/format.js';
import { tell } from '../../ui/toast.js';
import { inTransactions } from '../bulk/in-transactions.js';
import { conditionFor, replaceOperations } from '../edit/item-text.js';
import { readRow } from '../view/row.js';
import { type ItemChange, noteChanges } from './session-history.js';

/**
 * Makes items what they were before, text by text. Those that were changed again stay as they are. Gives the keys of the
 * items that are what they were, and whether that is all of them.
 */
export async function takeBackChanges(base: string, changes: readonly ItemChange[]) {
  const work = changes.map((change) => ({
    key: change.key,
    operations: operationsBack(change),
    back: { key: change.key, before: change.after, after: change.before },
  }));
  const { done, refused } = await inTransactions(base, work);
  noteChanges(
    base,
    done.map(({ back }) => back),
  );
  const left = refused.length === 0 ? '' : `; ${countOf(refused.length, 'item')} changed since, left alone`;
  const what =
    done.length === 0 ? 'Nothing was undone' : `Undid the changes of ${countOf(done.length, 'item')}`;
  tell(what + left, { of: base });
  return { back: done.map(({ key }) => key), isWhole: refused.length === 0 };
}

/** The operations that do the opposite, if the item is still as the change has left it. */
function operationsBack({ before, after }: ItemChange): string[] {
  if (after === undefined) return before === undefined ? [] : [`{"insert":${before}}`];
  const row = readRow(after);
  if (before !== undefined) return replaceOperations(row, before);
  const condition = conditionFor(row, row.attributes.keys());
  return [`{"delete":{"key":${JSON.stringify(row.key)},"if":${condition}}}`];
}
