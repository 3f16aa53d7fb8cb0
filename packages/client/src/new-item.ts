import { invalid } from './error.js';
import type { NewItem } from './http-types.js';
import { randomText } from './random-text.js';

/** "A generated key by the client library is a 12-character string." */
const madeKeyLength = 12;

/** An item on its way in. "Non-object values … returned as an item with the attributes `key` and `value`" */
export function newItem(
  data: unknown,
  key: string | null | undefined,
  expires: { __expires?: number },
): NewItem {
  if (data === undefined) throw invalid('Data is undefined');
  if (key === '') throw invalid('Key is empty');
  const object = isObject(data) ? data : { value: data };
  return { ...object, ...(key == null ? {} : { key }), ...expires };
}

/** The item with a key of our making when it has none: so that sending it twice stores it once. */
export function withKey(item: NewItem): NewItem {
  const { key, ...attributes } = item;
  return key === undefined ? { key: randomText(madeKeyLength), ...attributes } : item;
}

/** Plain objects, and those of classes; no lists, dates, maps and the like. */
function isObject(data: unknown): data is Record<string, unknown> {
  return Object.prototype.toString.call(data) === '[object Object]';
}
