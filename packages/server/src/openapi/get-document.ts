import { jsonText } from '../http/answer.js';
import type { Answer } from '../http/call.js';
import { jsonAnswer, operation } from '../http/operation.js';
import type { ListedOperation, OperationGroups } from '../http/operation-groups.js';
import { anything, record } from '../json/schema.js';
import { openApiDocument } from './document.js';

/** What the operation of docs/http.md#openapi works with. */
export interface OpenApiServices {
  readonly openApi: () => Answer<200, never>;
}

const getOpenApiDocument = operation({
  method: 'GET',
  path: '/openapi.json',
  access: 'no key',
  section: 'openapi',
  summary: 'This document',
  answers: { 200: jsonAnswer('An OpenAPI 3.1 document', record(anything)) },
  handle: (_, { openApi }: OpenApiServices) => openApi(),
});

export const openApiOperations: OperationGroups<OpenApiServices> = { Service: { getOpenApiDocument } };

/** The document is made at the first request. */
export function createOpenApi(operations: readonly ListedOperation[]): OpenApiServices['openApi'] {
  let answer: Answer<200, never> | undefined;
  return () => {
    answer ??= jsonText(200, Buffer.from(JSON.stringify(openApiDocument(operations))));
    return answer;
  };
}
