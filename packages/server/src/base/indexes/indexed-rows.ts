import type { Position } from '../query/sort-order.js';
import type { Rows } from './entry-reading.js';

/** The items that a query may match, by an index. */
export interface IndexedRows {
  /** The name of the index. */
  readonly name: string;
  /** The items in any order. */
  rows(): Rows;
  /**
   * The items in the order of the query, from about the position `after` on; `wanted` is how many of them the caller
   * probably needs. Absent if the index does not have this order.
   */
  readonly inOrder?: (after: Position | undefined, wanted: number) => Rows;
}
