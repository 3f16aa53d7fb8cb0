import { isAborted } from '../api/errors.js';
import { countOf } from '../ui/format.js';
import { runJob } from '../ui/jobs.js';
import { tell, tellFailure } from '../ui/toast.js';
import { inTransactions } from './bulk/in-transactions.js';
import { noteChanges } from './history/session-history.js';
import type { Row } from './view/row.js';

interface Deletion {
  readonly base: string;
  /** The items, which can be put back; or more keys than that can be done with. */
  readonly items: (signal: AbortSignal) => Promise<readonly Row[] | ReadonlySet<string>>;
  /** A query as JSON text: an item that does not match it any more stays. */
  readonly query?: string;
  onDeleted(keys: readonly string[]): void;
  /** Called when some were put back. */
  onPutBack(): void;
}

/**
 * Deletes items and offers to put them back as they were, unless they are too many to keep. Gives the keys that were
 * deleted.
 */
export async function deleteItems(deletion: Deletion): Promise<readonly string[]> {
  const { base, items, query, onDeleted, onPutBack } = deletion;
  try {
    return await runJob(`Deleting items of ${base}`, async ({ signal, report }) => {
      const found = await items(signal);
      const rows = found instanceof Set ? undefined : (found as readonly Row[]);
      const keys = rows?.map(({ key }) => key) ?? [...(found as ReadonlySet<string>)];
      const condition = query === undefined ? '' : `,"if":${query}`;
      const work = keys.map((key) => ({
        key,
        operations: [`{"delete":{"key":${JSON.stringify(key)}${condition}}}`],
      }));
      const options = { signal, onDone: (count: number) => report(count, keys.length) };
      const { done } = await inTransactions(base, work, options);
      const deleted = new Set(done.map(({ key }) => key));
      onDeleted([...deleted]);
      const kept = rows?.filter(({ key }) => deleted.has(key)) ?? [];
      noteChanges(
        base,
        kept.map(({ key, text }) => ({ key, before: text })),
      );
      const undo = { what: 'deletion', run: () => putBack(base, kept).then(onPutBack, tellFailure) };
      tell(`Deleted ${countOf(deleted.size, 'item')}${signal.aborted ? ', then stopped' : ''}`, {
        undo: kept.length === 0 ? undefined : undo,
        of: base,
      });
      return [...deleted];
    });
  } catch (cause) {
    if (isAborted(cause)) return [];
    throw cause;
  }
}

/** Stores deleted items again, text by text. One whose key is taken in the meantime stays as it is. */
async function putBack(base: string, rows: readonly Row[]): Promise<void> {
  const work = rows.map(({ key, text }) => ({ key, text, operations: [`{"insert":${text}}`] }));
  const { done, refused } = await inTransactions(base, work);
  noteChanges(
    base,
    done.map(({ key, text }) => ({ key, after: text })),
  );
  const taken = refused.length === 0 ? '' : `; ${countOf(refused.length, 'key is', 'keys are')} taken again`;
  tell(`Put back ${countOf(done.length, 'item')}${taken}`, { of: base });
}
