import { json, jsonText } from '../../http/answers/answer.js';
import { allParameter, requireTrue } from '../../http/parameters/parameters.js';
import type { Call } from '../../http/requests/call.js';
import { DeletedAll, inPath, jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { list, object } from '../../json/schema.js';
import { onceReady } from '../../lib/concurrency/once-ready.js';
import { runInSlices } from '../../lib/concurrency/time-slices.js';
import { badField } from '../../request-error.js';
import type { Item } from '../items/item.js';
import { readInsertBody, readPutBody } from '../items/item-body.js';
import { itemExists, itemNotFound, requireItemWithin } from '../items/item-errors.js';
import { keyProblem } from '../items/key.js';
import { bodyOf } from '../request-body.js';
import {
  DeletedItem,
  expiresIn,
  MissingItem,
  NewItem,
  StoredItem,
  UpdatedItem,
  UpdateItemRequest,
} from '../schemas.js';
import type { BaseServices } from '../service.js';
import { withItem } from '../updates/returned.js';
import { updateAnswer } from '../updates/update.js';
import { readUpdateBody } from '../updates/update-body.js';

const keyParameter = inPath('key', 'The key of the item');

/** The key in the path. Throws a 400 `RequestError` for one that no item can have (docs/http.md#get-item). */
function keyOf({ params: { key = '' } }: Call): string {
  const problem = keyProblem(key);
  if (problem !== undefined) throw badField('key', problem.code, problem.rule);
  return key;
}

export const putItems = operation({
  method: 'PUT',
  path: '/v1/{project}/{base}/items',
  access: 'write',
  names: 'body',
  summary: 'Put items',
  failures: [409],
  description: 'Stores items and replaces those with the same keys: all or none.',
  request: jsonBody(
    object({
      items: list(NewItem, { minItems: 1, description: 'At most 25, unless the operator allows more' }),
      expires_in: expiresIn,
    }),
  ),
  answers: {
    207: jsonAnswer(
      'The stored items, in the order of the request',
      object({ processed: object({ items: list(StoredItem) }) }),
    ),
  },
  handle: (call, { bases, maxItemsPerPut }: BaseServices) => {
    const read = bodyOf(call, (body) => readPutBody(body, maxItemsPerPut, bases.nowSeconds()));
    return onceReady(read, (items) => {
      for (const item of items) requireItemWithin(call.grant, item);
      return bases.put(call.project, call.name, items).then(() => jsonText(207, processedBody(items)));
    });
  },
});

const processedStart = Buffer.from('{"processed":{"items":[');
const processedEnd = Buffer.from(']}}');
const comma = Buffer.from(',');

/** The stored items are joined without being parsed. */
function processedBody(items: readonly Item[]): Buffer {
  const parts: Buffer[] = [processedStart];
  for (const [index, item] of items.entries()) {
    if (index > 0) parts.push(comma);
    parts.push(item.json);
  }
  parts.push(processedEnd);
  return Buffer.concat(parts);
}

export const getItem = operation({
  method: 'GET',
  path: '/v1/{project}/{base}/items/{key}',
  access: 'read',
  names: 'path',
  summary: 'Get an item',
  parameters: [keyParameter],
  answers: {
    200: jsonAnswer('The item', StoredItem),
    404: jsonAnswer('There is no such item', MissingItem),
  },
  failures: [400],
  handle: (call, { bases }: BaseServices) => {
    const key = keyOf(call);
    const answer = (item: Buffer | undefined) =>
      item === undefined ? json(404, { key }) : jsonText(200, item);
    const item = bases.get(call.project, call.name, key);
    return onceReady(item, answer);
  },
});

export const insertItem = operation({
  method: 'POST',
  path: '/v1/{project}/{base}/items',
  access: 'write',
  names: 'body',
  summary: 'Insert an item',
  description: 'Stores an item only if its key does not exist.',
  request: jsonBody(object({ item: NewItem, expires_in: expiresIn })),
  answers: { 201: jsonAnswer('The stored item', StoredItem) },
  failures: [409],
  handle: async (call, { bases }: BaseServices) => {
    const item = await bodyOf(call, (body) => readInsertBody(body, bases.nowSeconds()));
    requireItemWithin(call.grant, item);
    if (await bases.insert(call.project, call.name, item)) return jsonText(201, item.json);
    throw itemExists();
  },
});

export const updateItem = operation({
  method: 'PATCH',
  path: '/v1/{project}/{base}/items/{key}',
  access: 'write',
  names: 'path',
  summary: 'Update an item',
  parameters: [keyParameter],
  request: jsonBody(UpdateItemRequest),
  answers: { 200: jsonAnswer('The key, and the update as it was sent', UpdatedItem) },
  failures: [404, 409, 412],
  handle: async (call, { bases }: BaseServices) => {
    const key = keyOf(call);
    const update = await bodyOf(call, (body) => readUpdateBody(body, bases.nowSeconds(), key));
    const updated = await bases.update(call.project, call.name, { key, update }, call);
    if (updated === undefined) throw itemNotFound();
    const answer = await runInSlices(updateAnswer(key, update));
    return jsonText(200, update.returns === undefined ? answer : withItem(answer, updated.item));
  },
});

export const deleteItem = operation({
  method: 'DELETE',
  path: '/v1/{project}/{base}/items/{key}',
  access: 'write',
  names: 'path',
  summary: 'Delete an item',
  parameters: [keyParameter],
  answers: { 200: jsonAnswer('It is gone, or never was', DeletedItem) },
  failures: [400],
  handle: async (call, { bases }: BaseServices) => {
    const key = keyOf(call);
    await bases.remove(call.project, call.name, key);
    return json(200, { key });
  },
});

export const deleteAllItems = operation({
  method: 'DELETE',
  path: '/v1/{project}/{base}/items?all=true',
  access: 'full',
  names: 'narrowed',
  summary: 'Delete all items',
  parameters: [allParameter],
  answers: { 200: jsonAnswer('How many were deleted', DeletedAll) },
  failures: [400],
  handle: async (call, { bases }: BaseServices) => {
    requireTrue(call, 'all');
    const { project, name, grant } = call;
    const deleted = await bases.removeAll(project, name, grant.prefix, () => call.isAbandoned);
    return json(200, { deleted });
  },
});
