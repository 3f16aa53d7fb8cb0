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

/**
 * The attributes that the rows have, in the order in which they are met, `key` first and `__expires` last. `known` are
 * the columns of the rows before: they keep their places and widths, so that nothing jumps when more rows come.
 */
export function columnsOf(rows: readonly Row[], known: readonly Column[] = []): readonly Column[] {
  const names = new Set(['key', ...known.map(({ name }) => name)]);
  for (const { attributes } of rows) for (const name of attributes.keys()) names.add(name);
  const hasExpiry = names.delete(expiresName);
  const ordered = [...names, ...(hasExpiry ? [expiresName] : [])];
  return ordered.map(
    (name) =>
      known.find((column) => column.name === name) ?? {
        name,
        width: widthOf(name, rows),
        kind: kindIn(name, rows),
      },
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
