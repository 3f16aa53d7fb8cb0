import { inTransactions } from '../bulk/in-transactions.js';
import { everything } from '../query/model.js';

/** Those of the keys whose items match a query, given as JSON text. The key of the request must be one that may write. */
export async function matchesOf(
  base: string,
  query: string,
  keys: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (query === everything) return new Set(keys);
  // A check changes nothing, and conditions on key count in it as they do in a query: docs/http.md#transactions
  const work = keys.map((key) => ({
    key,
    operations: [`{"check":{"key":${JSON.stringify(key)},"if":${query}}}`],
  }));
  const { done } = await inTransactions(base, work, { signal });
  return new Set(done.map(({ key }) => key));
}
