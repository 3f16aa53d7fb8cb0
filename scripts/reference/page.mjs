// docs/reference.md: the OpenAPI document for people.

/** The page in Markdown: a section for each tag, an entry for each operation, then the schemas. */
export function referencePage({ paths, tags, components }) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
  );
  const lines = [
    '# Generated reference',
    '',
    'Generated from the [OpenAPI document](http.md#openapi) by `npm run reference`. The [HTTP reference](http.md) has',
    'the rules, the limits and examples.',
    '',
  ];
  for (const { name, description } of tags) {
    lines.push(`## ${name}`, '', `${description}.`, '');
    const tagged = operations.filter((operation) => operation.tags.includes(name));
    for (const operation of tagged) lines.push(...operationLines(operation));
  }
  const failures = operations.flatMap(({ responses }) =>
    Object.entries(responses).filter(([, { $ref }]) => $ref),
  );
  const named = new Map(failures.map(([status, { $ref }]) => [$ref.split('/').at(-1), status]));
  lines.push('## Failures', '', '| status | | body |', '|---|---|---|');
  for (const [name, status] of [...named].sort(([, a], [, b]) => a - b)) {
    const { description, content } = components.responses[name];
    lines.push(`| ${status} | ${description} | ${contentText(content)} |`);
  }
  lines.push('', '## Schemas', '');
  for (const [name, schema] of Object.entries(components.schemas)) {
    lines.push(`### ${name}`, '', '```json', JSON.stringify(schema, undefined, 2), '```', '');
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function operationLines(operation) {
  const { method, path, summary, description, parameters = [], requestBody } = operation;
  const lines = [`### ${summary}`, '', `\`${method} ${path}\` (\`${operation.operationId}\`)`, ''];
  if (description !== undefined) lines.push(description, '');
  const given = parameters.filter(({ in: place }) => place !== 'path');
  if (given.length > 0) {
    lines.push('| parameter | in | |', '|---|---|---|');
    for (const { name, in: place, description: text, required } of given)
      lines.push(`| \`${name}\` | ${place} | ${required ? 'required. ' : ''}${text} |`);
    lines.push('');
  }
  if (requestBody !== undefined) lines.push(`Request body: ${contentText(requestBody.content)}`, '');
  lines.push('| status | | body |', '|---|---|---|');
  const answers = Object.entries(operation.responses);
  for (const [status, { description: text, content = {} }] of answers.filter(
    ([, { $ref }]) => $ref === undefined,
  ))
    lines.push(`| ${status} | ${text} | ${contentText(content)} |`);
  const failures = answers.flatMap(([status, { $ref }]) => ($ref === undefined ? [] : [status]));
  return [...lines, '', `[Failures](#failures): ${failures.join(', ')}`, ''];
}

function contentText(content) {
  return Object.entries(content)
    .map(([type, { schema }]) => `\`${type}\`${type === '*/*' ? '' : ` ${schemaText(schema)}`}`)
    .join(', ');
}

function schemaText(schema) {
  if (schema.$ref === undefined)
    return schema.type === 'string' ? '' : `\`${JSON.stringify(shortened(schema))}\``;
  const name = schema.$ref.split('/').at(-1);
  return `[${name}](#${name.toLowerCase()})`;
}

/** A schema in which a reference is the name of what it refers to. */
function shortened(schema) {
  if (Array.isArray(schema)) return schema.map(shortened);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1);
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, shortened(value)]));
}
