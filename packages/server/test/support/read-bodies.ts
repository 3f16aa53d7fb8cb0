import { readCountBody } from '../../src/base/by-query/by-query-body.js';
import type { Item } from '../../src/base/items/item.js';
import { readInsertBody, readPutBody } from '../../src/base/items/item-body.js';
import { type Criteria, type Query, readQueryBody } from '../../src/base/query/query-body.js';
import { readTransactionBody } from '../../src/base/transactions/transaction-body.js';
import type { TransactionOperation } from '../../src/base/transactions/transaction-operation.js';
import { applyUpdate } from '../../src/base/updates/update.js';
import { readUpdateBody, type Update } from '../../src/base/updates/update-body.js';
import type { RereadableBody } from '../../src/http/requests/bodies/rereadable-body.js';
import { type JsonRules, parseJson } from '../../src/json/parse.js';
import type { JsonValue } from '../../src/json/value.js';
import { runAtOnce } from '../../src/lib/concurrency/time-slices.js';

/** The readers of bodies, without the pauses that a server makes for others. It is 1970. */
const nowSeconds = 0;

export function readPut(body: Buffer | string, maxItems = 25): readonly Item[] {
  return runAtOnce(readPutBody(Buffer.from(body as string), maxItems, nowSeconds));
}

export function readInsert(body: Buffer | string): Item {
  return runAtOnce(readInsertBody(Buffer.from(body as string), nowSeconds));
}

export function readUpdate(body: Buffer | string, key = 'k'): Update {
  return runAtOnce(readUpdateBody(Buffer.from(body as string), nowSeconds, key));
}

export function readTransaction(body: Buffer | string): readonly TransactionOperation[] {
  return runAtOnce(readTransactionBody(Buffer.from(body as string), nowSeconds));
}

export function readQuery(body: Buffer | string): Query {
  return runAtOnce(readQueryBody(Buffer.from(body as string)));
}

/** A query as a request asks it. */
export function askQuery(body: Buffer | string): RereadableBody<Query> {
  return bodyWith(readQuery(body));
}

/** A count as a request asks it. */
export function askCount(body: string): RereadableBody<Criteria> {
  return bodyWith(runAtOnce(readCountBody(Buffer.from(body))));
}

/** What a request asks for, and what is not forgotten while it waits. */
export function bodyWith<T>(value: T): RereadableBody<T> {
  return { read: () => value, release: () => {} };
}

/** The stored text after an update. */
export function updatedItem(stored: string, body: Buffer | string): string {
  return runAtOnce(applyUpdate(Buffer.from(stored), readUpdate(body))).json.toString();
}

/** Both ways to evaluate a query must agree. */
export function matchesItem(item: string, { filter }: Query): boolean {
  if (filter === undefined) return true;
  const matches = filter.matches(item);
  if (runAtOnce(filter.matchesInSteps(item)) !== matches) throw new Error(`The two ways differ for ${item}`);
  return matches;
}

/** JSON with no other limits than that of nesting. */
export function parseDeep(text: string | Buffer, maxDepth = 100): JsonValue {
  const unlimited = Number.POSITIVE_INFINITY;
  const rules: JsonRules = {
    maxDepth,
    maxValues: unlimited,
    maxStringCharacters: unlimited,
    numbers: 'exact',
  };
  return parseJson(Buffer.from(text as string), rules);
}
