import type { Place } from './move.js';

/** The id of the active cell in the document. */
export function cellId(grid: string, { row, column }: Place): string {
  return `${grid}:${row}:${column}`;
}

/** The place of the cell that an event happened in; undefined outside the cells. */
export function placeOf(event: Event): Place | undefined {
  return placeOfElement(event.target instanceof Element ? event.target : null);
}

/** The place of the cell that an element is in; undefined outside the cells. */
export function placeOfElement(element: Element | null): Place | undefined {
  const cell = element?.closest('.cell, .card') ?? null;
  const row = rowOf(cell);
  // The first column for ARIA is that of the boxes.
  const column = Number(cell?.ariaColIndex) - 2;
  return row === undefined || column < 0 ? undefined : { row, column };
}

/** The row of the box that an event happened in. */
export function boxOf(event: Event): number | undefined {
  const { target } = event;
  return target instanceof HTMLInputElement && target.type === 'checkbox' ? rowOf(target) : undefined;
}

function rowOf(element: Element | null): number | undefined {
  const row = element?.closest<HTMLElement>('[role=row]')?.dataset.row;
  return row === undefined ? undefined : Number(row);
}
