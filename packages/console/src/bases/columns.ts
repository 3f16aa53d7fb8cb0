import { type Kind, kindOf } from '../exact/scan.js';
import type { LoadedPage, Rows } from './listing/rows.js';
import type { Row } from './row.js';

/** The attribute that makes an item expire (docs/http.md#expiry). */
export const expiresName = '__expires';

const characterWidth = 7.9;
const padding = 36;
const minWidth = 96;
const maxWidth = 360;
const maxFittingWidth = 1600;
/** Rows whose values decide how wide a column is. */
const measuredRows = 100;

export interface Column {
  readonly name: string;
  readonly width: number;
  /** The kind of the first value that is not `null`. */
  readonly kind: Kind;
}

/** Columns at most: what an item has beyond them is seen in its panel. */
export const maxColumns = 1000;

/**
 * Gives the attributes that the items of a listing have, in the order in which they are met, `key` first and `__expires`
 * last. Columns keep their places and widths when more rows come, so that nothing jumps. A page is looked at once.
 */
export function createColumns(): (rows: Rows) => readonly Column[] {
  let known: readonly Column[] = [];
  const seen = new WeakSet<LoadedPage>();
  return ({ pages }) => {
    const added = pages.filter((page) => page.rows !== undefined && !seen.has(page));
    for (const page of added) seen.add(page);
    if (added.length > 0)
      known = extend(
        known,
        added.flatMap(({ rows = [] }) => rows),
      );
    return known;
  };
}

function extend(known: readonly Column[], rows: readonly Row[]): readonly Column[] {
  if (rows.length === 0) return known;
  const names = new Set(['key', ...known.map(({ name }) => name)]);
  let hasExpiry = false;
  for (const { attributes } of rows) {
    hasExpiry ||= attributes.has(expiresName);
    for (const name of attributes.keys()) if (names.size < maxColumns) names.add(name);
  }
  if (hasExpiry) names.add(expiresName);
  const hasUnknownKind = known.some(({ kind }) => kind === 'null');
  if (names.size === known.length && !hasUnknownKind) return known;
  hasExpiry = names.delete(expiresName);
  const byName = new Map(known.map((column) => [column.name, column]));
  const ordered = [...names, ...(hasExpiry ? [expiresName] : [])];
  return ordered.map((name) => {
    const before = byName.get(name);
    if (before === undefined) return { name, width: widthOf(name, rows), kind: kindIn(name, rows) };
    const kind = before.kind === 'null' ? kindIn(name, rows) : before.kind;
    return kind === before.kind ? before : { ...before, kind };
  });
}

function widthOf(name: string, rows: readonly Row[]): number {
  if (name === expiresName) return 168;
  return Math.min(maxWidth, fittingWidth(name, rows.slice(0, measuredRows)));
}

/** The width at which the values of a column are shown whole, as far as a screen allows. */
export function fittingWidth(name: string, rows: readonly Row[]): number {
  const lengths = rows.map(({ attributes }) => attributes.get(name)?.length ?? 0);
  const longest = lengths.reduce((one, other) => Math.max(one, other), name.length + 2);
  return Math.round(Math.min(maxFittingWidth, Math.max(minWidth, longest * characterWidth + padding)));
}

function kindIn(name: string, rows: readonly Row[]): Kind {
  for (const { attributes } of rows) {
    const json = attributes.get(name);
    if (json !== undefined && json !== 'null') return kindOf(json);
  }
  return 'null';
}
