import type { ScanRange } from '../../engines/item-store.js';
import { compareUtf8 } from '../../lib/text/utf8-order.js';
import { badQuery } from '../../request-error.js';
import type { Condition } from './condition.js';
import type { Operator } from './operators.js';

export function isOnKey(condition: Condition): boolean {
  return condition.segments.length === 1 && condition.segments[0] === 'key';
}

interface KeyCondition {
  readonly operator: Operator;
  readonly from: string;
  readonly to: string;
  readonly range: ScanRange;
}

/**
 * Gives the range of keys that a query reads (docs/http.md#conditions-on-key). An object may have at most one condition
 * on `key`, and every object of the list must have the same one. Throws the 400 `RequestError` of a bad query.
 */
export function keyRangeOf(objects: readonly (readonly Condition[])[]): ScanRange {
  const conditions = objects.map((conditions) => {
    const onKey = conditions.filter(isOnKey);
    if (onKey.length > 1) throw badQuery('key', 'too_many', 'at most one condition on the key in an object');
    return onKey[0] === undefined ? undefined : keyConditionOf(onKey[0]);
  });
  const first = conditions.find((condition) => condition !== undefined);
  if (first === undefined) return {};
  const isSame = (condition: KeyCondition | undefined) =>
    condition?.operator === first.operator && condition.from === first.from && condition.to === first.to;
  const rule = 'every object of the list must have the same condition on the key';
  if (!conditions.every(isSame)) throw badQuery('key', 'contradiction', rule);
  return first.range;
}

function keyConditionOf({ text, operator, operand }: Condition): KeyCondition {
  const [from, to] = Array.isArray(operand) ? operand : [operand, operand];
  if (operator.keyRange === undefined)
    throw badQuery(text, 'not_allowed', 'the operator cannot be used on the key');
  if (typeof from !== 'string' || typeof to !== 'string') {
    throw badQuery(text, 'wrong_type', 'the operand of a condition on the key must be a string');
  }
  return { operator, from, to, range: operator.keyRange(from, to) };
}

/** Whether a key is in the range that a query reads. */
export function keyInRange({ prefix = '', gte, gt, lte, lt }: ScanRange, key: string): boolean {
  return (
    key.startsWith(prefix) &&
    (gte === undefined || compareUtf8(key, gte) >= 0) &&
    (gt === undefined || compareUtf8(key, gt) > 0) &&
    (lte === undefined || compareUtf8(key, lte) <= 0) &&
    (lt === undefined || compareUtf8(key, lt) < 0)
  );
}
