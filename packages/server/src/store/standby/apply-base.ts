import { currentItems } from '../../base/indexes/current-items.js';
import { NotUnique } from '../../base/indexes/declarations/not-unique.js';
import { rowInCopy } from '../../base/indexes/row-in-copy.js';
import type { IndexedStore } from '../../base/indexes/writing/indexed-store.js';
import { inParts } from '../../base/indexes/writing/transaction-bounds.js';
import { headerKey, type ItemStore, type Put, type ScannedRow } from '../../engines/item-store.js';
import type { CopyRun } from '../copy/copy-run.js';
import { isSameRow, readScanned } from '../copy/row-batches.js';
import type { Applying } from './applying.js';

const keysAtOnce = 256;
/** What one transaction of the destination takes of items, and of entries in indexes: more comes in parts. */
const maxBytes = 16 * 1024 * 1024;

interface RowChange {
  readonly key: string;
  /** Undefined: the row is deleted. */
  readonly put?: Put;
}

/**
 * Brings the noted items of a base to where they are at one moment, in one transaction, with the entries of the indexes
 * that the destination has. Gives false, and has changed nothing that matters, if the base must be compared instead:
 * its indexes were declared anew.
 */
export async function applyBase(
  run: CopyRun,
  indexed: IndexedStore,
  { space, keys: noted, late, tear }: Applying,
): Promise<boolean> {
  const { source, destination } = run;
  const snapshot = await source.items.snapshot(space);
  try {
    const keys = await late(noted);
    if (keys === 'many') return false;
    if (keys.delete(headerKey) && !(await haveSameHeader(source.items, destination.items, space)))
      return false;
    let changes: RowChange[] = [];
    let bytes = 0;
    const write = async () => {
      const all = changes;
      [changes, bytes] = [[], 0];
      await inParts(all, async (part) => {
        if (part.length < all.length) await tear();
        await run.beforeWrite();
        const puts = part.flatMap(({ put }) => put ?? []);
        const deletes = part.filter(({ put }) => put === undefined).map(({ key }) => key);
        const changed = part.map(({ key }) => key);
        const bounds = { maxEntryBytes: maxBytes, maxReadBytes: maxBytes };
        const decide = () => ({ puts, deletes, result: undefined });
        await indexed.transact(space, [], decide, { ...bounds, changed });
        run.report.rowsPut += puts.length;
        run.report.rowsDeleted += deletes.length;
      });
    };
    const all = [...keys];
    for (let at = 0; at < all.length; at += keysAtOnce) {
      await run.betweenSteps();
      const now = await currentItems(snapshot, all.slice(at, at + keysAtOnce));
      for (const put of now.puts) changes.push({ key: put.key, put });
      for (const key of now.deletes) changes.push({ key });
      for (const { value } of now.puts) bytes += value.length;
      if (bytes < maxBytes || at + keysAtOnce >= all.length) continue;
      await tear();
      await write();
    }
    if (changes.length > 0) await write();
    return true;
  } catch (cause) {
    // With the rows in several parts, or in the order of the time at which the destination has others.
    if (cause instanceof NotUnique) return false;
    throw cause;
  } finally {
    await snapshot.close();
  }
}

/** Whether both declare the same indexes, in whatever state they are. */
async function haveSameHeader(source: ItemStore, destination: ItemStore, space: string): Promise<boolean> {
  const [left, right] = await Promise.all([declarations(source, space), declarations(destination, space)]);
  return left === undefined || right === undefined ? left === right : isSameRow(left, right);
}

async function declarations(items: ItemStore, space: string): Promise<ScannedRow | undefined> {
  const row = await readScanned(items, space, headerKey);
  return row && rowInCopy(row);
}
