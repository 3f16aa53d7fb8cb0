import { countOf } from '../../ui/format.js';
import { tell } from '../../ui/toast.js';
import { inTransactions } from '../bulk/in-transactions.js';
import { conditionFor, replaceOperations } from '../edit/item-text.js';
import { readRow } from '../view/row.js';
import { type HistoryEntry, type ItemChange, noteChanges } from './session-history.js';

/** Makes items what they were before, text by text. Those that were changed again stay as they are. */
export async function takeBackEntry({ base, changes }: HistoryEntry): Promise<void> {
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
  const left =
    refused.length === 0
      ? ''
      : `; ${countOf(refused.length, 'item')} changed again meanwhile and left as stored`;
  tell(`Took back the changes of ${countOf(done.length, 'item')}${left}`, { of: base });
}

/** The operations that do the opposite, if the item is still as the change has left it. */
function operationsBack({ before, after }: ItemChange): string[] {
  if (after === undefined) return before === undefined ? [] : [`{"insert":${before}}`];
  const row = readRow(after);
  if (before !== undefined) return replaceOperations(row, before);
  const condition = conditionFor(row, row.attributes.keys());
  return [`{"delete":{"key":${JSON.stringify(row.key)},"if":${condition}}}`];
}
