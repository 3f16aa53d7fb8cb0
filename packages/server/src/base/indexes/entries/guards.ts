import { hash } from 'node:crypto';
import { missing } from '../../items/locate.js';
import { createStartReader } from '../../query/sort-order.js';
import type { Declaration } from '../declarations/declarations.js';
import { createCanonicalReader } from './canonical-text.js';
import { guardPrefix, segmentsOf } from './entries.js';

/**
 * The guards of unique indexes (docs/http.md#unique-indexes): rows in the space of the items, one for each combination of
 * values that an item has. An entry cannot be one, because it has the key of its item, and not the whole of a long value.
 *
 *   U+0000, the id of the index, !, the SHA-256 of the values     its value is the key of the item that has them
 *
 * A transaction reads the guards of the values that it changes. So of those that give a value to different items, only the
 * first one finds no other owner.
 */
export interface Guard {
  /** The key of the row. */
  readonly row: string;
  readonly index: Declaration;
}

/** Gives the guards of an item: one for each unique index of which it has all fields. */
export type GuardsOf = (item: string) => readonly Guard[];

const noGuards: readonly Guard[] = [];

export function createGuardsOf(indexes: readonly Declaration[]): GuardsOf {
  const unique = indexes.filter((index) => index.unique);
  if (unique.length === 0) return () => noGuards;
  const paths = [...new Set(unique.flatMap(({ fields }) => fields))];
  const startsOf = createStartReader(paths.map(segmentsOf));
  const plans = unique.map((index) => ({
    index,
    prefix: guardPrefix(index.id),
    columns: index.fields.map((field) => paths.indexOf(field)),
    /** The number of the first index of the same fields. */
    first: unique.findIndex(({ fields }) => fields.join('\0') === index.fields.join('\0')),
  }));
  return (item) => {
    const starts = startsOf(item);
    const guards: Guard[] = [];
    const textAt = createCanonicalReader(item, starts);
    const hashes: string[] = [];
    for (const { index, prefix, columns, first } of plans) {
      if (columns.some((column) => starts[column] === missing)) continue;
      hashes[first] ??= hashOf(columns.map((column) => textAt(starts[column] as number)));
      guards.push({ row: prefix + hashes[first], index });
    }
    return guards;
  };
}

function hashOf(texts: readonly string[]): string {
  return hash('sha256', texts.join('\n'), 'base64url');
}
