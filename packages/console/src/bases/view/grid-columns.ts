import type { GridColumn } from '../../grid/grid-props.js';
import { isNarrow } from '../../ui/media.js';
import type { Cells } from '../cells/cells.js';
import { splitOrder } from '../order.js';
import type { Column } from './columns.js';
import { givenWidth } from './layout.js';

/** The width of the keys at most where there is little room for others, unless they were given another one. */
const narrowKeyWidth = 160;
/** The width in which a date and time are whole. */
const dateWidth = 212;

/** The columns as the grid draws them. `order` is that of the rows, as the address has it. */
export function gridColumns(
  base: string,
  { columns, dates }: Pick<Cells, 'columns' | 'dates'>,
  order: string,
): readonly GridColumn[] {
  const sorted = splitOrder(order);
  const sort = sorted.isDescending ? 'descending' : 'ascending';
  return columns.map(({ name, width }) => ({
    id: name,
    width: givenWidth(base, name) ?? usualWidth(name, width, dates.has(name)),
    sort: name === sorted.name ? sort : undefined,
  }));
}

function usualWidth(name: string, width: number, isDate: boolean): number {
  if (name === 'key' && isNarrow.value) return Math.min(width, narrowKeyWidth);
  return isDate ? Math.max(width, dateWidth) : width;
}

/** The attributes in the order of a card: what a list is sorted by is the first to be seen. */
export function cardNames(columns: readonly Column[], order: string): readonly string[] {
  const { name: sorted } = splitOrder(order);
  const names = columns.map(({ name }) => name);
  return names.includes(sorted) ? [sorted, ...names.filter((name) => name !== sorted)] : names;
}
