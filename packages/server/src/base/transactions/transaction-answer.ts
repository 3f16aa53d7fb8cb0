import type { Steps } from '../../lib/concurrency/time-slices.js';
import { updateAnswer } from '../updates/update.js';
import type { TransactionOperation } from './transaction-operation.js';

const start = Buffer.from('{"results":[');
const end = Buffer.from(']}');
const comma = Buffer.from(',');

/**
 * Writes the answer of a transaction: the results of the operations in their order (docs/http.md#transactions). Items
 * are joined without being parsed.
 */
export function* transactionAnswer(operations: readonly TransactionOperation[]): Steps<Buffer> {
  const parts: Buffer[] = [start];
  for (const operation of operations) {
    if (parts.length > 1) parts.push(comma);
    parts.push(yield* resultOf(operation));
  }
  parts.push(end);
  return Buffer.concat(parts);
}

/** The result of one operation. A check has the same result as a delete. */
function* resultOf(operation: TransactionOperation): Steps<Buffer> {
  if (operation.kind === 'put' || operation.kind === 'insert') return operation.item.json;
  if (operation.kind === 'update') return yield* updateAnswer(operation.key, operation.update);
  return Buffer.from(JSON.stringify({ key: operation.key }));
}
