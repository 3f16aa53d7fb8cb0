import type { TextRow } from '../../engines/item-store.js';
import type { Position } from '../query/sort-order.js';
import type { Rows } from './entry-reading.js';

/** The items that a query may match, by an index. All that is read of them is from one moment. */
export interface IndexedRows {
  /** The name of the index. */
  readonly name: string;
  /** The number of all matches, if it was wanted and the index alone decides which items match. */
  readonly total: number | undefined;
  /** The items in any order. Absent if reading all items of the base costs less. */
  readonly rows?: (() => Rows) | undefined;
  /**
   * The items in the order of the query, from about the position `after` on; `wanted` is how many of them the caller
   * probably needs. It throws `TooManyEntries` before it costs more than reading all items. Absent if the index does not
   * have this order.
   */
  readonly inOrder?: ((after: Position | undefined, wanted: number) => Rows) | undefined;
  /** All items of the base. */
  all(): AsyncIterable<readonly TextRow[]>;
}
