import { stringifyJson } from '../../json/stringify.js';
import type { JsonValue } from '../../json/value.js';
import { compareUtf8 } from '../../lib/text/utf8-order.js';
import {
  compareValues,
  fingerprintOf,
  type Position,
  plainValue,
  rank,
  type SortOrder,
  type SortValue,
  valueAt,
} from '../query/sort-order.js';
import type { AccumulatorResult } from './accumulators.js';
import { valueId } from './canonical-value.js';
import type { Group } from './groups.js';

/** A result of each group, or one of its values, upwards or downwards (-1). */
export interface OrderColumn {
  readonly of: 'result' | 'value';
  /** The number of the aggregate, or of the value. */
  readonly index: number;
  readonly direction: number;
}

/** The order of groups. What `paging.last` says is a position in it, as in ordered queries. */
export interface GroupOrder extends Pick<SortOrder, 'fingerprint' | 'paths' | 'compare'> {
  positionOf(group: Group, results: readonly AccumulatorResult[]): Position;
}

/** Makes the order by these columns. `asked` is what the request says of groups: a `last` belongs to the same. */
export function createGroupOrder(
  columns: readonly OrderColumn[],
  asked: readonly (JsonValue | undefined)[],
): GroupOrder {
  return {
    paths: columns.map(({ of, index }) => `${of} ${index}`),
    get fingerprint() {
      return fingerprintOf(asked.map((one) => stringifyJson(one ?? null)));
    },

    positionOf({ id, values }, results) {
      const columnValue = ({ of, index }: OrderColumn) =>
        valueOfJson(of === 'result' ? results[index]?.json : values[index]);
      return { key: valueId(id), values: columns.map(columnValue) };
    },

    compare(a, b) {
      for (const [n, { direction }] of columns.entries()) {
        const order = compareValues(a.values[n] as SortValue, b.values[n] as SortValue, direction);
        if (order !== 0) return order;
      }
      return compareUtf8(a.key, b.key);
    },
  };
}

/** Where there is no value, the group comes last in either direction. */
function valueOfJson(json: string | null | undefined): SortValue {
  return json ? valueAt(json, 0) : plainValue(rank.missing);
}
