import { kindOf } from '../../exact/scan.js';
import { type Area, columnsOf, rowsOf } from '../../grid/cell-range.js';
import { typedDate } from '../dates/date-value.js';
import type { CellChange } from '../edit/staged.js';
import { type Block, type Cells, readBlock, valueAt } from './cells.js';
import type { Pasted } from './clipboard.js';
import { typedValue } from './typed-value.js';

/** What was changed, and what was left as it was. */
export interface Changed {
  /** The cells that have the values now. */
  readonly area: Area;
  readonly changes: number;
  /** Rows beyond the last item, or that are not in memory. */
  readonly rowsLeft: number;
  /** Items whose JSON has a mistake. */
  readonly itemsLeft: number;
  /** Values for keys, which stay as they are. */
  readonly keysLeft: number;
  /** Texts in columns of another type. */
  readonly oddTexts: number;
}

/** The value for a cell of the area, counted from its first row and column. */
type ValueFor = (row: number, column: number, before: string | undefined) => string | undefined;

/**
 * Stages what is pasted, as one step: over the area that is selected if it is a multiple of what is pasted, else from its
 * first cell on.
 */
export function pasteInto(cells: Cells, area: Area, pasted: NonNullable<Pasted>): Changed {
  const table = 'block' in pasted ? pasted.block : pasted.texts;
  const height = table.length;
  const width = Math.max(...table.map((row) => row.length));
  const isMultiple = rowsOf(area) % height === 0 && columnsOf(area) % width === 0;
  const size = isMultiple
    ? { rows: rowsOf(area), columns: columnsOf(area) }
    : { rows: height, columns: width };
  const target = {
    ...area,
    bottom: area.top + size.rows - 1,
    right: Math.min(cells.columns.length - 1, area.left + size.columns - 1),
  };
  return change(cells, target, (row, column, before) => {
    if ('block' in pasted) return pasted.block[row % height]?.[column % width];
    const text = pasted.texts[row % height]?.[column % width] ?? '';
    return textValue(cells, target.left + column, text, before);
  });
}

/** Stages the values of a source over an area of which it is a part: again and again, in rows or in columns. */
export function repeatOver(cells: Cells, source: Area, area: Area): Changed | undefined {
  const block = readBlock(cells, source);
  if (block === undefined) return undefined;
  const [down, right] = [area.top - source.top, area.left - source.left];
  return change(cells, area, (row, column) => repeated(block, row + down, column + right));
}

/** The same, but a line of values that begins a series goes on. What knows series is loaded when it is first needed. */
export async function continueOver(cells: Cells, source: Area, area: Area): Promise<Changed | undefined> {
  const block = readBlock(cells, source);
  if (block === undefined) return undefined;
  const { seriesOf } = await import('./series.js');
  const [down, right] = [area.top - source.top, area.left - source.left];
  const formOf = (column: number) => cells.dates.get(cells.columns[source.left + column]?.name ?? '');
  const seriesDown = (_: unknown, column: number) => {
    const values = block.map((row) => row[column]);
    return seriesOf(values, formOf(column));
  };
  const isDown = rowsOf(area) > rowsOf(source);
  const lines = isDown ? (block[0] ?? []).map(seriesDown) : block.map((row) => seriesOf(row, formOf(0)));
  return change(cells, area, (row, column) => {
    const [y, x] = [row + down, column + right];
    return (isDown ? lines[x]?.(y) : lines[y]?.(x)) ?? repeated(block, y, x);
  });
}

/** Stages one value over an area, or removes what is there. */
export function setAll(cells: Cells, area: Area, json: string | undefined): Changed {
  return change(cells, area, () => json);
}

/** The value of a pasted text. In a column of dates that are numbers, a date becomes one. */
function textValue(
  cells: Cells,
  column: number,
  text: string,
  before: string | undefined,
): string | undefined {
  const { name, kind } = cells.columns[column] ?? { name: '', kind: 'null' as const };
  return typedDate(text, cells.dates.get(name), before) ?? typedValue(text, before, kind);
}

function repeated(block: Block, row: number, column: number): string | undefined {
  const line = block[modulo(row, block.length)] ?? [];
  return line[modulo(column, line.length)];
}

const modulo = (number: number, by: number) => ((number % by) + by) % by;

function change(cells: Cells, area: Area, valueFor: ValueFor): Changed {
  const rows = cells.rows.peek();
  const changes: CellChange[] = [];
  const left = { rows: 0, keys: 0, texts: 0 };
  for (let at = area.top; at <= area.bottom; at++) {
    const item = rows.at(at);
    if (item === undefined) {
      // Of a range as long as the base, the rest is counted and not looked at.
      if (at >= rows.first + rows.length) {
        left.rows += area.bottom - at + 1;
        break;
      }
      left.rows++;
      continue;
    }
    const row = cells.staged.items.peek().get(item.key)?.row ?? item;
    for (const [column, { name, kind }] of cells.columns.slice(area.left, area.right + 1).entries()) {
      const before = valueAt(cells, at, name);
      const json = valueFor(at - area.top, column, before);
      if (json === before) continue;
      if (name === 'key') left.keys++;
      else {
        if (json !== undefined && kindOf(json) === 'string' && kind === 'number') left.texts++;
        changes.push({ row, name, json });
      }
    }
  }
  const itemsLeft = cells.staged.setAll(changes);
  const bottom = Math.max(area.top, area.bottom - left.rows);
  return {
    area: { ...area, bottom },
    changes: changes.length,
    rowsLeft: left.rows,
    itemsLeft,
    keysLeft: left.keys,
    oddTexts: left.texts,
  };
}
