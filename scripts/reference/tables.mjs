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
  const tables = {
    operations: [
      ['operation', 'method and path', 'key', 'beyond `prefix`', 'success', 'failures'],
      ...operations.map((operation) => [
        linkTo(operation),
        requestOf(operation),
        keyOf(operation),
        beyondPrefix(operation),
        statusesOf(operation, isSuccess),
        statusesOf(operation, (status) => !isSuccess(status)),
      ]),
    ],
    codes: [
      ['code', 'status', 'meaning'],
      ...Object.entries(problemCodes).map(([code, { status, meaning }]) => [`\`${code}\``, status, meaning]),
    ],
  };
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

/** The access of the key that an operation needs. */
function keyOf({ access }) {
  return { 'no key': 'none', 'no limit': 'without limits', operator: 'of the operator' }[access] ?? access;
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

function isSuccess(status) {
  return status < 400;
}

/** What a key with a prefix gets; nothing for what no such key may do, or for what needs no key of a project. */
function beyondPrefix({ access, names = 'whole' }) {
  if (['no limit', 'no key', 'operator'].includes(access)) return '';
  if (names === 'narrowed') return names;
  return names === 'whole' ? 'never' : 'refused';
}

function replaced(page, name, [head, ...rows]) {
  const [begin, end] = [`<!-- ${name}: made by npm run reference -->\n`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`docs/http.md has no place for the table ${name}`);
  const line = (cells) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |').replaceAll('|  |', '| |');
  const table = [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
  return `${page.slice(0, from + begin.length)}\n${table}\n\n${page.slice(to)}`;
}
