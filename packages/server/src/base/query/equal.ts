import { compareNumbers } from '../../json/number.js';
import { JsonNumber, type JsonValue } from '../../json/value.js';

/** "equal: deep: same type, same value; object attribute order is ignored, list order is not" */
export function isEqual(a: JsonValue, b: JsonValue): boolean {
  if (a instanceof JsonNumber) return b instanceof JsonNumber && compareNumbers(a, b) === 0;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((element, n) => isEqual(element, b[n]!));
  }
  if (a instanceof Map) {
    if (!(b instanceof Map) || a.size !== b.size) return false;
    for (const [name, member] of a) {
      const other = b.get(name);
      if (other === undefined || !isEqual(member, other)) return false;
    }
    return true;
  }
  return a === b;
}
