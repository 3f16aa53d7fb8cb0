import type { Declaration } from '../indexes/declarations/declarations.js';
import { planQuery } from '../indexes/reading/plan.js';
import { maxIndexFields } from '../limits.js';
import { isLong } from '../pages/long-page.js';
import { type Query, soleObject } from '../query/query-body.js';

/**
 * The fields of an index that would let a query read less than all items of its range, or undefined. First those that
 * must have one value, then the order; without an order, one that has a range of values.
 */
export function helpingIndex(query: Query): readonly string[] | undefined {
  // Indexes serve no other queries.
  if (!isLong(query)) return undefined;
  const { required, conditions, order, count } = query;
  const ranges = soleObject(required).flatMap(({ segments, operator, operand }) =>
    operator.valueRange === undefined ? [] : [{ path: segments.join('.'), ...operator.valueRange(operand) }],
  );
  const points = ranges.filter(({ from, to }) => from !== undefined && from === to).map(({ path }) => path);
  const columns = order?.columns.map(({ path }) => path).filter((path) => path !== 'key');
  const fields = [...new Set([...points, ...(columns ?? ranges.slice(0, 1).map(({ path }) => path))])];
  const index: Declaration = { id: '0', name: '', fields: fields.slice(0, maxIndexFields), state: 'ready' };
  if (index.fields.length === 0) return undefined;
  const plans = planQuery({ required, conditions, order, readsAll: count }, [index]);
  return plans.length === 0 ? undefined : index.fields;
}
