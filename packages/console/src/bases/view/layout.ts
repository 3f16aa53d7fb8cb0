import { createDeviceStore } from '../../api/device-store.js';
import type { DateForm } from '../dates/date-value.js';
import type { Column } from './columns.js';

/** How the columns of a base are shown, where somebody has said so. */
interface Layout {
  /** The names of the columns in their order; those that are not among them follow. */
  readonly order?: readonly string[];
  readonly hidden?: readonly string[];
  /** In pixels. */
  readonly widths?: Readonly<Record<string, number>>;
  readonly dates?: Readonly<Record<string, DateForm>>;
}

const minWidth = 48;
const maxWidth = 2000;

const layouts = createDeviceStore('basedrive-columns', (value): value is Layout => {
  if (typeof value !== 'object' || value === null) return false;
  const { order = [], hidden = [], widths = {}, dates = {} } = value as Layout;
  const areObjects = [widths, dates].every((one) => typeof one === 'object' && one !== null);
  return Array.isArray(order) && Array.isArray(hidden) && areObjects;
});

const layoutOf = (base: string): Layout => layouts.read(base) ?? {};

function change(base: string, changes: Layout): void {
  layouts.keep(base, { ...layoutOf(base), ...changes });
}

/** The width that a column of a base was given, in pixels; undefined if it has that of its content. */
export function givenWidth(base: string, name: string): number | undefined {
  const width = Object.entries(layoutOf(base).widths ?? {}).find(([one]) => one === name)?.[1];
  return typeof width === 'number' ? width : undefined;
}

export function giveWidth(base: string, name: string, width: number): void {
  const given = Math.max(minWidth, Math.min(maxWidth, width));
  change(base, { widths: withEntry(layoutOf(base).widths, name, given) });
}

/** How the values of columns are dates, by the names of these columns. The others are shown as they are stored. */
export function datesOf(base: string): ReadonlyMap<string, DateForm> {
  const forms: readonly unknown[] = ['seconds', 'milliseconds', 'text'];
  return new Map(Object.entries(layoutOf(base).dates ?? {}).filter(([, form]) => forms.includes(form)));
}

export function setDateForm(base: string, name: string, form: DateForm | undefined): void {
  change(base, { dates: withEntry(layoutOf(base).dates, name, form) });
}

export function isHidden(base: string, name: string): boolean {
  return layoutOf(base).hidden?.includes(name) ?? false;
}

export function setHidden(base: string, names: readonly string[], isHiding: boolean): void {
  const others = (layoutOf(base).hidden ?? []).filter((name) => !names.includes(name));
  change(base, { hidden: isHiding ? [...others, ...names] : others });
}

/** Whether anything of a base is shown otherwise than at first. */
export function hasLayout(base: string): boolean {
  return layouts.read(base) !== undefined;
}

/** Shows the columns of a base as at first. */
export function forgetLayout(base: string): void {
  layouts.keep(base, undefined);
}

/** The columns in the order that they were given; those that nobody has moved follow as they were. The key stays the first. */
export function inOrder(base: string, columns: readonly Column[]): readonly Column[] {
  const { order = [] } = layoutOf(base);
  if (order.length === 0) return columns;
  const places = new Map(order.map((name, at) => [name, at]));
  const placeOf = ({ name }: Column) => (name === 'key' ? -1 : (places.get(name) ?? order.length));
  return [...columns].sort((one, other) => placeOf(one) - placeOf(other));
}

/** Moves a column before another one; without one, to the end. `columns` are all, in their present order. */
export function moveColumn(
  base: string,
  columns: readonly Column[],
  name: string,
  before: string | undefined,
): void {
  const names = columns.map((column) => column.name).filter((one) => one !== name);
  const at = before === undefined ? names.length : names.indexOf(before);
  if (name === 'key' || at === -1) return;
  change(base, { order: names.toSpliced(Math.max(1, at), 0, name) });
}

/** An object with another value under a name: of attributes, which may have any name. Undefined removes it. */
function withEntry<Value>(
  from: Readonly<Record<string, Value>> | undefined,
  name: string,
  value: Value | undefined,
): Readonly<Record<string, Value>> {
  const others = Object.entries(from ?? {}).filter(([one]) => one !== name);
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
}
