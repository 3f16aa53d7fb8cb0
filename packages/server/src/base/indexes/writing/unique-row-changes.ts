import type { Put } from '../../../engines/item-store.js';
import { type Collision, NotUnique } from '../declarations/not-unique.js';
import type { UniqueRow } from '../entries/unique-rows.js';

/** The rows that a transaction has read, by their keys. It has no key that was not read. */
export type Stored = ReadonlyMap<string, Buffer | undefined>;

/** A stored or new item. */
export interface ItemValue {
  readonly key: string;
  readonly value: Buffer;
}

/** The changes of unique rows, or what must be read or done before. */
export type UniqueRowOutcome =
  | { readonly puts: readonly Put[]; readonly deletes: readonly string[] }
  | { /** Rows that decide and were not read. */ readonly unread: readonly string[] }
  | {
      /** The unique rows of these items decide, and `uniqueRowsOf` did not give them. */ readonly unknown: readonly string[];
    }
  | {
      /** Items that have expired, whose rows must be removed: their values are free. */
      readonly expired: readonly string[];
    };

/** Collects what happens to unique rows, of all items of a transaction. */
export interface UniqueRowChanges {
  replace(key: string, old: readonly UniqueRow[], next: readonly UniqueRow[]): void;
  /**
   * Only what the transaction leaves counts, so two items may exchange their values. Throws `NotUnique` if it would leave
   * two items with the same values.
   */
  changes(): UniqueRowOutcome;
}

/** A unique row that some item of the transaction has, had, or will have. */
interface Touched {
  readonly index: UniqueRow['index'];
  /** The item that will have it. */
  taker: string | undefined;
  /** Whether that item has it already. */
  isKept: boolean;
}

/** How to find out about the item that a unique row names. */
export interface OwnerCheck {
  readonly isExpired: (row: Buffer) => boolean;
  /**
   * The unique rows of a stored item; undefined if it takes too long to find them. While an index is built, it may have
   * unique rows for values that their owner no longer has.
   */
  readonly uniqueRowsOf: (owner: ItemValue) => readonly UniqueRow[] | undefined;
}

export function uniqueRowChanges(stored: Stored, { isExpired, uniqueRowsOf }: OwnerCheck): UniqueRowChanges {
  const touched = new Map<string, Touched>();
  const items = new Set<string>();
  const collisions: Collision[] = [];

  function take(key: string, { row, index }: UniqueRow, isKept: boolean): void {
    const known = touched.get(row);
    if (known?.taker === undefined) touched.set(row, { index, taker: key, isKept });
    // The item that already has the values is not the one to refuse.
    else if (isKept) {
      collisions.push({ key: known.taker, index });
      touched.set(row, { index, taker: key, isKept });
    } else collisions.push({ key, index });
  }

  return {
    replace(key, old, next) {
      items.add(key);
      for (const uniqueRow of next) {
        const isKept = old.some(({ row }) => row === uniqueRow.row);
        take(key, uniqueRow, isKept);
      }
      for (const { row, index } of old)
        if (!touched.has(row)) touched.set(row, { index, taker: undefined, isKept: false });
    },

    changes() {
      const puts: Put[] = [];
      const deletes: string[] = [];
      const unread = new Set<string>();
      const expired: string[] = [];
      const unknown: string[] = [];
      for (const [row, { index, taker, isKept }] of touched) {
        // The item keeps its values, so its unique row stays. It may be that of another item only while the index is built,
        // and the build finds that.
        if (isKept) continue;
        if (!stored.has(row)) {
          unread.add(row);
          continue;
        }
        const owner = stored.get(row)?.toString();
        if (taker === undefined) {
          if (owner !== undefined && items.has(owner)) deletes.push(row);
        } else if (owner === undefined || items.has(owner)) {
          if (owner !== taker) puts.push({ key: row, value: Buffer.from(taker) });
        } else if (!stored.has(owner)) unread.add(owner);
        else {
          const item = stored.get(owner);
          const uniqueRows = item === undefined ? [] : uniqueRowsOf({ key: owner, value: item });
          if (uniqueRows === undefined) {
            unknown.push(owner);
            continue;
          }
          const isOwner = item !== undefined && uniqueRows.some((uniqueRow) => uniqueRow.row === row);
          if (!isOwner) puts.push({ key: row, value: Buffer.from(taker) });
          else if (isExpired(item)) expired.push(owner);
          else collisions.push({ key: taker, index });
        }
      }
      if (unread.size > 0) return { unread: [...unread] };
      if (unknown.length > 0) return { unknown };
      const [first, ...others] = collisions;
      if (first !== undefined) throw new NotUnique([first, ...others]);
      return expired.length > 0 ? { expired } : { puts, deletes };
    },
  };
}
