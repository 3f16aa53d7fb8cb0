import { statusOf } from '../api/errors.js';
import { type RequestOptions, requestText, send } from '../api/request.js';
import { readAttribute, readElements } from '../exact/scan.js';
import type { Order } from './order.js';
import { type Row, readRow } from './view/row.js';

// The calls of a base whose answers or bodies must keep their text. The client library would parse them.

export interface Page {
  readonly rows: readonly Row[];
  /** Where the next page begins; undefined after the last item. */
  readonly last: string | undefined;
}

export interface PageRequest extends Order {
  /** The query as JSON text. */
  readonly query: string;
  readonly limit: number;
  readonly last?: string | undefined;
  /** Matches that are skipped before a first page (docs/http.md#offset-and-total). */
  readonly offset?: number;
  /** Only the keys are read, not the other attributes. */
  readonly isKeysOnly?: boolean;
}

const pathOf = (base: string, rest: string) => `/${encodeURIComponent(base)}${rest}`;
const itemPath = (base: string, key: string) => pathOf(base, `/items/${encodeURIComponent(key)}`);

/** A page of Query Items: docs/http.md#query-items */
export async function readPage(base: string, request: PageRequest, signal?: AbortSignal): Promise<Page> {
  const { query, order, isDescending, limit, last, offset = 0, isKeysOnly = false } = request;
  const members = [
    `"query":${query}`,
    `"limit":${limit}`,
    ...(isDescending ? ['"sort":"desc"'] : []),
    ...(order.length === 0 ? [] : [`"order":${JSON.stringify(order)}`]),
    ...(last === undefined ? [] : [`"last":${JSON.stringify(last)}`]),
    ...(offset === 0 ? [] : [`"offset":${offset}`]),
    ...(isKeysOnly ? ['"select":[]'] : []),
  ];
  const answer = await requestText('POST', pathOf(base, '/query'), {
    body: `{${members.join(',')}}`,
    signal,
  });
  const next = readAttribute(readAttribute(answer, 'paging') ?? '{}', 'last');
  return {
    rows: readElements(readAttribute(answer, 'items') ?? '[]').map(readRow),
    last: next === undefined ? undefined : (JSON.parse(next) as string),
  };
}

/** How many items match a query: docs/http.md#count-items */
export async function countMatches(base: string, query: string, signal?: AbortSignal): Promise<number> {
  const options: RequestOptions = { body: `{"query":${query}}`, signal };
  return Number(readAttribute(await requestText('POST', pathOf(base, '/query/count'), options), 'count'));
}

/** An item, or undefined if there is none. */
export async function readItem(base: string, key: string, signal?: AbortSignal): Promise<Row | undefined> {
  try {
    return readRow(await requestText('GET', itemPath(base, key), { signal }));
  } catch (cause) {
    if (statusOf(cause) === 404) return undefined;
    throw cause;
  }
}

/** Stores an item whose key must be new; a missing key is generated. Gives it as it was stored. */
export async function insertItem(base: string, item: string): Promise<Row> {
  return readRow(await requestText('POST', pathOf(base, '/items'), { body: `{"item":${item}}` }));
}

/** The limit of a transaction (docs/http.md#transactions). */
export const maxOperations = 100;

/** Does the operations of all of this work, given as JSON texts, all or none: docs/http.md#transactions */
export async function transact(
  base: string,
  work: readonly { readonly operations: readonly string[] }[],
): Promise<void> {
  const operations = work.flatMap((one) => one.operations).join(',');
  await requestText('POST', pathOf(base, '/transactions'), { body: `{"operations":[${operations}]}` });
}

/**
 * Deletes all items that match a query, or only counts them: docs/http.md#delete-by-query. Gives their number.
 */
export async function deleteMatches(
  base: string,
  query: string,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<number> {
  const body = `{"query":${query},"all":true,"dry_run":${isDryRun}}`;
  const answer = await requestText('POST', pathOf(base, '/query/delete'), { body });
  return Number(readAttribute(answer, isDryRun ? 'matched' : 'deleted'));
}

/** What an update by query did: docs/http.md#update-by-query */
export interface Updated {
  readonly updated: number;
  /** The first items that were left as they are. */
  readonly failed: readonly Refused[];
  readonly failedCount: number;
}

/** An item that was left as it is, and why. */
export interface Refused {
  readonly key: string;
  readonly errors: readonly string[];
}

/** Changes all items that match a query. `members` is the JSON text of the operations, without braces. */
export async function updateMatches(base: string, query: string, members: string): Promise<Updated> {
  const body = `{"query":${query},"all":true,${members}}`;
  const answer = JSON.parse(await requestText('POST', pathOf(base, '/query/update'), { body })) as {
    updated: number;
    failed?: Refused[];
    failed_count?: number;
  };
  return { updated: answer.updated, failed: answer.failed ?? [], failedCount: answer.failed_count ?? 0 };
}

/** All items of a base as lines: docs/http.md#export-items */
export function exportBase(base: string, signal: AbortSignal): Promise<Response> {
  return send('GET', pathOf(base, '/items'), { signal });
}
