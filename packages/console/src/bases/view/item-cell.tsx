import { kindOf } from '../../exact/scan.js';
import type { GridCell } from '../../grid/grid-props.js';
import { type Cells, valueAt } from '../cells/cells.js';
import { dateCell } from '../dates/date-text.js';
import type { DateForm } from '../dates/date-value.js';
import { type Column, expiresName } from './columns.js';
import { expiryCell, valueCell } from './value.js';

/** Whether a column has mostly numbers, and shows them as such. */
export function isNumeric({ name, kind }: Column): boolean {
  return name !== expiresName && kind === 'number';
}

/** A cell of an item as it is shown: with the value that is staged, if there is one. */
export function itemCell(
  cells: Cells,
  row: number,
  column: Column | undefined,
  onOpen: (key: string) => void,
): GridCell {
  const rows = cells.rows.peek();
  const key = rows.keys.at(row);
  if (column?.name === 'key' && key !== undefined) return keyCell(key, onOpen);
  if (column === undefined || rows.at(row) === undefined) return { content: <span class="skeleton" /> };
  const { name } = column;
  const json = valueAt(cells, row, name);
  const form = cells.dates.get(name);
  const shown = json === undefined ? { content: null } : shownValue(name, json, form);
  const more = [
    key !== undefined && cells.staged.get(key, name) !== undefined && 'staged',
    form === undefined && isNumeric(column) && json !== undefined && kindOf(json) === 'number' && 'numeric',
  ].filter(Boolean);
  return more.length === 0 ? shown : { ...shown, class: [shown.class, ...more].join(' ') };
}

function shownValue(name: string, json: string, form: DateForm | undefined): GridCell {
  if (name === expiresName) return expiryCell(json);
  return (form === undefined ? undefined : dateCell(json, form)) ?? valueCell(json);
}

function keyCell(key: string, onOpen: (key: string) => void): GridCell {
  const { content, ...cell } = valueCell(JSON.stringify(key));
  const open = (
    <button
      type="button"
      class="open-item"
      tabIndex={-1}
      aria-label="Open the item"
      title="Open"
      onClick={() => onOpen(key)}
    />
  );
  return { ...cell, content: [content, open] };
}
