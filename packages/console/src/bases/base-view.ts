import type { Signal } from '@preact/signals';
import type { CellRange } from '../grid/cell-range.js';
import type { Selection } from '../grid/selection.js';
import type { TableTarget } from './bulk/csv/export-dialog.js';
import type { UpdateResult } from './bulk/update/update-items.js';
import type { Cells } from './cells/cells.js';
import type { Staged } from './edit/staged.js';
import type { Listing } from './listing/listing.js';
import type { ListingRequest } from './listing/request.js';
import type { Columns } from './view/columns.js';
import type { Row } from './view/row.js';

/** What the screen of a base shows, for what is done with it. */
export interface BaseView {
  readonly base: string;
  readonly request: ListingRequest;
  readonly listing: Listing;
  /** The listing that is shown at the time of the call, for work that ends later: another query may be shown by then. */
  shown(): Listing;
  /** Whether the rows are those of the request before: what is asked for is still read. */
  readonly isWaiting: boolean;
  /** The query, order and first key of the rows that are shown, as the address has them. */
  readonly shownParameters: ShownParameters;
  /** The attributes of the items; also the hidden columns. */
  readonly columns: Columns;
  /** The cells of the items, in the columns that are not hidden. */
  readonly cells: Cells;
  readonly selection: Selection;
  /** The selected cells, if they are more than the active one. */
  readonly range: Signal<CellRange | undefined>;
  readonly staged: Staged;
  /** The dialog that is open. */
  readonly dialog: Signal<BaseDialog | undefined>;
  open(dialog: BaseDialog): void;
  /** The new item, while one is written. */
  readonly newItem: Signal<NewItemStart | undefined>;
  readonly isSaving: Signal<boolean>;
  /** A text that the query bar is to search. */
  readonly search: Signal<string | undefined>;
  /** Reads everything again. */
  readAgain(): void;
  /** Whether the screen is there at the time of the call: somebody may have gone elsewhere while work went on. */
  isShown(): boolean;
}

/** What the address says about the rows. An empty text is the default. */
export type ShownParameters = Readonly<Record<'query' | 'order' | 'from', string>>;

/** How a new item begins. */
export interface NewItemStart {
  readonly text: string;
  /** The key under which its text is kept: `newItemKey`. */
  readonly draftKey: string;
}

/** The items that are to be changed: all that match a query, or some that were selected. */
export type UpdateTarget =
  | { readonly query: string }
  | { readonly count: number; read(signal: AbortSignal): Promise<readonly Row[]> };

export type BaseDialog =
  | 'review'
  | 'query'
  | 'import'
  | 'keys'
  | 'profile'
  | 'history'
  | 'columns'
  | 'filters'
  | { readonly update: UpdateTarget }
  /** The attributes that a new index begins with. */
  | { readonly indexes: string }
  /** What is exported as a table. */
  | { readonly table: TableTarget }
  | { readonly outcome: UpdateResult };
