import type { GridSize, Place } from './move.js';

/** The cells between two of them, with both. The anchor is the active cell; the head moves. */
export interface CellRange {
  readonly anchor: Place;
  readonly head: Place;
}

/** A rectangle of cells, with its edges. */
export interface Area {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

export function areaOf({ anchor, head }: CellRange): Area {
  return {
    top: Math.max(0, Math.min(anchor.row, head.row)),
    left: Math.min(anchor.column, head.column),
    bottom: Math.max(anchor.row, head.row),
    right: Math.max(anchor.column, head.column),
  };
}

/** The area of one cell. */
export function areaAt({ row, column }: Place): Area {
  return { top: row, left: column, bottom: row, right: column };
}

export function rowsOf({ top, bottom }: Area): number {
  return bottom - top + 1;
}

export function columnsOf({ left, right }: Area): number {
  return right - left + 1;
}

export function isOneCell(area: Area): boolean {
  return rowsOf(area) === 1 && columnsOf(area) === 1;
}

/** A range without what lies beyond the grid: rows may have gone, and columns may be hidden. */
export function clampRange(
  { anchor, head }: CellRange,
  { rows, columns }: Omit<GridSize, 'page'>,
): CellRange {
  const clamp = ({ row, column }: Place) => ({
    row: Math.max(0, Math.min(rows - 1, row)),
    column: Math.max(0, Math.min(columns - 1, column)),
  });
  return { anchor: clamp(anchor), head: clamp(head) };
}

/** The area that is filled when the handle of a source is dragged to a cell: further down, up, right or left. */
export function fillArea(source: Area, { row, column }: Place): Area {
  const down = Math.max(0, row - source.bottom);
  const up = Math.max(0, source.top - row);
  const right = Math.max(0, column - source.right);
  const left = Math.max(0, source.left - column);
  if (Math.max(down, up) >= Math.max(right, left))
    return { ...source, top: source.top - up, bottom: source.bottom + down };
  return { ...source, left: source.left - left, right: source.right + right };
}

/** What a row shows of an area; undefined if it has no part in it. The row is drawn again when it becomes another text. */
export function areaInRow(area: Area | undefined, row: number): string | undefined {
  if (area === undefined || row < area.top || row > area.bottom) return undefined;
  return `${area.left} ${area.right} ${row === area.top} ${row === area.bottom}`;
}

/** The classes of a cell of an area: where its edges are. None outside it. */
export function areaClasses(
  area: Area | undefined,
  { row, column }: Place,
  name: string,
): string | undefined {
  if (area === undefined || row < area.top || row > area.bottom) return undefined;
  if (column < area.left || column > area.right) return undefined;
  return [
    name,
    row === area.top && `${name}-top`,
    row === area.bottom && `${name}-bottom`,
    column === area.left && `${name}-left`,
    column === area.right && `${name}-right`,
  ]
    .filter(Boolean)
    .join(' ');
}
