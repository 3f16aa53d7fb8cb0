import { count, failures, jsonAnswer, jsonBody, list, object, pathParameter, ref, text } from './parts.js';
import type { Paths } from './types.js';

const tags = ['Indexes'];
const index = pathParameter('index', 'The name of the index');

/** The operations on indexes (docs/http.md#indexes), by their paths below a base. */
export const indexPaths: Paths = {
  '/indexes': {
    get: {
      operationId: 'listIndexes',
      summary: 'List indexes',
      tags,
      responses: {
        200: jsonAnswer(
          'The indexes, in the order of their declaration',
          object({
            indexes: list(
              object({
                name: text,
                fields: list(text),
                state: { enum: ['building', 'ready'] },
                entries: count,
                exact: { type: 'boolean' },
              }),
            ),
          }),
        ),
      },
    },
  },
  '/indexes/{index}': {
    put: {
      operationId: 'declareIndex',
      summary: 'Declare an index',
      tags,
      parameters: [index],
      requestBody: jsonBody(object({ fields: list(text, { minItems: 1, maxItems: 4 }) })),
      responses: {
        200: jsonAnswer('It exists', ref('Index')),
        202: jsonAnswer('It is being built', ref('Index')),
        ...failures(409, 413, 415),
      },
    },
    delete: {
      operationId: 'dropIndex',
      summary: 'Drop an index',
      tags,
      parameters: [index],
      responses: { 200: jsonAnswer('It is gone, or never was', object({ name: text })) },
    },
  },
};
