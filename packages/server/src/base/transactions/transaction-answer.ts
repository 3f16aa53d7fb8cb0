import type { Steps } from '../../lib/concurrency/time-slices.js';
import { withItem } from '../updates/returned.js';
import { updateAnswer } from '../updates/update.js';
import type { ReturnedItems, TransactionOperation } from './transaction-operation.js';

const start = Buffer.from('{"results":[');
const end = Buffer.from(']}');
const comma = Buffer.from(',');

/**
 * Writes the answer of a transaction: the results of the operations in their order (docs/http.md#transactions). Items
 * are joined without being parsed.
 */
export function* transactionAnswer(
  operations: readonly TransactionOperation[],
  items: ReturnedItems,
): Steps<Buffer> {
  const parts: Buffer[] = [start];
  for (const [index, operation] of operations.entries()) {
    if (parts.length > 1) parts.push(comma);
    const result = yield* resultOf(operation);
    parts.push(items.has(index) ? withItem(result, items.get(index)) : result);
  }
  parts.push(end);
  return Buffer.concat(parts);
}

/** The result of one operation. A check has the same result as a delete, and so has what returns the item before. */
function* resultOf(operation: TransactionOperation): Steps<Buffer> {
  const isStored = operation.kind === 'put' || operation.kind === 'insert';
  if (isStored && operation.returns === undefined) return operation.item.json;
  if (operation.kind === 'update') return yield* updateAnswer(operation.key, operation.update);
  return Buffer.from(JSON.stringify({ key: operation.key }));
}
