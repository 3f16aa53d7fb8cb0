/** A cell of a grid. Row -1 is the row of the headers. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

export interface GridSize {
  readonly rows: number;
  readonly columns: number;
  /** Rows that fit in the view. */
  readonly page: number;
}

/** Where a key leads from a cell, as the ARIA practices for grids say; undefined for another key. */
export function moveBy(event: KeyboardEvent, { row, column }: Place, size: GridSize): Place | undefined {
  const toEdge = event.ctrlKey || event.metaKey;
  const last = { row: size.rows - 1, column: size.columns - 1 };
  const moves: Readonly<Record<string, Place>> = {
    ArrowDown: { row: toEdge ? last.row : row + 1, column },
    ArrowUp: { row: toEdge ? 0 : row - 1, column },
    ArrowRight: { row, column: toEdge ? last.column : column + 1 },
    ArrowLeft: { row, column: toEdge ? 0 : column - 1 },
    Home: { row: toEdge ? 0 : row, column: 0 },
    End: { row: toEdge ? last.row : row, column: last.column },
    PageDown: { row: row + size.page, column },
    PageUp: { row: Math.max(0, row - size.page), column },
  };
  const to = moves[event.key];
  if (to === undefined) return undefined;
  return {
    row: Math.max(-1, Math.min(last.row, to.row)),
    column: Math.max(0, Math.min(last.column, to.column)),
  };
}
