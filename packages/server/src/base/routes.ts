import type {
  DeleteAllResponse,
  DeleteItemResponse,
  MissingItemResponse,
  QueryItemsResponse,
} from 'basedrive-client';
import { narrowedRange, requireWithin } from '../access/scope.js';
import { json, jsonText } from '../http/answer.js';
import type { Answer, Call, RouteTable } from '../http/call.js';
import { readJsonBody } from '../http/json-body.js';
import { requireTrue } from '../http/parameters.js';
import { runInSlices } from '../lib/time-slices.js';
import { badRequest, conflict, notFound } from '../request-error.js';
import { exportAnswer, hasLines, importAnswer } from './bulk/answers.js';
import type { StoreBatch } from './bulk/import.js';
import { indexRoutes } from './indexes/index-routes.js';
import type { Item } from './item.js';
import { readInsertBody, readPutBody } from './item-body.js';
import { requireItemWithin } from './item-scope.js';
import { keyProblem } from './key.js';
import { maxBatchItems, maxBodyBytes, maxReadBatchItems } from './limits.js';
import { isLong } from './long-page.js';
import type { ReadCost } from './matching.js';
import type { Page } from './page.js';
import { readQueryBody } from './query/query-body.js';
import type { BaseService } from './service.js';
import { setRoutes } from './sets/set-routes.js';
import { transactionAnswer } from './transaction-answer.js';
import { atOperation, readTransactionBody } from './transaction-body.js';
import { updateAnswer } from './update.js';
import { readUpdateBody } from './update-body.js';

export interface BaseLimits {
  /** The maximum number of items of Put Items: 25, unless the operator raises it (docs/http.md#put-items). */
  readonly maxItemsPerPut: number;
}

/** The operations of docs/http.md#database-api, below `/v1/{project}/{base}`. */
export function baseRoutes(service: BaseService, limits: BaseLimits): RouteTable {
  return {
    '/items': {
      GET: (call) => exportAnswer(service, call),

      PUT: async (call) => {
        if (hasLines(call)) {
          const storeBatch: StoreBatch = (items) => service.putBatch(call.project, call.name, items);
          return importAnswer(call, service, { storeBatch, maxBatchItems });
        }
        const body = await readJsonBody(call, maxBodyBytes);
        const items = await runInSlices(readPutBody(body, limits.maxItemsPerPut, service.nowSeconds()));
        for (const item of items) requireItemWithin(call.grant, item);
        await service.put(call.project, call.name, items);
        return jsonText(207, processedBody(items));
      },

      POST: async (call) => {
        if (hasLines(call)) {
          const storeBatch: StoreBatch = (items) => service.insertBatch(call.project, call.name, items);
          return importAnswer(call, service, { storeBatch, maxBatchItems: maxReadBatchItems });
        }
        const body = await readJsonBody(call, maxBodyBytes);
        const item = await runInSlices(readInsertBody(body, service.nowSeconds()));
        requireItemWithin(call.grant, item);
        if (await service.insert(call.project, call.name, item)) return jsonText(201, item.json);
        throw conflict('Key already exists');
      },
    },

    '/items?all': {
      DELETE: async (call) => {
        requireTrue(call, 'all');
        const deleted = await service.removeAll(
          call.project,
          call.name,
          call.grant.prefix,
          () => call.isAbandoned,
        );
        return json<DeleteAllResponse>(200, { deleted });
      },
    },

    '/items/:key': {
      GET: (call) => {
        const key = keyOf(call);
        const item = service.get(call.project, call.name, key);
        return item instanceof Promise ? item.then((found) => itemAnswer(found, key)) : itemAnswer(item, key);
      },

      DELETE: async (call) => {
        const key = keyOf(call);
        await service.remove(call.project, call.name, key);
        return json<DeleteItemResponse>(200, { key });
      },

      PATCH: async (call) => {
        const key = keyOf(call);
        const body = await readJsonBody(call, maxBodyBytes);
        const update = await runInSlices(readUpdateBody(body, service.nowSeconds()));
        if (await service.update(call.project, call.name, key, update)) {
          return jsonText(200, await runInSlices(updateAnswer(key, update)));
        }
        throw notFound('Key not found');
      },
    },

    '/transactions': {
      POST: async (call) => {
        const body = await readJsonBody(call, maxBodyBytes);
        const operations = await runInSlices(readTransactionBody(body, service.nowSeconds()));
        for (const operation of operations) {
          if ('item' in operation) requireItemWithin(call.grant, operation.item);
          else requireWithin(call.grant, operation.key);
        }
        const failure = await service.transact(call.project, call.name, operations);
        if (failure !== undefined) throw atOperation(failure.index, failure.error);
        return jsonText(200, await runInSlices(transactionAnswer(operations)));
      },
    },

    ...setRoutes(service.sets, service.nowSeconds),

    ...indexRoutes(service.indexes),

    '/query': {
      POST: async (call) => {
        const body = await readJsonBody(call, maxBodyBytes);
        let isTimed = false;
        const read = async () => {
          const asked = await runInSlices(readQueryBody(body));
          isTimed = isLong(asked);
          return { ...asked, range: narrowedRange(call.grant, asked.range) };
        };
        const cost: ReadCost = { items: 0, bytes: 0 };
        const startedMs = performance.now();
        const request = { isAbandoned: () => call.isAbandoned, cost };
        const page = await service.query(call.project, call.name, { bytes: body.length, read }, request);
        const answer = jsonText(200, pageBody(page));
        if (!isTimed) return answer;
        return { ...answer, headers: [...answer.headers, 'Server-Timing', timing(cost, startedMs)] };
      },
    },
  };
}

function keyOf(call: Call): string {
  const { key = '' } = call.params;
  const rule = keyProblem(key);
  if (rule !== undefined) throw badRequest(`key: ${rule}`);
  return key;
}

/** The answer with the item, or 404 with its key (docs/http.md#get-item). */
function itemAnswer(item: Buffer | undefined, key: string): Answer {
  return item === undefined ? json<MissingItemResponse>(404, { key }) : jsonText(200, item);
}

/** The header value that says what a query has read, and how long it took (docs/http.md#ordered-queries). */
function timing({ items, bytes, index }: ReadCost, startedMs: number): string {
  const spentMs = (performance.now() - startedMs).toFixed(1);
  // A header has only ASCII characters. No index has the name `none`.
  const used = index === undefined ? 'none' : encodeURIComponent(index);
  return `read;dur=${spentMs};desc="${items} items, ${bytes} bytes", index;desc="${used}"`;
}

/** The body of a page. `last` is present only if more items may follow (docs/http.md#pages). */
function pageBody({ items, last, total }: Page): Buffer {
  const paging: QueryItemsResponse['paging'] = { size: items.count };
  if (last !== undefined) paging.last = last;
  if (total !== undefined) paging.total = total;
  return items.finish(`{"paging":${JSON.stringify(paging)},"items":[`, ']}');
}

const processedStart = Buffer.from('{"processed":{"items":[');
const processedEnd = Buffer.from(']}}');
const comma = Buffer.from(',');

/**
 * The body with the stored items in the order of the request (docs/http.md#put-items). They are joined without being
 * parsed.
 */
function processedBody(items: readonly Item[]): Buffer {
  const parts: Buffer[] = [processedStart];
  for (const [index, item] of items.entries()) {
    if (index > 0) parts.push(comma);
    parts.push(item.json);
  }
  parts.push(processedEnd);
  return Buffer.concat(parts);
}
