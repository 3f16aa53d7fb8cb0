import type { ItemStore, ScanRange } from '../../engines/item-store.js';
import type { Rows } from '../indexes/reading/row-source.js';
import type { Query } from '../query/query-body.js';

/**
 * The rows of a page in the order of the keys: the bounds are the conditions on `key`, and `last` moves one of them
 * (docs/http.md#conditions-on-key).
 */
export function pageRows(items: ItemStore, space: string, query: Query): Rows {
  const { range, last, sort, limit, filter } = query;
  const reverse = sort === 'desc';
  // Without a filter, one row more than the limit is enough to know whether another match follows.
  const hint = limit !== undefined && filter === undefined ? { firstBatch: limit + 1 } : {};
  // Both bounds apply: a `last` outside the range does not widen it.
  const within = last === undefined ? range : narrowed(range, reverse ? 'lt' : 'gt', last);
  return items.scanText(space, { ...within, ...hint, reverse });
}

function narrowed(range: ScanRange, bound: 'gt' | 'lt', last: string): ScanRange {
  const other = range[bound];
  if (other === undefined) return { ...range, [bound]: last };
  const order = Buffer.compare(Buffer.from(last), Buffer.from(other));
  return (bound === 'gt' ? order > 0 : order < 0) ? { ...range, [bound]: last } : range;
}
