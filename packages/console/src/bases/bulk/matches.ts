import { readPage } from '../base-api.js';
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
