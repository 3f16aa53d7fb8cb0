import type { Compare } from '../feed/live.js';
import type { Item } from '../items/item.js';
import { compare, compareText } from '../lib/compare.js';

const types = ['false', 'true', 'number', 'string', 'list', 'object', 'null', 'undefined'];

/** The order of items by `order`, what is equal by its key. */
export function itemOrder(order: readonly string[], isDescending: boolean): Compare<Item> {
  const columns = order.map((path) => {
    const isDown = path.startsWith('-');
    return { names: (isDown ? path.slice(1) : path).split('.'), direction: isDown ? -1 : 1 };
  });
  return (a, b) => {
    for (const { names, direction } of columns) {
      const [one, other] = [valueAt(a, names), valueAt(b, names)];
      const [type, otherType] = [typeOf(one), typeOf(other)];
      if (type !== otherType) {
        const isMissing = one === undefined || other === undefined;
        return (isMissing ? 1 : direction) * (types.indexOf(type) - types.indexOf(otherType));
      }
      const difference =
        type === 'string' ? compareText(one as string, other as string) : compare(one, other);
      if (difference !== 0 && ['number', 'string'].includes(type)) return direction * difference;
      // Here, numbers with more digits may have become equal.
      if (type === 'number' && Number.isInteger(one) && !Number.isSafeInteger(one)) return 0;
    }
    return (isDescending ? -1 : 1) * compareText(a.key, b.key);
  };
}

function typeOf(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'list';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

function valueAt(item: object, names: readonly string[]): unknown {
  let value: unknown = item;
  for (const name of names) {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    value = isThere ? (value as { readonly [name: string]: unknown })[name] : undefined;
  }
  return value;
}
