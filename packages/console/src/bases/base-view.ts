import type { Signal } from '@preact/signals';
import type { Selection } from '../grid/selection.js';
import type { UpdateTarget } from './bulk/update/update-dialog.js';
import type { UpdateResult } from './bulk/update/update-items.js';
import type { Columns } from './columns.js';
import type { Staged } from './edit/staged.js';
import type { Listing } from './listing/listing.js';
import type { ListingRequest } from './listing/request.js';

/** What the screen of a base shows, for what is done with it. */
export interface BaseView {
  readonly base: string;
  readonly request: ListingRequest;
  readonly listing: Listing;
  /** The listing that is shown at the time of the call, for work that ends later: another query may be shown by then. */
  shown(): Listing;
  /** The attributes of the items; also the hidden columns. */
  readonly columns: Columns;
  readonly selection: Selection;
  readonly staged: Staged;
  /** The dialog that is open. */
  readonly dialog: Signal<BaseDialog | undefined>;
  /** The text that a new item begins with, while one is written. */
  readonly newText: Signal<string | undefined>;
  readonly isSaving: Signal<boolean>;
  /** A text that the query bar is to search. */
  readonly search: Signal<string | undefined>;
  /** Reads everything again. */
  readAgain(): void;
}

export type BaseDialog =
  | 'review'
  | 'query'
  | 'import'
  | 'keys'
  | { readonly update: UpdateTarget }
  | { readonly outcome: UpdateResult };
