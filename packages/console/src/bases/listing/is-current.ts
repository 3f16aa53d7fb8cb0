import { isAborted, statusOf } from '../../api/errors.js';
import { mayWrite } from '../../api/own-key.js';
import { countMatches, maxOperations, transact } from '../base-api.js';
import { checkWhole } from '../edit/item-text.js';
import type { Row } from '../view/row.js';
import type { ListReader } from './reader.js';
import type { ListingRequest } from './request.js';
import type { Rows } from './rows.js';

interface Shown {
  readonly request: ListingRequest;
  readonly reader: ListReader;
  readonly rows: Rows;
  /** The rows in view. */
  readonly view: { readonly from: number; readonly to: number };
  readonly total: number | undefined;
  /** The keys of rows that were changed here, and stay although they do not match any more. */
  readonly unmatched: ReadonlySet<string>;
}

/** Matches that are counted for a comparison at most: it must cost the service little. */
const maxCounted = 10_000;

/**
 * Whether the rows in view are as they are stored, and few matches are as many. It costs about as much as a page: what is
 * far from the view is not compared. Without an answer they are.
 */
export async function isCurrent(shown: Shown, signal: AbortSignal): Promise<boolean> {
  try {
    return (await areRowsCurrent(shown, signal)) && (await isCountCurrent(shown, signal));
  } catch (cause) {
    if (isAborted(cause)) throw cause;
    return true;
  }
}

async function areRowsCurrent(
  { request, reader, rows, view, unmatched }: Shown,
  signal: AbortSignal,
): Promise<boolean> {
  // The page is read from the key before it.
  const from = Math.max(view.from, rows.first === 0 ? 0 : rows.first + 1);
  const found: Row[] = [];
  for (let row = from; row < view.to && found.length < maxOperations; row++) {
    const one = rows.at(row);
    if (one !== undefined && !unmatched.has(one.key)) found.push(one);
  }
  if (found.length === 0) return true;
  if (request.order.length > 0) return areAsStored(request.base, found, signal);
  const { rows: now } = await reader.after(rows.keys.at(from - 1), found.length, signal);
  return now.length === found.length && now.every(({ text }, at) => text === found[at]?.text);
}

/** In another order a page could cost the service the whole base. A check reads one item, and changes nothing. */
async function areAsStored(base: string, rows: readonly Row[], signal: AbortSignal): Promise<boolean> {
  if (!mayWrite.peek()) return true;
  const checks = rows.map((row) => ({ operations: [checkWhole(row)] }));
  signal.throwIfAborted();
  try {
    await transact(base, checks);
    return true;
  } catch (cause) {
    return ![404, 412].includes(statusOf(cause));
  }
}

async function isCountCurrent({ request, total }: Shown, signal: AbortSignal): Promise<boolean> {
  if (total === undefined || total > maxCounted) return true;
  return (await countMatches(request.base, request.query, signal)) === total;
}
