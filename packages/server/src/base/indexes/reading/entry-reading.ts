import type { ScanRange, Snapshot, TextRow } from '../../../engines/item-store.js';
import { compareUtf8 } from '../../../lib/text/utf8-order.js';
import type { Declaration } from '../declarations/declarations.js';
import { afterMark } from '../entries/element-entries.js';
import { entryPrefix } from '../entries/entries.js';
import { endOfValue, isCut } from '../entries/value-encoding.js';
import type { Gauge } from './reading-cost.js';

/** Batches of items, in an order. */
export type Rows = AsyncGenerator<readonly TextRow[], void, undefined>;
/** Gives the items of entries, in batches, in the same order. */
export type ReadRows = (entries: readonly string[]) => Rows;

/** To read on by entries would cost more than to read all items. */
export class TooManyEntries extends Error {
  override readonly name = 'TooManyEntries';
}

/** The sizes of a batch of items. The first one is small because nothing is known about their sizes. */
const firstRows = 16;
const maxRows = 128;
const batchCharacters = 128 * 1024;

/**
 * Makes the function that reads the items of entries from a snapshot. It throws `TooManyEntries` before it has read more
 * entries than it may. `keyOf` gives the key of the item of an entry, `wanted` says how many items the caller probably needs.
 */
export function createReadRows(
  snapshot: Snapshot,
  keyOf: (entry: string) => string,
  { wanted, mayRead }: { readonly wanted: number } & Pick<Gauge, 'mayRead'>,
): ReadRows {
  let size = firstRows;
  let read = 0;
  let stillWanted = wanted;

  return async function* (entries) {
    for (let at = 0; at < entries.length; ) {
      const batch = entries.slice(at, at + (stillWanted > 0 ? Math.min(size, stillWanted) : size));
      at += batch.length;
      read += batch.length;
      stillWanted -= batch.length;
      if (!(await mayRead(read))) throw new TooManyEntries();
      const keys = batch.map(keyOf);
      const texts = await snapshot.texts(keys);
      const rows: TextRow[] = [];
      let characters = 0;
      for (const [index, key] of keys.entries()) {
        const text = texts[index];
        if (text === undefined) continue;
        rows.push({ key, text, bytes: Buffer.byteLength(text) });
        characters += text.length;
      }
      size = Math.max(1, Math.min(maxRows, Math.floor((batchCharacters * keys.length) / (characters + 1))));
      yield rows;
    }
  };
}

/** Gives the key of the item of an entry of an index. */
export function keyReader({ id, fields, each }: Declaration): (entry: string) => string {
  const start = entryPrefix(id).length;
  if (!each) return (entry) => parseEntry(entry, start, fields.length).key;
  return (entry) => {
    const mark = afterMark(entry, start);
    return entry.slice(mark.isElement ? endOfValue(entry, mark.at) : mark.at);
  };
}

/** All keys of a range, which has few. */
export async function keysIn(snapshot: Snapshot, range: ScanRange): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const batch of snapshot.keys(range)) keys.push(...batch);
  return keys;
}

/** The encoded values of an entry that begin at `start`, and the key of its item. */
export interface ParsedEntry {
  readonly values: readonly string[];
  readonly key: string;
}

export function parseEntry(entry: string, start: number, values: number): ParsedEntry {
  const parsed: string[] = [];
  let at = start;
  for (let value = 0; value < values; value++) {
    const end = endOfValue(entry, at);
    parsed.push(entry.slice(at, end));
    at = end;
  }
  return { values: parsed, key: entry.slice(at) };
}

/** The beginning of an entry up to the first of its values that is that of a long string; undefined if there is none. */
export function cutGroupOf(entry: string, start: number, values: number): string | undefined {
  let at = start;
  for (let value = 0; value < values; value++) {
    const end = endOfValue(entry, at);
    if (isCut(entry.slice(at, end))) return entry.slice(0, end);
    at = end;
  }
  return undefined;
}

/** Sorts entries by their values from `start` on and then by key. The last direction is that of the key. */
export function sortEntries(
  entries: readonly string[],
  start: number,
  directions: readonly number[],
  missing: string,
): readonly string[] {
  const columns = directions.length - 1;
  const parsed = entries.map((entry) => ({ entry, ...parseEntry(entry, start, columns) }));
  parsed.sort((a, b) => {
    for (let column = 0; column < columns; column++) {
      const x = a.values[column] as string;
      const y = b.values[column] as string;
      if (x === y) continue;
      const direction = x === missing || y === missing ? 1 : (directions[column] as number);
      return direction * compareUtf8(x, y);
    }
    return (directions[columns] as number) * compareUtf8(a.key, b.key);
  });
  return parsed.map(({ entry }) => entry);
}
