import type { ScanRange } from '../../engines/item-store.js';
import { stringifyJson } from '../../json/stringify.js';
import { badQuery } from '../../request-error.js';
import type { Condition } from './condition.js';

export function isOnKey(condition: Condition): boolean {
  return condition.segments.length === 1 && condition.segments[0] === 'key';
}

/**
 * The stretch of keys that a query walks. "At most one condition on `key` in an object; when one object has one,
 * every object of the list must have the same one (same operator, same operand)". Throws the 400 of a bad query.
 */
export function keyRangeOf(alternatives: readonly (readonly Condition[])[]): ScanRange {
  const conditions = alternatives.map((conditions) => {
    const onKey = conditions.filter(isOnKey);
    if (onKey.length > 1) throw badQuery('key: at most one condition on the key in an object');
    return onKey[0];
  });
  const first = conditions.find((condition) => condition !== undefined);
  if (first === undefined) return {};
  if (!conditions.every((condition) => isSame(condition, first))) {
    throw badQuery('key: every object of the list must have the same condition on the key');
  }
  return rangeOf(first);
}

function isSame(condition: Condition | undefined, other: Condition): boolean {
  if (condition === undefined || condition.operator !== other.operator) return false;
  return stringifyJson(condition.operand) === stringifyJson(other.operand);
}

function rangeOf({ text, operator, operand }: Condition): ScanRange {
  const ends = Array.isArray(operand) ? operand : [operand, operand];
  const [from, to] = ends;
  if (typeof from !== 'string' || typeof to !== 'string') {
    throw badQuery(`${text}: the operand of a condition on the key must be a string`);
  }
  switch (operator) {
    case 'equal':
    case 'r':
      return { gte: from, lte: to };
    case 'pfx':
      return { prefix: from };
    case 'lt':
      return { lt: from };
    case 'lte':
      return { lte: from };
    case 'gt':
      return { gt: from };
    case 'gte':
      return { gte: from };
    default:
      throw badQuery(`${text}: the operator cannot be used on the key`);
  }
}
