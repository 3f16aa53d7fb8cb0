import {
  failures,
  jsonAnswer,
  jsonBody,
  linesContent,
  list,
  object,
  orNull,
  pathParameter,
  query,
  ref,
  required,
  secondsAhead,
} from './parts.js';
import type { Operation, Paths, Response } from './types.js';

const tags = ['Items'];
const setTags = ['Sets'];
const all = required(query('all', 'Must be `true`', { const: 'true' }));
const itemKey = pathParameter('key', 'The key of the item');
const lines = ref('NewItem');
const expiresInParameter = query(
  'expires_in',
  'NDJSON: for how many seconds the items are kept',
  secondsAhead,
);

const serverTiming = {
  'Server-Timing': { description: 'What was read, and which index was used', schema: { type: 'string' } },
} as const;
const imported: Response = {
  description: 'The refused lines, then the numbers',
  content: linesContent(ref('ImportLine')),
};

const importBody = (json: NonNullable<Operation['requestBody']>) => ({
  ...json,
  content: { ...json.content, ...linesContent(lines) },
});

/** The operations on items (docs/http.md#database-api), by their paths below a base. */
export const basePaths: Paths = {
  '/items': {
    put: {
      operationId: 'putItems',
      summary: 'Put or import items',
      description:
        'Stores items and replaces those with the same keys: all or none. NDJSON: each line by itself.',
      tags,
      parameters: [expiresInParameter],
      requestBody: importBody(
        jsonBody(
          object({ items: list(ref('NewItem'), { minItems: 1 }), expires_in: orNull(secondsAhead) }, [
            'items',
          ]),
        ),
      ),
      responses: {
        200: imported,
        207: jsonAnswer('The stored items', object({ processed: object({ items: list(ref('Item')) }) })),
        ...failures(413, 415),
      },
    },
    post: {
      operationId: 'insertItem',
      summary: 'Insert an item, or import new items',
      description: 'Stores an item only if its key does not exist. NDJSON: each line by itself.',
      tags,
      parameters: [expiresInParameter],
      requestBody: importBody(
        jsonBody(object({ item: ref('NewItem'), expires_in: orNull(secondsAhead) }, ['item'])),
      ),
      responses: {
        200: imported,
        201: jsonAnswer('The stored item', ref('Item')),
        ...failures(409, 413, 415),
      },
    },
    get: {
      operationId: 'exportItems',
      summary: 'Export items',
      tags,
      parameters: [
        query('prefix', 'Only items whose keys begin with this'),
        query('last', 'Continue after this key, which need not exist'),
      ],
      responses: { 200: { description: 'Every item, one a line', content: linesContent(ref('Item')) } },
    },
    delete: {
      operationId: 'deleteAllItems',
      summary: 'Delete all items',
      tags,
      parameters: [all],
      responses: { 200: jsonAnswer('How many were deleted', ref('Deleted')) },
    },
  },
  '/items/{key}': {
    get: {
      operationId: 'getItem',
      summary: 'Get an item',
      tags,
      parameters: [itemKey],
      responses: {
        200: jsonAnswer('The item', ref('Item')),
        404: jsonAnswer('There is no such item', ref('MissingItem')),
      },
    },
    delete: {
      operationId: 'deleteItem',
      summary: 'Delete an item',
      tags,
      parameters: [itemKey],
      responses: { 200: jsonAnswer('It is gone, or never was', ref('MissingItem')) },
    },
    patch: {
      operationId: 'updateItem',
      summary: 'Update an item',
      tags,
      parameters: [itemKey],
      requestBody: jsonBody(ref('Update')),
      responses: {
        200: jsonAnswer('The key, and the update as it was sent', ref('Updated')),
        ...failures(404, 412, 413, 415),
      },
    },
  },
  '/query': {
    post: {
      operationId: 'queryItems',
      summary: 'Query items',
      tags,
      requestBody: jsonBody(ref('QueryOptions'), false),
      responses: {
        200: { ...jsonAnswer('A page of items', ref('Page')), headers: serverTiming },
        ...failures(413, 415),
      },
    },
  },
  '/query/count': {
    post: {
      operationId: 'countItems',
      summary: 'Count items',
      tags: setTags,
      requestBody: jsonBody(object({ query: { anyOf: [ref('Query'), { type: 'null' }] } }, []), false),
      responses: {
        200: jsonAnswer('The number of items', object({ count: { type: 'integer', minimum: 0 } })),
        ...failures(413, 415),
      },
    },
  },
  '/query/delete': {
    post: {
      operationId: 'deleteByQuery',
      summary: 'Delete items by query',
      tags: setTags,
      requestBody: jsonBody(ref('SetOptions')),
      responses: {
        200: jsonAnswer('How many were deleted, or match', { anyOf: [ref('Deleted'), ref('Matched')] }),
        ...failures(413, 415),
      },
    },
  },
  '/query/update': {
    post: {
      operationId: 'updateByQuery',
      summary: 'Update items by query',
      tags: setTags,
      requestBody: jsonBody(ref('SetUpdate')),
      responses: {
        200: jsonAnswer('How many were updated, or match', { anyOf: [ref('SetUpdated'), ref('Matched')] }),
        ...failures(413, 415),
      },
    },
  },
  '/transactions': {
    post: {
      operationId: 'runTransaction',
      summary: 'Do several operations, all or none',
      tags,
      requestBody: jsonBody(
        object({ operations: list(ref('TransactionOperation'), { minItems: 1, maxItems: 100 }) }),
      ),
      responses: {
        200: jsonAnswer('The result of each operation', object({ results: list(ref('Item')) })),
        ...failures(404, 409, 412, 413, 415),
      },
    },
  },
};
