import { noSniff, noStore } from '../../http/answers/answer.js';
import { operation } from '../../http/routing/operation.js';
import { text } from '../../json/schema.js';
import { referencePage } from '../reference-page.js';
import { type OpenApiServices, textOf } from '../service.js';

const headers = ['Content-Type', 'text/markdown; charset=utf-8', ...noStore, ...noSniff] as const;
const pageOf = textOf(referencePage);

export const getReference = operation({
  method: 'GET',
  path: '/reference.md',
  access: 'no key',
  section: 'openapi',
  summary: 'The reference for people',
  answers: { 200: { description: 'Markdown', content: { 'text/markdown': { schema: text } } } },
  handle: (_, { openApi }: OpenApiServices) => ({ status: 200 as const, headers, body: pageOf(openApi()) }),
});
