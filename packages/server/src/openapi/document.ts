import { type Content, type DescribedAnswer, inPath, type RequestBody } from '../http/routing/operation.js';
import { type ListedOperation, tags } from '../http/routing/operation-groups.js';
import { version } from '../lib/version.js';
import { withNamedBodies } from './bodies.js';
import { type Components, createComponents, mapValues } from './components.js';
import { failures, pageTooLarge } from './failures.js';
import { merged } from './merge.js';
import type { DescribedOperation, OpenApiDocument } from './types.js';

/** The parameters that many paths have. */
const pathParameters: Readonly<Record<string, string>> = {
  project: 'The project of the key',
  base: 'The name of the base',
  drive: 'The name of the drive',
  name: 'The name of the base and of the drive',
};

/** What any request may be answered with, and one with a key. */
const anyFailure = [400, 408, 417, 429, 431, 500];
const failuresWithKey = [401, 403, 410, 503];
/** Of a request that may store something. */
const failuresOfWrite = [507];
const failuresOfOperator = [401, 503];

/** The OpenAPI document of these operations (docs/http.md#openapi). */
export function openApiDocument(operations: readonly ListedOperation[]): OpenApiDocument {
  const components = createComponents();
  const paths: Record<string, Record<string, DescribedOperation>> = {};
  for (const operation of operations) {
    const path = pathOf(operation);
    const method = operation.method.toLowerCase();
    const described = describe(withNamedBodies(operation), components);
    const other = paths[path]?.[method];
    paths[path] = { ...paths[path], [method]: other === undefined ? described : merged(other, described) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Basedrive',
      version: version(),
      description:
        'A key-value document database and a file store behind one key. The HTTP reference, docs/http.md, has ' +
        'the rules that a schema cannot express. `HEAD` is allowed wherever `GET` is. Each answer has an `X-Request-Id`. ' +
        'A write with `Prefer: tx` is answered with `Preference-Applied: tx=…`.',
    },
    servers: [{ url: '/' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      responses: Object.fromEntries(
        [...Object.values(failures), pageTooLarge].map(([name, answer]) => [
          name,
          referringAnswer(answer, components),
        ]),
      ),
      schemas: components.schemas,
    },
  };
}

/** `/v1/{project}/{base}/items?all=true` as the document has it: a base and a drive are the same part of paths. */
function pathOf({ path, access }: ListedOperation): string {
  const plain = path.replace(/\?.*/, '').replace('{path...}', '{path}');
  return access === 'no key' ? plain : plain.replace(/\{(base|drive)\}/, '{name}');
}

function describe(operation: ListedOperation, components: Components): DescribedOperation {
  const { id, path, access, summary, description, tag, parameters = [], request, answers } = operation;
  const isOpen = access === 'no key';
  const named = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name).filter(
    (name) => pathParameters[name] !== undefined,
  );
  const statuses = [
    ...anyFailure,
    ...(isOpen ? [] : access === 'operator' ? failuresOfOperator : failuresWithKey),
    ...(operation.method === 'GET' || access === 'operator' ? [] : failuresOfWrite),
    ...(operation.failures ?? []),
    ...(request?.tooLarge === undefined ? [] : [413]),
    ...(request?.content['application/json'] === undefined ? [] : [415]),
  ];
  const failureOf = (status: number) => {
    const isPage = status === 413 && request?.tooLarge === 'page';
    const [name] = isPage ? pageTooLarge : (failures[status] ?? ['']);
    return { $ref: `#/components/responses/${name}` };
  };
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    parameters: [
      ...named.map((name) => inPath(isOpen ? name : nameOf(name), pathParameters[name] ?? '')),
      ...parameters,
    ],
    ...(request && { requestBody: referringRequest(request, components) }),
    responses: {
      ...Object.fromEntries(statuses.map((status) => [status, failureOf(status)])),
      ...mapValues(answers, (answer) => referringAnswer(answer, components)),
    },
    ...(isOpen && { security: [] }),
  };
}

function nameOf(parameter: string): string {
  return parameter === 'base' || parameter === 'drive' ? 'name' : parameter;
}

function referringRequest({ tooLarge: _, ...request }: RequestBody, components: Components) {
  return { ...request, content: referringContent(request.content, components) };
}

function referringAnswer(answer: DescribedAnswer, components: Components): DescribedAnswer {
  const { content } = answer;
  return content === undefined ? answer : { ...answer, content: referringContent(content, components) };
}

function referringContent(content: Content, { refer }: Components): Content {
  return mapValues(content, ({ schema }) => ({ schema: refer(schema) }));
}
