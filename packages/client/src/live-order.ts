import type { FileOrder } from './drive.js';
import type { FileDetails } from './http-types.js';
import type { Item } from './item.js';

/** Orders as the service has them (docs/http.md#ordered-queries); 0: only the service knows which comes first. */
type Compare<I> = (a: I, b: I) => number;

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

/** The order of files (docs/http.md#ordered-lists). The service orders by the millisecond, and tells the second. */
export function fileOrder(order: FileOrder | `-${FileOrder}`): Compare<FileDetails> {
  const direction = order.startsWith('-') ? -1 : 1;
  const by = order.replace('-', '') as FileOrder;
  return (a, b) => {
    const [one, other] = [a[by] ?? '', b[by] ?? ''];
    const difference = typeof one === 'string' ? compareText(one, String(other)) : compare(one, other);
    if (difference !== 0) return direction * difference;
    return by === 'modified' ? 0 : compareText(a.name, b.name);
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

function compare(a: unknown, b: unknown): number {
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
}

/** The order of UTF-8 bytes. JavaScript's own differs beyond U+FFFF. */
function compareText(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at === a.length || at === b.length ? a.length - b.length : rank(a, at) - rank(b, at);
}

function rank(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
