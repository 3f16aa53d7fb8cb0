import { type Kind, kindOf } from '../../exact/scan.js';
import { visibleName } from '../../ui/visible.js';
import type { LoadedPage, Rows } from '../listing/rows.js';
import type { Row } from './row.js';

/** The attribute that makes an item expire (docs/http.md#expiry). */
export const expiresName = '__expires';

/** The name of a column for people. */
export const shownName = (name: string) => (name === expiresName ? 'expires' : visibleName(name));

const characterWidth = 7.9;
const padding = 36;
const minWidth = 96;
const maxWidth = 360;
const maxFittingWidth = 1600;
/** Rows whose values decide how wide a column is. */
const measuredRows = 100;

/** The key at most: it stays in view next to the other columns. */
const maxKeyWidth = 320;
/** The part of the items that have an attribute, from which on it is a usual one. */
const usualShare = 0.5;

export interface Column {
  readonly name: string;
  readonly width: number;
  /** The kind that most of its values have, `null` aside. */
  readonly kind: Kind;
}

/** Columns at most: what an item has beyond them is seen in its panel. */
export const maxColumns = 1000;

export interface Columns {
  /** The attributes of the items that are loaded. */
  readonly shown: readonly Column[];
  /** Those, and all that were met under other queries. */
  readonly known: readonly Column[];
}

/** The part of a listing that columns are made of. */
interface Source {
  readonly rows: Rows;
  /** Another text: other items are looked at, and their columns begin anew. */
  readonly subject: string;
}

/**
 * Gives the attributes that the items of a listing have, `key` first and `__expires` last: first those that at least half
 * of the items have, in the order in which they are met, then the others, the more frequent ones before. Columns keep their
 * places and widths when more rows come, so that nothing jumps. A page is looked at once.
 */
export function createColumns(): (source: Source) => Columns {
  let columns: Columns = { shown: [], known: [] };
  let present: string | undefined;
  let seen = new WeakSet<LoadedPage>();
  return ({ rows: { pages, length }, subject }) => {
    const isOther = subject !== present && length > 0;
    if (isOther) {
      present = subject;
      seen = new WeakSet();
    }
    const added = pages.filter((page) => page.rows !== undefined && !seen.has(page));
    for (const page of added) seen.add(page);
    const rows = added.flatMap((page) => page.rows ?? []);
    if (rows.length === 0) return columns;
    const shown = extend(isOther ? [] : columns.shown, rows);
    if (shown === columns.shown) return columns;
    columns = { shown, known: union(shown, columns.known) };
    return columns;
  };
}

function union(one: readonly Column[], other: readonly Column[]): readonly Column[] {
  const names = new Set(one.map(({ name }) => name));
  return [...one, ...other.filter(({ name }) => !names.has(name))];
}

function extend(known: readonly Column[], rows: readonly Row[]): readonly Column[] {
  const byName = new Map(known.map((column) => [column.name, column]));
  const kinds = countKinds(rows, byName);
  const added = Array.from(kinds.keys()).filter((name) => !byName.has(name) && name !== expiresName);
  const isUsual = (name: string) => total(kinds.get(name)) >= rows.length * usualShare;
  const rare = added.filter((name) => !isUsual(name));
  rare.sort((one, other) => total(kinds.get(other)) - total(kinds.get(one)));
  const hasExpiry = byName.has(expiresName) || kinds.has(expiresName);
  const names = [
    ...known.map(({ name }) => name).filter((name) => name !== expiresName),
    ...['key', ...added.filter(isUsual), ...rare].filter((name) => !byName.has(name)),
    ...(hasExpiry ? [expiresName] : []),
  ];
  const next = [...new Set(names)].map((name) => {
    const before = byName.get(name);
    if (before === undefined) return { name, width: widthOf(name, rows), kind: mostOf(kinds.get(name)) };
    const kind = before.kind === 'null' ? mostOf(kinds.get(name)) : before.kind;
    return kind === before.kind ? before : { ...before, kind };
  });
  return next.length === known.length && next.every((column, at) => column === known[at]) ? known : next;
}

type Kinds = Map<Kind, number>;

/** How many values of each kind the attributes have that are not known well, as far as there may be columns for them. */
function countKinds(rows: readonly Row[], known: ReadonlyMap<string, Column>): ReadonlyMap<string, Kinds> {
  const names = new Set(['key', ...known.keys()]);
  const counted = new Map<string, Kinds>();
  for (const { attributes } of rows) {
    for (const [name, json] of attributes) {
      if ((known.get(name)?.kind ?? 'null') !== 'null') continue;
      if (names.size < maxColumns) names.add(name);
      if (!names.has(name) && name !== expiresName) continue;
      const kinds = counted.get(name) ?? new Map();
      counted.set(name, kinds);
      const kind = kindOf(json);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
  }
  return counted;
}

function total(kinds: Kinds = new Map()): number {
  return [...kinds.values()].reduce((sum, count) => sum + count, 0);
}

function mostOf(kinds: Kinds = new Map()): Kind {
  const others = [...kinds].filter(([kind]) => kind !== 'null').sort(([, one], [, other]) => other - one);
  return others[0]?.[0] ?? 'null';
}

function widthOf(name: string, rows: readonly Row[]): number {
  if (name === expiresName) return 168;
  const measured = rows.slice(0, measuredRows);
  return name === 'key'
    ? Math.min(maxKeyWidth, keyWidth(measured))
    : Math.min(maxWidth, fittingWidth(name, measured));
}

/** The width for all keys but the few longest ones. */
function keyWidth(rows: readonly Row[]): number {
  const lengths = rows.map(({ key }) => key.length + 2).sort((one, other) => one - other);
  return widthFor(lengths[Math.ceil(lengths.length * 0.95) - 1] ?? 0);
}

/** The width at which the values of a column are shown whole, as far as a screen allows. */
export function fittingWidth(name: string, rows: readonly Row[]): number {
  const lengths = rows.map(({ attributes }) => attributes.get(name)?.length ?? 0);
  return widthFor(lengths.reduce((one, other) => Math.max(one, other), name.length + 2));
}

function widthFor(characters: number): number {
  return Math.round(Math.min(maxFittingWidth, Math.max(minWidth, characters * characterWidth + padding)));
}
