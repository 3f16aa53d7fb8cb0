import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Change, Put } from '../../../engines/item-store.js';
import type { Declaration } from '../declarations/declarations.js';
import { createEntriesOf } from '../entries/entries.js';
import { createUniqueRowsOf, type UniqueRow, type UniqueRowsOf } from '../entries/unique-rows.js';
import { bytesOfRows, EntriesTooLarge, type IndexRows } from './entry-budget.js';
import {
  type ItemValue,
  type Stored,
  type UniqueRowChanges,
  type UniqueRowOutcome,
  uniqueRowChanges,
} from './unique-row-changes.js';

/** Gives the rows of an item. A caller that needs only its unique rows pays for nothing else. */
export interface IndexRowsOf {
  (key: string, item: string): IndexRows;
  readonly uniqueRowsOf: UniqueRowsOf;
}

export function createIndexRowsOf(indexes: readonly Declaration[]): IndexRowsOf {
  const entriesOf = createEntriesOf(indexes);
  const uniqueRowsOf = createUniqueRowsOf(indexes);
  const rowsOf = (key: string, item: string) => ({
    entries: entriesOf(key, item),
    uniqueRows: uniqueRowsOf(item),
  });
  return Object.assign(rowsOf, { uniqueRowsOf });
}

/** The rows of large items, computed before the transaction that needs them. */
export interface PreparedRows {
  /**
   * Computes the rows of items, in their order and in turns of the event loop, until all that were added take more than
   * `maxBytes`. Gives whether others have changed one of the items since it was added before.
   */
  add(items: readonly Unprepared[], rowsOf: IndexRowsOf, maxBytes: number): Promise<boolean>;
  /** Whether they take more than `maxBytes`. */
  readonly isFull: boolean;
  /** The rows of the item, unless it has changed since. */
  find(item: ItemValue, rowsOf: IndexRowsOf): IndexRows | undefined;
  /** Its unique rows. */
  findUniqueRows(item: ItemValue, rowsOf: IndexRowsOf): readonly UniqueRow[] | undefined;
}

/** An item whose rows take too long to compute in a transaction. */
export interface Unprepared extends ItemValue {
  /** The item does not change: nothing but its unique rows is needed. */
  readonly isOwner?: boolean;
}

/** The changes of items and their rows in indexes, or what must be known or done before them. */
export type WithEntries =
  | Pick<Change<unknown>, 'puts' | 'deletes'>
  | { readonly unprepared: readonly Unprepared[] }
  | Extract<UniqueRowOutcome, { readonly unread: unknown } | { readonly expired: unknown }>;

const nothing = Buffer.alloc(0);
const noRows: IndexRows = { entries: [], uniqueRows: [] };

/**
 * Adds to a change of items what happens to their rows in indexes. A row that stays the same is not written. `stored` has
 * the present row of each item that changes. If the rows of more than `maxBytes` of items are not prepared, gives these
 * items instead. Throws `NotUnique` if a unique index does not allow the change, and `EntriesTooLarge` if several items
 * change and their rows take more than `maxEntryBytes`.
 */
export function withEntries(
  change: Pick<Change<unknown>, 'puts' | 'deletes'>,
  stored: Stored,
  { rowsOf, prepared, maxBytes, maxEntryBytes, isExpired }: EntrySource,
): WithEntries {
  const { puts: changed = [], deletes: deleted = [] } = change;
  // A single item may have any rows: they are bounded by what an index keeps of it.
  const isCounted = changed.length + deleted.length > 1;
  const unprepared: Unprepared[] = [];
  let bytes = 0;
  const look = (key: string, value: Buffer | undefined) => {
    if (value === undefined || prepared?.find({ key, value }, rowsOf) !== undefined) return;
    unprepared.push({ key, value });
    bytes += value.length;
  };
  for (const { key, value } of changed) {
    look(key, stored.get(key));
    look(key, value);
  }
  for (const key of deleted) look(key, stored.get(key));
  // Before anything is computed in vain. If the prepared rows alone are too many, that is found below.
  if (bytes > maxBytes && prepared?.isFull !== true) return { unprepared };
  const rowsFor = (key: string, value: Buffer | undefined): IndexRows => {
    if (value === undefined) return noRows;
    const known = prepared?.find({ key, value }, rowsOf);
    if (known !== undefined) return known;
    if (bytes > maxBytes) return noRows;
    const rows = rowsOf(key, value.toString());
    if (isCounted) bytes += bytesOfRows(rows);
    return rows;
  };
  const owners = new Map<string, readonly UniqueRow[] | undefined>();
  /** The unique rows of an item that does not change; undefined if they are not prepared, and there is no time for them. */
  const uniqueRowsOfOwner = (owner: ItemValue): readonly UniqueRow[] | undefined => {
    if (owners.has(owner.key)) return owners.get(owner.key);
    let uniqueRows = prepared?.findUniqueRows(owner, rowsOf);
    if (uniqueRows === undefined) {
      unprepared.push({ ...owner, isOwner: true });
      bytes += owner.value.length;
      if (bytes <= maxBytes) uniqueRows = rowsOf.uniqueRowsOf(owner.value.toString());
    }
    owners.set(owner.key, uniqueRows);
    return uniqueRows;
  };
  const puts: Put[] = [...changed];
  const deletes: string[] = [...deleted];
  // Few bases have a unique index.
  let uniqueChanges: UniqueRowChanges | undefined;
  let items = 0;
  let oldBytes = 0;
  let nextBytes = 0;
  const replace = (key: string, old: IndexRows, next: IndexRows) => {
    if (isCounted) {
      oldBytes += bytesOfRows(old);
      nextBytes += bytesOfRows(next);
      if (items > 0 && Math.max(oldBytes, nextBytes) > maxEntryBytes) throw new EntriesTooLarge(items);
      items++;
    }
    for (const entry of without(next.entries, old.entries)) puts.push({ key: entry, value: nothing });
    for (const entry of without(old.entries, next.entries)) deletes.push(entry);
    if (old.uniqueRows.length + next.uniqueRows.length === 0) return;
    uniqueChanges ??= uniqueRowChanges(stored, { isExpired, uniqueRowsOf: uniqueRowsOfOwner });
    uniqueChanges.replace(key, old.uniqueRows, next.uniqueRows);
  };
  for (const { key, value } of changed) replace(key, rowsFor(key, stored.get(key)), rowsFor(key, value));
  for (const key of deleted) replace(key, rowsFor(key, stored.get(key)), noRows);
  if (bytes > maxBytes) return { unprepared };
  const more = uniqueChanges?.changes();
  if (more === undefined) return { puts, deletes };
  if ('unknown' in more) return { unprepared };
  if (!('puts' in more)) return more;
  return { puts: [...puts, ...more.puts], deletes: [...deletes, ...more.deletes] };
}

/** An item of a list with many elements has many entries. */
const few = 8;

/** Those texts that are not among the others. */
function without(texts: readonly string[], others: readonly string[]): readonly string[] {
  if (others.length === 0) return texts;
  if (others.length <= few) return texts.filter((text) => !others.includes(text));
  const known = new Set(others);
  return texts.filter((text) => !known.has(text));
}

/** Where the rows of items come from. */
export interface EntrySource {
  readonly rowsOf: IndexRowsOf;
  readonly prepared: PreparedRows | undefined;
  readonly maxBytes: number;
  readonly maxEntryBytes: number;
  /** Whether the item of a row has expired. */
  readonly isExpired: (row: Buffer) => boolean;
}

interface PreparedItem {
  readonly value: Buffer;
  readonly rowsOf: IndexRowsOf;
  readonly rows: IndexRows;
  /** Its rows are nothing but its unique rows. */
  readonly isOwner: boolean;
}

export function createPreparedRows(): PreparedRows {
  /** By the keys of the items; an item has a stored and a new value. */
  const known = new Map<string, PreparedItem[]>();
  let bytes = 0;
  let isFull = false;
  const findAll = ({ key, value }: ItemValue, rowsOf: IndexRowsOf) =>
    (known.get(key) ?? []).filter((one) => one.rowsOf === rowsOf && one.value.equals(value));
  return {
    get isFull() {
      return isFull;
    },

    async add(items, rowsOf, maxBytes) {
      const isInVain = items.some(({ key }) => known.has(key));
      for (const { key, value, isOwner = false } of items) {
        const text = value.toString();
        const rows = isOwner ? { entries: [], uniqueRows: rowsOf.uniqueRowsOf(text) } : rowsOf(key, text);
        known.set(key, [...(known.get(key) ?? []).slice(-1), { value, rowsOf, rows, isOwner }]);
        bytes += bytesOfRows(rows);
        isFull = bytes > maxBytes;
        if (isFull) break;
        await nextTurn();
      }
      return isInVain;
    },
    find: (item, rowsOf) => findAll(item, rowsOf).find(({ isOwner }) => !isOwner)?.rows,
    findUniqueRows: (item, rowsOf) => findAll(item, rowsOf)[0]?.rows.uniqueRows,
  };
}
