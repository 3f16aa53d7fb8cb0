import type { JsonValue } from '../json/value.js';
import { badRequest } from '../request-error.js';
import { fastInsertBody, fastPutBody } from './fast-item.js';
import { type Item, ItemError, parseBody, readItem } from './item.js';
import { maxBodyDepth } from './limits.js';

/** So many broken items are told of at once. */
const maxMessages = 10;

/**
 * The items of Put Items: "1 to 25; all valid or none stored; two with one key → 400". Throws a 400
 * `RequestError` with a message for every broken item.
 */
export function readPutBody(body: Buffer, maxItems: number): readonly Item[] {
  return fastPutBody(body, maxItems) ?? slowPutBody(body, maxItems);
}

/** The item of Insert Item. Throws a 400 `RequestError`. */
export function readInsertBody(body: Buffer): Item {
  return fastInsertBody(body) ?? slowInsertBody(body);
}

export function slowPutBody(body: Buffer, maxItems: number): readonly Item[] {
  const values = memberOf(parseBody(body, maxBodyDepth), 'items');
  if (!Array.isArray(values)) throw badRequest('items: must be a list of items');
  if (values.length < 1 || values.length > maxItems) {
    throw badRequest(`items: must hold 1 to ${maxItems} items, has ${values.length}`);
  }
  const items: Item[] = [];
  const messages: string[] = [];
  const keys = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    try {
      const item = readItem(value, `items[${index}]`);
      const before = keys.get(item.key);
      if (before !== undefined)
        throw new ItemError(`items[${index}].key: the same as that of items[${before}]`);
      keys.set(item.key, index);
      items.push(item);
    } catch (cause) {
      if (!(cause instanceof ItemError)) throw cause;
      messages.push(cause.message);
      if (messages.length === maxMessages) break;
    }
  }
  if (messages.length > 0) throw badRequest(...messages);
  return items;
}

export function slowInsertBody(body: Buffer): Item {
  try {
    return readItem(memberOf(parseBody(body, maxBodyDepth), 'item'), 'item');
  } catch (cause) {
    if (cause instanceof ItemError) throw badRequest(cause.message);
    throw cause;
  }
}

function memberOf(body: JsonValue, name: string): JsonValue | undefined {
  if (!(body instanceof Map)) throw badRequest('body: must be a JSON object');
  return body.get(name);
}
