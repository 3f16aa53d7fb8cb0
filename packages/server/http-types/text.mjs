// The text of packages/client/src/http-types.ts: the schemas of the OpenAPI document as TypeScript.

const head = `/**
 * The bodies of all requests and answers (docs/http.md). Made by the build from the operations of the service:
 * each has a \`…Request\` and a \`…Response\` of its name.
 */

/** A value of JSON. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };
`;

/**
 * The module. `schemas` are those of the document, `bodies` the operations with a name for each of their bodies, which
 * `nameOf` gives. What the service shows of itself, such as its health, and what is for its operator is no part of the module.
 */
export function typesText(schemas, bodies, nameOf) {
  const places = new Map();
  const aliases = [];
  for (const [place, title, schema] of bodies.filter(isOfClient).flatMap(bodiesOf)) {
    const name = nameOf(schema);
    places.set(name, [...(places.get(name) ?? []), place]);
    if (name !== title && title !== undefined)
      aliases.push([title, `/** ${place} */\nexport type ${title} = ${name};\n`]);
  }
  const reached = reachedFrom([...places.keys(), 'ErrorBody', 'ImportLine'], schemas);
  const types = Object.keys(schemas)
    .filter((name) => reached.has(name))
    .map((name) => comment(placeText(places.get(name)), schemas[name]) + declaration(name, schemas[name]));
  const others = new Map(aliases.filter(([title]) => !reached.has(title)));
  return [head, ...types, ...others.values()].join('\n');
}

/** The library is for those who have a key of a project. */
function isOfClient({ tag }) {
  return tag !== 'Service' && tag !== 'Administration';
}

/** Each JSON body of an operation: where it is, the name that it would have by the operation, and its schema. */
function bodiesOf({ id, method, path, request, answers }) {
  const name = id.charAt(0).toUpperCase() + id.slice(1);
  const place = `\`${method} ${path}\``;
  const sent = request?.content['application/json'];
  const answered = Object.entries(answers).filter(([, { content }]) => content?.['application/json']);
  return [
    ...(sent === undefined ? [] : [[place, `${name}Request`, sent.schema]]),
    ...answered.map(([status, { content }]) => [
      `${place}, ${status}`,
      // The failures that say what is missing have names of their own.
      Number(status) < 400 ? `${name}Response` : undefined,
      content['application/json'].schema,
    ]),
  ];
}

function placeText(places = []) {
  return [...new Set(places)].join('; ');
}

/** The names of these schemas and of all that they refer to. */
function reachedFrom(names, schemas) {
  const reached = new Set();
  const reach = (name) => {
    if (reached.has(name)) return;
    reached.add(name);
    for (const [, next] of JSON.stringify(schemas[name]).matchAll(/schemas\/(\w+)/g)) reach(next);
  };
  names.forEach(reach);
  return reached;
}

function declaration(name, schema) {
  return isObject(schema)
    ? `export interface ${name} ${objectType(schema)}\n`
    : `export type ${name} = ${typeOf(schema)};\n`;
}

function isObject({ properties }) {
  return properties !== undefined;
}

function typeOf(schema) {
  const { $ref, type, enum: values, anyOf, items, additionalProperties } = schema;
  if ($ref !== undefined) return $ref.split('/').at(-1);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' | ');
  if (isObject(schema)) return objectType(schema);
  switch (type) {
    case 'array':
      return `readonly ${items.anyOf === undefined ? typeOf(items) : `(${typeOf(items)})`}[]`;
    case 'object':
      return `Readonly<Record<string, ${typeOf(additionalProperties)}>>`;
    case 'integer':
      return 'number';
    default:
      return type ?? 'unknown';
  }
}

function objectType({ properties, required = [], additionalProperties }) {
  const members = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment('', schema)}${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};`,
  );
  const others = additionalProperties === true ? ['[name: string]: unknown;'] : [];
  return `{\n${[...members, ...others].join('\n').replace(/^/gm, '  ')}\n}`;
}

/** The comment of a type or a member: where it is, what the schema says, and its limits. */
function comment(place, schema) {
  const { description = '' } = { ...notNull(schema), ...schema };
  const text = [place, description, limitsOf(notNull(schema))]
    .filter((part) => part !== '')
    .map((part) => (part === place && description === '' ? part : `${part}.`))
    .join(' ');
  if (text === '') return '';
  const lines = wrapped(text);
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`;
}

/** The schema of a value that may be `null` as well, without the `null`. */
function notNull(schema) {
  const { anyOf } = schema;
  return anyOf?.length === 2 && anyOf[1].type === 'null' ? anyOf[0] : schema;
}

function limitsOf({ minimum, maximum, minItems, maxItems }) {
  const [least, most] = [minimum ?? minItems, maximum ?? maxItems];
  if (most !== undefined) return `${least ?? 0} to ${most}`;
  return least > 0 ? `${least} or more` : '';
}

function wrapped(text) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line.length + word.length < 100) lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
