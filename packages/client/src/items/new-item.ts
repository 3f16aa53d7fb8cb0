import { invalid } from '../http/error.js';
import type { NewItem } from '../http-types.js';
import { randomText } from '../lib/random-text.js';
import type { RequestExpiry } from './expiry.js';

export const generatedKeyLength = 12;

/**
 * The item that a request stores. Data that is not an object becomes the attribute `value`. Throws code `invalid` if there is
 * no data, and for an empty key.
 */
export function newItem(
  data: unknown,
  key: string | null | undefined,
  { expires_in: _, ...attribute }: RequestExpiry,
): NewItem {
  if (data === undefined) throw invalid('Data is undefined');
  if (key === '') throw invalid('Key is empty');
  const object = isObject(data) ? data : { value: data };
  return { ...object, ...(key == null ? {} : { key }), ...attribute };
}

/** Gives the item, with a generated key if it has none, so that a repeated request does not store it twice. */
export function withKey(item: NewItem): NewItem {
  const { key, ...attributes } = item;
  return key === undefined ? { key: randomText(generatedKeyLength), ...attributes } : item;
}

/** Whether the data is a plain object or an instance of a class, but not a list, a date, a map or the like. */
export function isObject(data: unknown): data is Record<string, unknown> {
  return Object.prototype.toString.call(data) === '[object Object]';
}
