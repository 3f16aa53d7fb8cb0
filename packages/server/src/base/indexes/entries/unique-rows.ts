import { hash } from 'node:crypto';
import { missing } from '../../items/path-tree.js';
import { createStartReader } from '../../query/sort-order.js';
import type { Declaration } from '../declarations/declarations.js';
import { createCanonicalReader } from './canonical-text.js';
import { segmentsOf, uniqueRowPrefix } from './entries.js';

/**
 * Unique rows keep the values of a unique index unique (docs/http.md#unique-indexes). They are in the space of the items,
 * one for each combination of values that an item has. An entry of the index cannot do this: it has the key of its item,
 * and only the beginning of a long value.
 *
 *   U+0000, the id of the index, !, the SHA-256 of the values     its value is the key of the item that has them
 *
 * A transaction reads the unique rows of the values that it changes. So when several transactions give one value to
 * different items, only the first of them finds no other owner.
 */
export interface UniqueRow {
  /** The key of the row. */
  readonly row: string;
  readonly index: Declaration;
}

/** Gives the unique rows of an item: one for each unique index of which it has all fields. */
export type UniqueRowsOf = (item: string) => readonly UniqueRow[];

const noUniqueRows: readonly UniqueRow[] = [];

export function createUniqueRowsOf(indexes: readonly Declaration[]): UniqueRowsOf {
  const unique = indexes.filter((index) => index.unique);
  if (unique.length === 0) return () => noUniqueRows;
  const paths = [...new Set(unique.flatMap(({ fields }) => fields))];
  const startsOf = createStartReader(paths.map(segmentsOf));
  const plans = unique.map((index) => ({
    index,
    prefix: uniqueRowPrefix(index.id),
    columns: index.fields.map((field) => paths.indexOf(field)),
    /** The number of the first index of the same fields. */
    first: unique.findIndex(({ fields }) => fields.join('\0') === index.fields.join('\0')),
  }));
  return (item) => {
    const starts = startsOf(item);
    const uniqueRows: UniqueRow[] = [];
    const textAt = createCanonicalReader(item, starts);
    const hashes: string[] = [];
    for (const { index, prefix, columns, first } of plans) {
      if (columns.some((column) => starts[column] === missing)) continue;
      hashes[first] ??= hashOf(columns.map((column) => textAt(starts[column] as number)));
      uniqueRows.push({ row: prefix + hashes[first], index });
    }
    return uniqueRows;
  };
}

function hashOf(texts: readonly string[]): string {
  return hash('sha256', texts.join('\n'), 'base64url');
}
