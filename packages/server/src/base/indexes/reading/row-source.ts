import type { TextRow } from '../../../engines/item-store.js';
import type { Position } from '../../query/sort-order.js';

/** Batches of items. */
export type Rows = AsyncIterable<readonly TextRow[]>;

/** Where a query reads its items. It is chosen once; then the query only iterates it. */
export interface RowSource {
  /** The name of the index that it reads by, if it does. */
  readonly index?: string | undefined;
  /** The number of all matches, if it was wanted and the index alone decides which items match. */
  readonly total?: number | undefined;
  /** All items that may match, in any order. Each call reads the same items anew. */
  rows(): Rows;
  /**
   * The items in the order of the query, from about the position `after` on; `wanted` is how many of them the caller
   * probably needs. It throws `TooManyEntries` before it costs more than reading all items. Absent if the source does
   * not have this order.
   */
  readonly inOrder?: ((after: Position | undefined, wanted: number) => Rows) | undefined;
}
