import { readPage } from '../base-api.js';
import { betweenKeys } from '../query/key-range.js';
import { everything } from '../query/model.js';
import type { Row } from '../view/row.js';

/** Items that are kept in memory, so that what is done with them can be taken back. Beyond, it cannot. */
export const maxUndo = 5000;

interface WalkOptions {
  /** Only the keys are read. */
  readonly isKeysOnly?: boolean;
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/** All items that match a query, in the order of their keys, page by page. */
export async function* walkMatches(
  base: string,
  query: string,
  { isKeysOnly = false, limit, signal }: WalkOptions,
): AsyncGenerator<readonly Row[]> {
  let last: string | undefined;
  do {
    const request = { query, order: [], isDescending: false, limit, last, isKeysOnly };
    const page = await readPage(base, request, signal);
    if (page.rows.length > 0) yield page.rows;
    last = page.last;
  } while (last !== undefined);
}

/** The items that match a query, as long as they are few enough to be taken back. */
export async function readMatches(base: string, query: string, signal: AbortSignal): Promise<readonly Row[]> {
  const found: Row[] = [];
  for await (const rows of walkMatches(base, query, { limit: 1000, signal })) {
    found.push(...rows);
    if (found.length >= maxUndo) break;
  }
  return found.slice(0, maxUndo);
}

/** Keys that are read for a comparison at most. */
const maxKeys = 100_000;

/** The keys of a base; undefined if they are too many to be read for a comparison. */
export async function storedKeys(
  base: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const keys = new Set<string>();
  for await (const rows of walkMatches(base, everything, { isKeysOnly: true, limit: 5000, signal })) {
    for (const { key } of rows) keys.add(key);
    if (keys.size > maxKeys) return undefined;
  }
  return keys;
}

/** Queries for the matches of a query part by part, in the order of their keys: each matches `limit` of those that are there. */
export async function* partsOf(base: string, query: string, limit: number): AsyncGenerator<string> {
  for await (const rows of walkMatches(base, query, { isKeysOnly: true, limit })) {
    const [first, last] = [rows[0], rows.at(-1)];
    if (first !== undefined && last !== undefined) yield betweenKeys(query, first.key, last.key);
  }
}
