import { requireWithin } from '../../access/scope.js';
import { jsonText } from '../../http/answers/answer.js';
import { jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { anyOf, list, named, object } from '../../json/schema.js';
import { runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import { requireItemWithin } from '../items/item-errors.js';
import { bodyOf } from '../request-body.js';
import { DeletedItem, ReplacedItem, StoredItem, TransactionRequest, UpdatedItem } from '../schemas.js';
import type { BaseServices } from '../service.js';
import { atOperation, readTransactionBody, withinUpdate } from '../transactions/transaction-body.js';
import type { ReturnedItems, TransactionOperation } from '../transactions/transaction-operation.js';
import { withItem } from '../updates/returned.js';
import { updateAnswer } from '../updates/update.js';

const TransactionResponse = named(
  'TransactionResponse',
  object({
    results: list(anyOf(StoredItem, UpdatedItem, DeletedItem, ReplacedItem), {
      description:
        'In the order of the operations: what each answers by itself. A check answers `{key}`, and what returns the item before `{key,item}`',
    }),
  }),
);

export const runTransaction = operation({
  method: 'POST',
  path: '/v1/{project}/{base}/transactions',
  access: 'write',
  names: 'body',
  section: 'transactions',
  summary: 'Do several operations, all or none',
  request: jsonBody(TransactionRequest),
  answers: { 200: jsonAnswer('The result of each operation', TransactionResponse) },
  failures: [404, 409, 412],
  handle: async (call, { bases }: BaseServices) => {
    const operations = await bodyOf(call, (body) => readTransactionBody(body, bases.nowSeconds()));
    for (const operation of operations) {
      if ('item' in operation) requireItemWithin(call.grant, operation.item);
      else requireWithin(call.grant, operation.key);
    }
    const { failure, items } = await bases.transact(call.project, call.name, operations, call);
    if (failure !== undefined) {
      const { index, error } = failure;
      throw atOperation(index, operations[index]?.kind === 'update' ? withinUpdate(error) : error);
    }
    return jsonText(200, await runInSlices(transactionAnswer(operations, items)));
  },
});

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

/** The result of one operation: the stored item, the update as it was sent, or the key, to which an item to return is added. */
function* resultOf(operation: TransactionOperation): Steps<Buffer> {
  const isStored = operation.kind === 'put' || operation.kind === 'insert';
  if (isStored && operation.returns === undefined) return operation.item.json;
  if (operation.kind === 'update') return yield* updateAnswer(operation.key, operation.update);
  return Buffer.from(JSON.stringify({ key: operation.key }));
}
