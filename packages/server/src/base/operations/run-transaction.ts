import { requireWithin } from '../../access/scope.js';
import { jsonText } from '../../http/answers/answer.js';
import { jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { anyOf, list, named, object } from '../../json/schema.js';
import { runInSlices } from '../../lib/concurrency/time-slices.js';
import { requireItemWithin } from '../items/item-scope.js';
import { bodyOf } from '../request-body.js';
import { DeletedItem, ReplacedItem, StoredItem, TransactionRequest, UpdatedItem } from '../schemas.js';
import type { BaseServices } from '../service.js';
import { transactionAnswer } from '../transactions/transaction-answer.js';
import { atOperation, readTransactionBody, withinUpdate } from '../transactions/transaction-body.js';

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
