import { type Kind, kindOf } from '../exact/scan.js';
import type { Row } from './row.js';

/** The attribute that makes an item expire (docs/http.md#expiry). */
export const expiresName = '__expires';

const characterWidth = 7.9;
const padding = 36;
const minWidth = 96;
const maxWidth = 360;
/** Rows whose values decide how wide a column is. */
const measuredRows = 100;

export interface Column {
  readonly name: string;
  readonly width: number;
  /** The kind of the first value that is not `null`. */
  readonly kind: Kind;
}

/** Rows of which all are looked at when one of them has changed. Beyond that, only what was added. */
const maxRowsReadAgain = 5000;

/**
 * Gives the attributes that rows have, in the order in which they are met, `key` first and `__expires` last. Columns
 * keep their places and widths when more rows come, so that nothing jumps.
 */
export function createColumns(): (rows: readonly Row[]) => readonly Column[] {
  let known: readonly Column[] = [];
  let rowsRead = 0;
  return (rows) => {
    if (rows.length === 0) return known;
    const isLong = rows.length > maxRowsReadAgain;
    known = extend(known, isLong ? [...rows.slice(0, 1), ...rows.slice(rowsRead)] : rows);
    rowsRead = rows.length;
    return known;
  };
}

function extend(known: readonly Column[], rows: readonly Row[]): readonly Column[] {
  const names = new Set(['key', ...known.map(({ name }) => name)]);
  for (const { attributes } of rows) for (const name of attributes.keys()) names.add(name);
  if (names.size === known.length) return known;
  const hasExpiry = names.delete(expiresName);
  const byName = new Map(known.map((column) => [column.name, column]));
  const ordered = [...names, ...(hasExpiry ? [expiresName] : [])];
  return ordered.map(
    (name) => byName.get(name) ?? { name, width: widthOf(name, rows), kind: kindIn(name, rows) },
  );
}

function widthOf(name: string, rows: readonly Row[]): number {
  if (name === expiresName) return 168;
  const lengths = rows.slice(0, measuredRows).map(({ attributes }) => attributes.get(name)?.length ?? 0);
  const longest = Math.max(name.length + 2, ...lengths);
  return Math.round(Math.min(maxWidth, Math.max(minWidth, longest * characterWidth + padding)));
}

function kindIn(name: string, rows: readonly Row[]): Kind {
  for (const { attributes } of rows) {
    const json = attributes.get(name);
    if (json !== undefined && json !== 'null') return kindOf(json);
  }
  return 'null';
}
