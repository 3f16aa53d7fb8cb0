import type { Steps } from '../lib/time-slices.js';
import type { TransactionOperation } from './transaction-operation.js';
import { updateAnswer } from './update.js';

const start = Buffer.from('{"results":[');
const end = Buffer.from(']}');
const comma = Buffer.from(',');

/** What each operation answers, in their order (docs/http.md#transactions). Items are joined without being parsed. */
export function* transactionAnswer(operations: readonly TransactionOperation[]): Steps<Buffer> {
  const parts: Buffer[] = [start];
  for (const operation of operations) {
    if (parts.length > 1) parts.push(comma);
    parts.push(yield* resultOf(operation));
  }
  parts.push(end);
  return Buffer.concat(parts);
}

/** The answer of the operation alone; that of a check is the same as that of a delete. */
function* resultOf(operation: TransactionOperation): Steps<Buffer> {
  if (operation.kind === 'put' || operation.kind === 'insert') return operation.item.json;
  if (operation.kind === 'update') return yield* updateAnswer(operation.key, operation.update);
  return Buffer.from(JSON.stringify({ key: operation.key }));
}
