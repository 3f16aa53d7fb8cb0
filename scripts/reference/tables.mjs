// The tables of docs/http.md that come from the operations, each between two markers.

/** Gives the page with its tables made anew. Throws for an operation whose section the page does not have. */
export function withTables(page, operations, problemCodes) {
  const titles = titlesOf(page);
  const linkTo = ({ id, section }) => {
    const title = titles.get(section);
    if (title === undefined)
      throw new Error(`docs/http.md has no section #${section}, which is that of ${id}`);
    return `[${title}](#${section})`;
  };
  /** Several operations may have one section. */
  const distinctLinkTo = (operation) => {
    const isAlone = operations.filter(({ section }) => section === operation.section).length === 1;
    return isAlone ? linkTo(operation) : `${linkTo(operation)}: ${inSentence(operation.summary)}`;
  };
  const tables = {
    operations: [
      ['operation', 'method and path', 'success'],
      ...operations.map((operation) => [
        linkTo(operation) + keyOf(operation),
        requestOf(operation),
        statusesOf(operation, isSuccess),
      ]),
    ],
    rights: [
      ['method and path, below `/v1/{project}`', 'access', 'beyond `prefix`'],
      ...operations
        .filter((operation) => keyOf(operation) === '' && !takesLines(operation))
        .map((operation) => [
          `\`${operation.method} ${operation.path.replace('/v1/{project}', '')}\``,
          operation.access === 'no limit' ? 'a key without limits' : operation.access,
          beyondPrefix(operation),
        ]),
    ],
    statuses: [
      ['operation', 'success', '400', '404', 'others'],
      [
        'every operation below `/v1`',
        '',
        'malformed path',
        '',
        '401, 403, 405, 408, 410, 417, 429, 431, 500, 503; of a write also 507',
      ],
      ...operations.map((operation) => [
        distinctLinkTo(operation),
        statusesOf(operation, isSuccess),
        failuresOf(operation).includes(400) ? '✓' : '',
        notFoundOf(operation),
        statusesOf(operation, (status) => !isSuccess(status) && ![400, 404].includes(status)),
      ]),
    ],
  };
  tables.codes = [
    ['code', 'status', 'meaning'],
    ...Object.entries(problemCodes).map(([code, { status, meaning }]) => [`\`${code}\``, status, meaning]),
  ];
  let made = page;
  for (const [name, rows] of Object.entries(tables)) made = replaced(made, name, rows);
  return made;
}

/** The titles of the sections by their anchors. */
function titlesOf(page) {
  const outsideExamples = page.replace(/^```.*?^```$/gms, '');
  return new Map(
    Array.from(outsideExamples.matchAll(/^##+ (.*)$/gm), ([, title]) => [
      title
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
      title,
    ]),
  );
}

const linesType = 'application/x-ndjson';

function takesLines({ request }) {
  return request?.content[linesType] !== undefined;
}

/** Which key an operation needs, if it is not one of a project. */
function keyOf({ access }) {
  return { 'no key': ', without a key', operator: ', with the key of the operator' }[access] ?? '';
}

function requestOf(operation) {
  const { method, path } = operation;
  return `\`${method} ${path}\`${takesLines(operation) ? ` with \`${linesType}\`` : ''}`;
}

function statusesOf(operation, isWanted) {
  const statuses = [...Object.keys(operation.answers).map(Number), ...failuresOf(operation)];
  return [...new Set(statuses)]
    .filter(isWanted)
    .sort((a, b) => a - b)
    .join(', ');
}

/** The statuses of its failures, with those that a body of its kind has. */
function failuresOf({ failures = [], request }) {
  const isJson = request?.content['application/json'] !== undefined;
  return [...failures, ...(isJson ? [400, 415] : []), ...(request?.tooLarge === undefined ? [] : [413])];
}

function inSentence(text) {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function isSuccess(status) {
  return status < 400;
}

/** The body of a 404 that has no errors. */
function notFoundOf(operation) {
  const { schema } = operation.answers[404]?.content['application/json'] ?? {};
  if (schema !== undefined) return `\`{${Object.keys(schema.properties).map((name) => `"${name}":"…"`)}}\``;
  return failuresOf(operation).includes(404) || operation.answers[404] ? '✓' : '';
}

function beyondPrefix({ access, names = 'whole' }) {
  if (access === 'no limit') return '';
  if (names === 'narrowed') return names;
  return names === 'whole' ? 'refused to keys with a prefix' : 'refused';
}

function replaced(page, name, [head, ...rows]) {
  const [begin, end] = [`<!-- ${name}: made by npm run reference -->\n`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`docs/http.md has no place for the table ${name}`);
  const line = (cells) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |').replaceAll('|  |', '| |');
  const table = [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
  return `${page.slice(0, from + begin.length)}\n${table}\n\n${page.slice(to)}`;
}
