import type { ReadonlySignal } from '@preact/signals';
import type { Area } from '../../grid/cell-range.js';
import type { DateForm } from '../dates/date-value.js';
import type { Staged } from '../edit/staged.js';
import type { Rows } from '../listing/rows.js';
import type { Column } from '../view/columns.js';

/** The cells of the items that are shown, with what is staged. Rows come and go: they are read at the time of a call. */
export interface Cells {
  readonly rows: ReadonlySignal<Rows>;
  readonly columns: readonly Column[];
  readonly staged: Staged;
  /** The columns whose values are dates. */
  readonly dates: ReadonlyMap<string, DateForm>;
}

/** The JSON texts of values, row by row; undefined where an item has no such attribute. */
export type Block = readonly (readonly (string | undefined)[])[];

/** The value that a cell shows: the staged one, if there is one. */
export function valueAt({ rows, staged }: Cells, row: number, name: string): string | undefined {
  const item = rows.peek().at(row);
  if (item === undefined) return undefined;
  const change = staged.get(item.key, name);
  return change === undefined ? item.attributes.get(name) : change.json;
}

/** The values of an area; undefined if one of its rows is not in memory. */
export function readBlock(cells: Cells, { top, left, bottom, right }: Area): Block | undefined {
  const names = cells.columns.slice(left, right + 1).map(({ name }) => name);
  const block: (string | undefined)[][] = [];
  for (let row = top; row <= bottom; row++) {
    if (cells.rows.peek().at(row) === undefined) return undefined;
    block.push(names.map((name) => valueAt(cells, row, name)));
  }
  return block;
}
