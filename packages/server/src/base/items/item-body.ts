import { readExpiresIn } from '../../http/parameters/expires-in.js';
import { objectOf, typeFault } from '../../http/requests/bodies/members.js';
import type { ElementReader } from '../../json/parse.js';
import type { JsonValue } from '../../json/value.js';
import { freeing, type Steps } from '../../lib/concurrency/time-slices.js';
import { badField, type Problem, RequestError } from '../../request-error.js';
import { scanInsertBody, scanPutBody } from './canonical-items.js';
import { expiring, type Item, readBody, readItem } from './item.js';

/** The maximum number of invalid items that one answer reports. */
const maxMessages = 10;

/**
 * Reads the items of Put Items: 1 to `maxItems`, all valid, no key twice (docs/http.md#put-items). `expires_in` counts
 * from `nowSeconds`. Throws a 400 `RequestError` with a message for each invalid item, up to ten.
 */
export function* readPutBody(body: Buffer, maxItems: number, nowSeconds: number): Steps<readonly Item[]> {
  return (yield* scanPutBody(body, maxItems)) ?? (yield* parsePutBody(body, maxItems, nowSeconds));
}

/** Reads the item of Insert Item (docs/http.md#insert-item) in the same way. Throws a 400 `RequestError`. */
export function* readInsertBody(body: Buffer, nowSeconds: number): Steps<Item> {
  return scanInsertBody(body) ?? (yield* parseInsertBody(body, nowSeconds));
}

export function parsePutBody(body: Buffer, maxItems: number, nowSeconds: number): Steps<readonly Item[]> {
  return freeing(parseItems(body, maxItems, nowSeconds));
}

function* parseItems(body: Buffer, maxItems: number, nowSeconds: number): Steps<readonly Item[]> {
  const reader = new ItemReader(maxItems, body.length);
  const value = objectOf(yield* readBody(body, { elements: reader }));
  const list = value.get('items');
  if (!Array.isArray(list)) throw badField('items', typeFault(list), 'must be a list of items');
  const items = reader.finish();
  const expiresIn = readExpiresIn(value.get('expires_in') ?? undefined);
  if (expiresIn === undefined) return items;
  const kept: Item[] = [];
  for (const [index, item] of items.entries()) {
    kept.push(expiring(item, nowSeconds + expiresIn, `items[${index}]`));
    yield;
  }
  return kept;
}

export function parseInsertBody(body: Buffer, nowSeconds: number): Steps<Item> {
  return freeing(parseItem(body, nowSeconds));
}

function* parseItem(body: Buffer, nowSeconds: number): Steps<Item> {
  const value = objectOf(yield* readBody(body));
  const item = yield* readItem(value.get('item'), 'item', body.length);
  const expiresIn = readExpiresIn(value.get('expires_in') ?? undefined);
  return expiresIn === undefined ? item : expiring(item, nowSeconds + expiresIn, 'item');
}

/** Reads the item of a line of an import that `scanLine` does not accept. Throws a 400 `RequestError`. */
export function* parseLine(line: Buffer): Steps<Item> {
  return yield* freeing(parseLineItem(line));
}

function* parseLineItem(line: Buffer): Steps<Item> {
  const value = yield* readBody(line, {}, (problem) => `line: ${problem}`);
  return yield* readItem(value, 'item', line.length);
}

/**
 * Converts each item to its stored bytes as soon as it is parsed, so that only one parsed item is in memory at a time.
 */
class ItemReader implements ElementReader {
  readonly member = 'items';
  private items: Item[] = [];
  private problems: Problem[] = [];
  private readonly keys = new Map<string, number>();
  private count = 0;

  constructor(
    private readonly maxItems: number,
    private readonly bodyBytes: number,
  ) {}

  begin(): void {
    this.items = [];
    this.problems = [];
    this.keys.clear();
    this.count = 0;
  }

  *take(value: JsonValue): Steps<void> {
    const index = this.count++;
    if (index === this.maxItems) throw this.wrongCount('too_many', 'more');
    if (this.problems.length >= maxMessages) return;
    try {
      const item = yield* readItem(value, `items[${index}]`, this.bodyBytes);
      const before = this.keys.get(item.key);
      if (before !== undefined) {
        throw badField(`items[${index}].key`, 'duplicate', `the same as that of items[${before}]`);
      }
      this.keys.set(item.key, index);
      this.items.push(item);
    } catch (cause) {
      if (!(cause instanceof RequestError)) throw cause;
      this.problems.push(...cause.problems);
    }
  }

  /** Gives the items of the list. Throws a 400 `RequestError` for the rules that the list breaks. */
  finish(): readonly Item[] {
    if (this.count === 0) throw this.wrongCount('empty', '0');
    if (this.problems.length > 0) throw new RequestError(this.problems);
    return this.items;
  }

  private wrongCount(code: 'empty' | 'too_many', count: string): RequestError {
    return badField('items', code, `must hold 1 to ${this.maxItems} items, has ${count}`);
  }
}
