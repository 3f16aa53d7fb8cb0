import { invalid } from './error.js';
import type { NewItem } from './http-types.js';
import type { Expiry } from './item.js';
import { randomText } from './random-text.js';

export const generatedKeyLength = 12;

/** The item that a request stores. Data that is not an object becomes the attribute `value`. */
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
function isObject(data: unknown): data is Record<string, unknown> {
  return Object.prototype.toString.call(data) === '[object Object]';
}

/** When something expires, as a request says it: it has one of the two, or neither. */
export interface RequestExpiry {
  /** Whole seconds since 1970 UTC: an attribute of an item (docs/http.md#expiry). */
  readonly __expires?: number;
  /** Whole seconds from now on, by the clock of the service: a member of the request (docs/http.md#expires_in). */
  readonly expires_in?: number;
}

/** The clock of this machine may be wrong, so only the service makes a time of a number of seconds. */
export function expiryOf({ expireIn, expireAt }: Expiry): RequestExpiry {
  if (expireIn != null && expireAt != null) throw invalid("can't set both expireIn and expireAt options");
  if (expireIn != null) {
    if (!Number.isFinite(expireIn)) throw invalid('option expireIn should have a value of type number');
    return { expires_in: Math.max(0, Math.ceil(expireIn)) };
  }
  if (expireAt == null) return {};
  const seconds = expireAt instanceof Date ? Math.floor(expireAt.getTime() / 1000) : expireAt;
  if (!Number.isFinite(seconds)) throw invalid('option expireAt should have a value of type number or Date');
  return { __expires: seconds };
}
