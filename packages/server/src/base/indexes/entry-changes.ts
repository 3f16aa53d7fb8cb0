import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Change, Put } from '../../engines/item-store.js';
import type { EntriesOf } from './entries.js';

/** A stored or new item. */
export interface ItemValue {
  readonly key: string;
  readonly value: Buffer;
}

/** The entries of large items, computed before the transaction that needs them. */
export interface PreparedEntries {
  /** Computes the entries of items in turns of the event loop. */
  add(items: readonly ItemValue[], entriesOf: EntriesOf): Promise<void>;
  /** The entries of the item, unless it has changed since. */
  find(item: ItemValue, entriesOf: EntriesOf): readonly string[] | undefined;
}

/** The changes of items and their entries, or the items whose entries take too long to compute in a transaction. */
export type WithEntries =
  | Pick<Change<unknown>, 'puts' | 'deletes'>
  | { readonly unprepared: readonly ItemValue[] };

const nothing = Buffer.alloc(0);

/**
 * Adds to a change of items what happens to their entries. An entry that stays the same is not written. `stored` has the
 * present row of each item that changes. If the entries of more than `maxBytes` of items are not prepared, gives these
 * items instead.
 */
export function withEntries(
  change: Pick<Change<unknown>, 'puts' | 'deletes'>,
  stored: ReadonlyMap<string, Buffer | undefined>,
  { entriesOf, prepared, maxBytes }: EntrySource,
): WithEntries {
  const unprepared: ItemValue[] = [];
  let bytes = 0;
  const entriesFor = (key: string, value: Buffer | undefined): readonly string[] => {
    if (value === undefined) return [];
    const known = prepared?.find({ key, value }, entriesOf);
    if (known !== undefined) return known;
    unprepared.push({ key, value });
    bytes += value.length;
    return bytes > maxBytes ? [] : entriesOf(key, value.toString());
  };
  const puts: Put[] = [...(change.puts ?? [])];
  const deletes: string[] = [...(change.deletes ?? [])];
  for (const { key, value } of change.puts ?? []) {
    const old = entriesFor(key, stored.get(key));
    for (const [index, entry] of entriesFor(key, value).entries()) {
      if (old[index] === entry) continue;
      puts.push({ key: entry, value: nothing });
      if (old[index] !== undefined) deletes.push(old[index]);
    }
  }
  for (const key of change.deletes ?? []) deletes.push(...entriesFor(key, stored.get(key)));
  return bytes > maxBytes ? { unprepared } : { puts, deletes };
}

/** Where the entries of items come from. */
export interface EntrySource {
  readonly entriesOf: EntriesOf;
  readonly prepared: PreparedEntries | undefined;
  readonly maxBytes: number;
}

export function createPreparedEntries(): PreparedEntries {
  /** By the keys of the items; an item has a stored and a new value. */
  const known = new Map<string, { value: Buffer; entriesOf: EntriesOf; entries: readonly string[] }[]>();
  return {
    async add(items, entriesOf) {
      for (const { key, value } of items) {
        const entries = entriesOf(key, value.toString());
        known.set(key, [...(known.get(key) ?? []).slice(-1), { value, entriesOf, entries }]);
        await nextTurn();
      }
    },
    find: ({ key, value }, entriesOf) =>
      known.get(key)?.find((one) => one.entriesOf === entriesOf && one.value.equals(value))?.entries,
  };
}
