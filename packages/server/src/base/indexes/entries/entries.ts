import { headerKey, type ScanRange } from '../../../engines/item-store.js';
import { compareUtf8 } from '../../../lib/text/utf8-order.js';
import { parseAttributePath } from '../../items/attribute-path.js';
import { createStartReader } from '../../query/sort-order.js';
import { type Declaration, type Declarations, keptCharacters } from '../declarations/declarations.js';
import { elementParts, textAt } from './element-entries.js';

/**
 * The entries of indexes. Each item has one entry in each index, an empty row in the space of the item:
 *
 *   U+0000, the id of the index, /, the encoded values of its fields, the key of the item
 *
 * In an index of the elements of lists it has any number of them (`element-entries.ts`). A unique index also has unique
 * rows (`unique-rows.ts`).
 *
 * No key of an item begins with U+0000, so entries and the header come before all items.
 */

/** Not before this key: items. Before it: the header and entries. */
export const firstItemKey = '\u0001';

/** The part of a range that has items. */
export function itemRange(range: ScanRange = {}): ScanRange {
  const { gte } = range;
  return gte !== undefined && compareUtf8(gte, firstItemKey) > 0 ? range : { ...range, gte: firstItemKey };
}

/** The beginning of the keys of all entries of an index. */
export function entryPrefix(id: string): string {
  return `${headerKey}${id}/`;
}

/** The segments of a path that a declaration has, so it is valid. */
export function segmentsOf(path: string): readonly string[] {
  return parseAttributePath(path) as readonly string[];
}

/** The beginning of the keys of the unique rows of an index. */
export function uniqueRowPrefix(id: string): string {
  return `${headerKey}${id}!`;
}

/** Gives the keys of the entries that an item has in the indexes of a base, in the order of the indexes. */
export type EntriesOf = (key: string, item: string) => readonly string[];

/** Makes the function for these indexes. An item is searched for all of their fields in one pass. */
export function createEntriesOf(indexes: readonly Declaration[]): EntriesOf {
  const paths = [...new Set(indexes.flatMap(({ fields }) => fields))];
  const startsOf = createStartReader(paths.map(segmentsOf));
  const plans = indexes.map(({ id, fields, each }) => ({
    prefix: entryPrefix(id),
    columns: fields.map((field) => paths.indexOf(field)),
    characters: keptCharacters(fields.length),
    each,
  }));
  return (key, item) => {
    const starts = startsOf(item);
    const entries: string[] = [];
    // Several indexes may be of the elements of one list. Each has one field, so all keep as many characters.
    const elements: (readonly string[])[] = [];
    for (const { prefix, columns, characters, each } of plans) {
      if (each) {
        const [column = 0] = columns;
        elements[column] ??= elementParts(item, starts[column] as number, characters);
        for (const part of elements[column]) entries.push(prefix + part + key);
        continue;
      }
      let entry = prefix;
      for (const column of columns) entry += textAt(item, starts[column] as number, characters);
      entries.push(entry + key);
    }
    return entries;
  };
}

/** The indexes that every write keeps in step: those that are ready, and those that are being built. */
export function maintained({ indexes }: Declarations): readonly Declaration[] {
  return indexes.filter(({ state }) => state === 'ready' || state === 'building');
}
