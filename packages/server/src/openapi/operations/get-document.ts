import { jsonText } from '../../http/answers/answer.js';
import { jsonAnswer, operation } from '../../http/routing/operation.js';
import { anything, record } from '../../json/schema.js';
import { type OpenApiServices, textOf } from '../service.js';

const jsonOf = textOf(JSON.stringify);

export const getOpenApiDocument = operation({
  method: 'GET',
  path: '/openapi.json',
  access: 'no key',
  section: 'openapi',
  summary: 'This document',
  answers: { 200: jsonAnswer('An OpenAPI 3.1 document', record(anything)) },
  handle: (_, { openApi }: OpenApiServices) => jsonText(200, jsonOf(openApi())),
});
