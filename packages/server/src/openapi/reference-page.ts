import type { Content, Parameter } from '../http/routing/operation.js';
import type { DescribedOperation, OpenApiDocument } from './types.js';

type Listed = DescribedOperation & { readonly method: string; readonly path: string };

/** The OpenAPI document for people, in Markdown: a section for each tag, an entry for each operation, then the schemas. */
export function referencePage({ paths, tags, components }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
  );
  const sections = tags.flatMap(({ name, description }) => [
    `## ${name}`,
    `${description}.`,
    ...operations.filter(({ tags }) => tags.includes(name)).flatMap(entry),
  ]);
  const schemas = Object.entries(components.schemas).flatMap(([name, schema]) => [
    `### ${name}`,
    ['```json', JSON.stringify(schema, undefined, 2), '```'].join('\n'),
  ]);
  const failures = Object.entries(components.responses)
    .map(([name, { description, content }]) => ({ status: statusOf(name, operations), description, content }))
    .sort((one, other) => one.status - other.status)
    .map(({ status, description, content }) => `| ${status} | ${description} | ${contentText(content)} |`);
  const page = [
    '# Reference',
    'Made from the OpenAPI document of this service. Its HTTP reference, docs/http.md, has the rules, the limits and examples.',
    ...sections,
    '## Failures',
    table('status | meaning | body', failures),
    '## Schemas',
    ...schemas,
  ];
  return `${page.join('\n\n')}\n`;
}

function entry(operation: Listed): string[] {
  const { method, path, summary, description, parameters, requestBody, responses, operationId } = operation;
  const given = parameters.filter((parameter) => parameter.in !== 'path').map(parameterRow);
  const answers: string[] = [];
  const failures: string[] = [];
  for (const [status, answer] of Object.entries(responses)) {
    if ('$ref' in answer) failures.push(status);
    else answers.push(`| ${status} | ${answer.description} | ${contentText(answer.content)} |`);
  }
  return [
    `### ${summary}`,
    `\`${method} ${path}\` (\`${operationId}\`)`,
    ...(description === undefined ? [] : [description]),
    ...(given.length === 0 ? [] : [table('parameter | in | about', given)]),
    ...(requestBody === undefined ? [] : [`Request body: ${contentText(requestBody.content)}`]),
    table('status | meaning | body', answers),
    `[Failures](#failures): ${failures.join(', ')}`,
  ];
}

function table(heads: string, rows: readonly string[]): string {
  return [`| ${heads} |`, '|---|---|---|', ...rows].join('\n');
}

function parameterRow({ name, in: part, required, description }: Parameter): string {
  return `| \`${name}\` | ${part} | ${required ? 'required. ' : ''}${description} |`;
}

/** The status that answers with this name have. */
function statusOf(name: string, operations: readonly Listed[]): number {
  const reference = `#/components/responses/${name}`;
  for (const { responses } of operations) {
    for (const [status, answer] of Object.entries(responses)) {
      if ('$ref' in answer && answer.$ref === reference) return Number(status);
    }
  }
  throw new Error(`No operation answers with ${name}`);
}

function contentText(content: Content = {}): string {
  return Object.entries(content)
    .map(([type, { schema }]) => `\`${type}\`${type === '*/*' ? '' : ` ${schemaText(schema)}`}`)
    .join(', ');
}

function schemaText(schema: object): string {
  const name = referred(schema);
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`;
  if ('type' in schema && schema.type === 'string') return '';
  return `\`${JSON.stringify(schema, (_, part) => referred(part) ?? part)}\``;
}

/** The name of the schema that this one refers to. */
function referred(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null || !('$ref' in schema)) return undefined;
  return String(schema.$ref).split('/').at(-1);
}
