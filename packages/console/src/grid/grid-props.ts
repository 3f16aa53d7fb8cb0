import type { ComponentChildren } from 'preact';
import type { Area, CellRange } from './cell-range.js';
import type { Place } from './move.js';

export interface GridColumn {
  /** Stays the same while the column does. */
  readonly id: string;
  readonly width: number;
  readonly sort?: 'ascending' | 'descending' | undefined;
}

/** What a cell shows. It is one element: text in it is cut at the end. */
export interface GridCell {
  readonly content: ComponentChildren;
  /** More classes of the cell. */
  readonly class?: string | undefined;
  readonly title?: string | undefined;
  /** The direction of the text: `rtl` for one that is written from right to left. */
  readonly dir?: 'rtl' | undefined;
}

/** Where a grid is to be: another object leads to its row, which is then the first in view. */
export interface GridPlace {
  readonly row: number;
}

export interface GridProps {
  readonly label: string;
  /** The first column stays in view. */
  readonly columns: readonly GridColumn[];
  /** Rows that are there, or whose place is. */
  readonly rowCount: number;
  /** The number of all rows, if it is known. */
  readonly totalCount?: number | undefined;
  readonly active: Place;
  /** Whether others will come in place of these rows: they are dimmed. */
  readonly isBusy?: boolean;
  /** Instead of columns, each row is one card of this height: for a phone. */
  readonly cardHeight?: number | undefined;
  readonly place?: GridPlace | undefined;
  /** A row that is to be in view: another object leads to it. */
  readonly revealed?: GridPlace | undefined;
  /** Says, when scrolling has ended, which row is the first in view. */
  onPlace?(row: number): void;
  rowId(row: number): string;
  isSelected(row: number): boolean;
  /** Whether any row is selected. */
  readonly hasSelection: boolean;
  /** Whether what the row stands for is open beside the grid. */
  isOpen(row: number): boolean;
  /** What is to be known of a row, whichever columns are in view. It is part of what `rowState` gives. */
  note?(row: number): string | undefined;
  header(column: GridColumn): ComponentChildren;
  /**
   * What the cells of a row are made from. While these values are identical, the row stays as it is drawn: `cell` and
   * `card` are not called again for it.
   */
  rowState(row: number): readonly unknown[];
  cell(row: number, column: GridColumn): GridCell;
  card?(row: number): ComponentChildren;
  onActive(place: Place): void;
  /** Space, a click on the box of a row (with Shift, `isRange`), or a click with Ctrl. Row -1 is the box of all rows. */
  onSelect(row: number, isRange: boolean): void;
  /** An arrow key, or a click, with Shift: the range that ends at the active row goes to another one. */
  onExtend?(from: number, to: number): void;
  /** The selected cells, if they are more than the active one, from which they begin. */
  readonly range?: CellRange | undefined;
  /** Of a grid in which cells are selected: a drag, or an arrow key or a click with Shift, in place of `onExtend`. */
  onRange?(range: CellRange): void;
  /**
   * The handle of the selected cells was dragged: the values of `source` go on over all of `area`, or with Ctrl are
   * repeated.
   */
  onFill?: ((source: Area, area: Area, isRepeated: boolean) => void) | undefined;
  /** Enter, or a double click. */
  onOpen(place: Place): void;
  /** Any other key. */
  onKey?(event: KeyboardEvent, place: Place): void;
  /** The cells are copied, cut, or pasted on: the event has the clipboard, and is done with. */
  onClipboard?(event: ClipboardEvent): void;
  /** The end of the rows that are there comes near: of a list that grows at its end alone. */
  onNearEnd?(): void;
  /** These rows are drawn; `to` is exclusive. It is also called when it is another function: what it belongs to is new. */
  readonly onView?: ((from: number, to: number) => void) | undefined;
  /** A column, by its id, is moved before another one; without one, after the last one. The first one stays. */
  onMove?(id: string, before: string | undefined): void;
  /** A column gets another width, in pixels; `fit` for that of its content. */
  onResize?(column: GridColumn, width: number | 'fit'): void;
}
