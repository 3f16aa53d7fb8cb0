import { JsonError, type JsonRules, readJson } from '../../json/parse.js';
import { stringifyJson } from '../../json/stringify.js';
import type { JsonNumber, JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { badField } from '../../request-error.js';
import { maxGroupPaths, maxItemBytes, maxOrderPaths } from '../limits.js';
import {
  type Position,
  plainValue,
  rank,
  type SortOrder,
  type SortValue,
  sortValueOf,
} from './sort-order.js';

/**
 * Writes the `paging.last` of an ordered query (docs/http.md#ordered-queries): the position of the last item. It
 * contains the values that the item is ordered by, so the next page begins there even if the item has been changed or
 * deleted. The text is base64url of `[fingerprint of the order, key, [values]]`. Each value is a list of one element,
 * or an empty list if the value is missing.
 */
export function writeCursor(order: Pick<SortOrder, 'fingerprint'>, { key, values }: Position): string {
  const json = stringifyJson([order.fingerprint, key, values.map(written)]);
  return Buffer.from(json).toString('base64url');
}

function written(value: SortValue): JsonValue[] {
  switch (value.rank) {
    case rank.missing:
      return [];
    case rank.false:
      return [false];
    case rank.true:
      return [true];
    case rank.null:
      return [null];
    case rank.list:
      return [[]];
    case rank.object:
      return [new Map()];
    default:
      return [(value.number ?? value.text) as JsonNumber | string];
  }
}

const rules: JsonRules = {
  maxDepth: 4,
  // Groups are ordered by results and by their own values.
  maxValues: 4 + 2 * (maxOrderPaths + maxGroupPaths),
  // A string of an item, or its key, including escapes.
  maxStringCharacters: maxItemBytes,
  numbers: 'exact',
};

/** Reads the position from a `last`. Throws a 400 `RequestError` if the `last` does not belong to this order. */
export function* readCursor(order: Pick<SortOrder, 'fingerprint' | 'paths'>, last: string): Steps<Position> {
  const parsed = yield* parse(last);
  if (!Array.isArray(parsed) || parsed.length !== 3) throw notOfThisOrder();
  const [fingerprint, key, values] = parsed;
  if (fingerprint !== order.fingerprint || typeof key !== 'string' || !Array.isArray(values)) {
    throw notOfThisOrder();
  }
  if (values.length !== order.paths.length) throw notOfThisOrder();
  return { key, values: values.map(read) };
}

function* parse(last: string): Steps<JsonValue> {
  try {
    return yield* readJson(Buffer.from(last, 'base64url'), rules);
  } catch (cause) {
    if (cause instanceof JsonError) throw notOfThisOrder();
    throw cause;
  }
}

function read(value: JsonValue): SortValue {
  if (!Array.isArray(value) || value.length > 1) throw notOfThisOrder();
  const [one] = value;
  return one === undefined ? plainValue(rank.missing) : sortValueOf(one);
}

function notOfThisOrder(): Error {
  return badField('last', 'invalid_value', 'must be the paging.last of a page of the same order');
}
