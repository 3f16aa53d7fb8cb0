import { listOfOpaque, opaqueText } from '../../lib/text/opaque-list.js';
import { compareUtf8 } from '../../lib/text/utf8-order.js';
import { badField } from '../../request-error.js';
import type { FileRow } from '../rows.js';
import type { Entry } from './entries.js';

/** How List Files orders what it lists (docs/http.md#ordered-lists). */

const values = {
  name: () => '',
  size: ({ sizeBytes }: FileRow) => sizeBytes,
  modified: ({ modifiedMs }: FileRow) => modifiedMs,
  content_type: ({ contentType }: FileRow) => contentType,
} as const;

type OrderedBy = keyof typeof values;
export type OrderName = OrderedBy | `-${OrderedBy}`;
const members = Object.keys(values) as OrderedBy[];
export const orderNames: readonly OrderName[] = [...members, ...members.map((name) => `-${name}` as const)];

/** Where an entry is in an order. A directory has no value. */
export interface Position {
  readonly name: string;
  readonly value: string | number | null;
}

export interface ListOrder {
  readonly name: OrderName;
  /** Whether it is the order of the names, in which entries are stored. */
  readonly isByName: boolean;
  readonly isDescending: boolean;
  positionOf(entry: Entry): Position;
  /** Negative if `a` comes before `b`. Directories come first, and what is equal is in the order of the names. */
  compare(a: Position, b: Position): number;
}

export function listOrder(name: OrderName): ListOrder {
  const isDescending = name.startsWith('-');
  const by = (isDescending ? name.slice(1) : name) as OrderedBy;
  const read = values[by];
  const sign = isDescending ? -1 : 1;
  const isByName = by === 'name';
  return {
    name,
    isByName,
    isDescending,
    positionOf: ({ name, row }) => ({
      name,
      value: row === undefined || isByName ? null : read(JSON.parse(row) as FileRow),
    }),
    compare(a, b) {
      if (a.value !== b.value) {
        if (a.value === null || b.value === null) return a.value === null ? -1 : 1;
        return (
          sign *
          (typeof a.value === 'string' ? compareUtf8(a.value, String(b.value)) : a.value - Number(b.value))
        );
      }
      return (isByName ? sign : 1) * compareUtf8(a.name, b.name);
    },
  };
}

/** The `paging.last` of a page in an order: where its last entry was, whatever becomes of that file. */
export function writePosition({ name: order }: ListOrder, { name, value }: Position): string {
  return opaqueText([order, name, value]);
}

/** Reads a `last`. Throws a 400 `RequestError` if it is of another order. */
export function readPosition(order: ListOrder, last: string): Position {
  const parts = listOfOpaque(last);
  const [of, name, value] = parts.length === 3 ? parts : [];
  const isText = ['content_type', '-content_type'].includes(order.name);
  const isValue = value === null || (!order.isByName && typeof value === (isText ? 'string' : 'number'));
  if (of === order.name && typeof name === 'string' && name.isWellFormed() && isValue)
    return { name, value: value as Position['value'] };
  throw badField('last', 'invalid_value', 'must be the paging.last of a page of the same order');
}
