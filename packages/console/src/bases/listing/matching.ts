import { statusOf } from '../../api/errors.js';
import { compareNames } from '../../api/name-order.js';
import { sideBySide } from '../../api/side-by-side.js';
import { readPage, transact } from '../base-api.js';
import { type ItemWork, inGroups } from '../bulk/in-transactions.js';
import { checkOf } from '../edit/item-text.js';
import { betweenKeys } from '../query/key-range.js';
import { everything } from '../query/model.js';

/**
 * Those of the keys whose items match a query, given as JSON text. Several keys must be of a listing of the query: it may
 * restrict the keys. The key of the request must be one that may write.
 */
export async function matchesOf(
  base: string,
  query: string,
  keys: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (query === everything) return new Set(keys);
  // A check changes nothing, and conditions on key count in it as they do in a query: docs/http.md#transactions
  const checks = keys.map((key) => ({ key, operations: [checkOf(key, query)] }));
  const found = await sideBySide([...inGroups(checks)], async (group) => {
    if (await doAllMatch(base, group, signal)) return group.map(({ key }) => key);
    return group.length === 1 ? [] : someOf(base, query, group, signal);
  });
  return new Set(found.flat());
}

/**
 * Those that match of a group of which not all do: a transaction does not say which. One page of what matches between the
 * first and the last of them has most: changed rows are mostly close to each other. The others are looked at one by one.
 */
async function someOf(
  base: string,
  query: string,
  group: readonly ItemWork[],
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const sorted = [...group].sort((one, other) => compareNames(one.key, other.key));
  const range = betweenKeys(query, sorted[0]?.key ?? '', sorted.at(-1)?.key ?? '');
  const request = { query: range, order: [], isDescending: false, limit: pageLimit, isKeysOnly: true };
  const { rows, last } = await readPage(base, request, signal);
  const matching = new Set(rows.map(({ key }) => key));
  const isBeyond = ({ key }: ItemWork) => last !== undefined && compareNames(key, last) > 0;
  const beyond = await sideBySide(sorted.filter(isBeyond), async (one) =>
    (await doAllMatch(base, [one], signal)) ? [one.key] : [],
  );
  return [...sorted.map(({ key }) => key).filter((key) => matching.has(key)), ...beyond.flat()];
}

/** More keys are seldom between changed rows, and are read for nothing. */
const pageLimit = 1000;

/** Whether all checks hold. A query is also refused if it has too many conditions for a transaction to repeat them for each item. */
async function doAllMatch(
  base: string,
  checks: readonly ItemWork[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  signal?.throwIfAborted();
  try {
    await transact(base, checks);
    return true;
  } catch (cause) {
    if ([400, 404, 412, 413].includes(statusOf(cause))) return false;
    throw cause;
  }
}
