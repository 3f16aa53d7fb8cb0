import {
  failures,
  jsonAnswer,
  jsonBody,
  list,
  object,
  pageParameters,
  query,
  ref,
  required,
  text,
} from './parts.js';
import type { Operation, Paths } from './types.js';

const tags = ['Projects'];
const keyTags = ['Keys'];

function names(kind: 'bases' | 'drives', operationId: string): Operation {
  return {
    operationId,
    summary: `List ${kind}`,
    tags,
    parameters: [...pageParameters, query('prefix', 'Only names that begin with this')],
    responses: {
      200: jsonAnswer('A page of names', object({ paging: ref('Paging'), [kind]: list(text) }, [kind])),
    },
  };
}

/** The operations on a project (docs/http.md#catalog, docs/http.md#limited-keys), by their paths below it. */
export const projectPaths: Paths = {
  '/bases': { get: names('bases', 'listBases') },
  '/drives': { get: names('drives', 'listDrives') },
  '/{name}/stats': {
    get: {
      operationId: 'getStatistics',
      summary: 'The size of a base and of the drive of its name',
      tags,
      responses: { 200: jsonAnswer('Their sizes', ref('Statistics')) },
    },
  },
  '/activity': {
    get: {
      operationId: 'getActivity',
      summary: 'The requests of the project in the last hour',
      tags,
      responses: {
        200: jsonAnswer('Their number and times, as this server counted them', ref('Activity')),
        ...failures(404),
      },
    },
  },
  '/keys': {
    get: {
      operationId: 'listKeys',
      summary: 'List keys, or what the own key may do',
      tags: keyTags,
      parameters: [query('self', '`true`: only the key of the request', { enum: ['true', 'false', ''] })],
      responses: {
        200: jsonAnswer('The keys, the oldest first; or the own key', {
          anyOf: [object({ keys: list(ref('Key')) }), ref('OwnKey')],
        }),
      },
    },
    post: {
      operationId: 'createKey',
      summary: 'Create a key',
      tags: keyTags,
      requestBody: jsonBody(ref('NewKey'), false),
      responses: {
        201: jsonAnswer('The key itself, which no other answer has', ref('CreatedKey')),
        ...failures(409, 413, 415),
      },
    },
    delete: {
      operationId: 'deleteKey',
      summary: 'Revoke a key',
      tags: keyTags,
      parameters: [required(query('id', 'The id of the key'))],
      responses: { 200: jsonAnswer('It no longer works', object({ id: text })), ...failures(404) },
    },
  },
};
