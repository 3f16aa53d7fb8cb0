import { version } from '../lib/version.js';
import { basePaths } from './base-operations.js';
import { drivePaths } from './drive-operations.js';
import { failureResponses } from './failures.js';
import { indexPaths } from './index-operations.js';
import { failures, jsonAnswer, object, pathParameter } from './parts.js';
import { projectPaths } from './project-operations.js';
import { schemas } from './schemas.js';
import { driveSharingPaths, publicPaths } from './sharing-operations.js';
import type { OpenApiDocument, Operation, Parameter, Paths, Responses } from './types.js';

const project = pathParameter('project', 'The project of the key');
const base = pathParameter('name', 'The name of the base');
const drive = pathParameter('name', 'The name of the drive');
const either = pathParameter('name', 'The name of the base and of the drive');

/** What any request may be answered with. */
const anyFailure = failures(400, 408, 417, 429, 431, 500);
const failureWithKey = failures(401, 403, 503);

const openPaths: Paths = {
  ...publicPaths,
  '/health': {
    get: {
      operationId: 'getHealth',
      summary: 'Whether the process answers',
      tags: ['Service'],
      responses: { 200: jsonAnswer('It answers', object({ status: { const: 'ok' } })) },
    },
  },
  '/ready': {
    get: {
      operationId: 'getReadiness',
      summary: 'Whether the storage engines answer',
      tags: ['Service'],
      responses: { 200: jsonAnswer('They answer', object({ status: { const: 'ready' } })), ...failures(503) },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'getOpenApiDocument',
      summary: 'This document',
      tags: ['Service'],
      responses: { 200: jsonAnswer('An OpenAPI 3.1 document', { type: 'object' }) },
    },
  },
};

/** The OpenAPI document of the whole API (docs/http.md#openapi). */
export function openApiDocument(): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Basedrive',
      version: version(),
      description:
        'A key-value document database and a file store behind one key. The HTTP reference, docs/http.md, has ' +
        'the rules that a schema cannot express. `HEAD` is allowed wherever `GET` is. Each answer has an `X-Request-Id`.',
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'Items', description: 'JSON documents in a base' },
      { name: 'Sets', description: 'All items that match a query' },
      { name: 'Indexes', description: 'What makes queries of a base read less' },
      { name: 'Files', description: 'Files in a drive' },
      { name: 'Uploads', description: 'Files in parts' },
      { name: 'Sharing', description: 'Files for people without a key' },
      { name: 'Projects', description: 'What a project contains' },
      { name: 'Keys', description: 'Keys with limits' },
      { name: 'Service', description: 'The service itself' },
    ],
    security: [{ key: [] }],
    paths: {
      ...withKey('/v1/{project}/{name}', [project, base], { ...basePaths, ...indexPaths }),
      ...withKey('/v1/{project}/{name}', [project, drive], { ...drivePaths, ...driveSharingPaths }),
      ...withKey('/v1/{project}', [project], projectPaths),
      ...mapOperations(openPaths, (path, operation) => [
        path,
        { ...operation, security: [], responses: { ...anyFailure, ...operation.responses } },
      ]),
    },
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      schemas,
      responses: failureResponses,
    },
  };
}

/** Places operations below a root, with its parameters and the failures of every request with a key. */
function withKey(root: string, parameters: readonly Parameter[], paths: Paths): Paths {
  return mapOperations(paths, (path, operation) => {
    const named = path.startsWith('/{name}') ? [...parameters, either] : parameters;
    const responses: Responses = { ...anyFailure, ...failureWithKey, ...operation.responses };
    return [
      root + path,
      { ...operation, parameters: [...named, ...(operation.parameters ?? [])], responses },
    ];
  });
}

function mapOperations(
  paths: Paths,
  map: (path: string, operation: Operation) => readonly [path: string, operation: Operation],
): Paths {
  const mapped: Record<string, Record<string, Operation>> = {};
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const [target, described] = map(path, operation);
      mapped[target] = { ...mapped[target], [method]: described };
    }
  }
  return mapped;
}
