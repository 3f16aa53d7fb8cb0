import type { Api, Reply } from '../api.js';
import { freshBase, freshName } from '../names.js';
import { must } from '../stall/requests/hostile-request.js';

/** A request whose small body becomes a large tree of values in memory. */
export interface ParsedBody {
  readonly name: string;
  readonly method: string;
  /** Below `/v1/{project}`. `{name}` is the name of a base and of a drive. */
  readonly path: string;
  readonly body: string;
  readonly type?: string;
  /** The status when the server takes its time. */
  readonly status: number;
}

const objects = (count: number) => filled('{}', count);
const lists = (count: number) => filled(`${'['.repeat(80)}${']'.repeat(80)}`, count / 80);
const numbers = (count: number) => filled('123456', count);
/** As many values as a query, an update and an item may have. */
const values = 200_000;
/** So many objects fit into an item. */
const valuesOfItem = 130_000;
const storedItems = 24;

function filled(value: string, count: number): string {
  return `[${Array(Math.floor(count)).fill(value).join(',')}]`;
}

function paths(count: number, segments: number): string[] {
  return Array.from({ length: count }, (_, n) => [n, ...Array(segments - 1).fill('ab')].join('.'));
}

/** With white space, an item is parsed, and not only scanned. */
const item = (x: string, key = 'k') => `{ "key": "${key}", "x": ${x} }`;

/** For every route with a JSON body, the bodies of it that become the largest. */
export const parsedBodies: readonly ParsedBody[] = [
  { name: 'Query Items', method: 'POST', path: '/{name}/query', body: `{"query":{"x":${objects(values)}}}` },
  {
    name: 'Query Items, lists',
    method: 'POST',
    path: '/{name}/query',
    body: `{"query":{"x":${lists(values)}}}`,
  },
  {
    name: 'Query Items, an unknown member',
    method: 'POST',
    path: '/{name}/query',
    body: `{"x":${objects(values)}}`,
  },
  {
    name: 'Query Items, selected paths',
    method: 'POST',
    path: '/{name}/query',
    body: JSON.stringify({ select: paths(1000, 91) }),
  },
  {
    name: 'Query Items, a thousand conditions',
    method: 'POST',
    path: '/{name}/query',
    body: JSON.stringify({ query: Object.fromEntries(paths(1000, 91).map((path) => [path, 1])) }),
  },
  {
    name: 'Query Items, many objects',
    method: 'POST',
    path: '/{name}/query',
    body: `{"query":${objects(values)}}`,
    status: 400,
  },
  {
    name: 'Count Items',
    method: 'POST',
    path: '/{name}/query/count',
    body: `{"query":{"x":${numbers(values)}}}`,
  },
  {
    name: 'Delete By Query',
    method: 'POST',
    path: '/{name}/query/delete',
    body: `{"query":{"x":${objects(values)}}}`,
  },
  {
    name: 'Update By Query',
    method: 'POST',
    path: '/{name}/query/update',
    body: `{"query":{"x":1},"set":{"x":${objects(values)}}}`,
  },
  {
    name: 'Update Item',
    method: 'PATCH',
    path: '/{name}/items/small',
    body: `{"set":{"x":${objects(valuesOfItem)}}}`,
  },
  {
    name: 'Update Item, too large',
    method: 'PATCH',
    path: '/{name}/items/small',
    body: `{"set":{"x":${objects(values)}}}`,
    status: 400,
  },
  {
    name: 'Update Item, a condition',
    method: 'PATCH',
    path: '/{name}/items/small',
    body: `{"if":{"x":${numbers(values)}},"set":{"n":1}}`,
    status: 412,
  },
  {
    name: 'Update Item, two thousand paths',
    method: 'PATCH',
    path: '/{name}/items/small',
    body: JSON.stringify({ delete: paths(2000, 99) }),
  },
  {
    name: 'Transactions',
    method: 'POST',
    path: '/{name}/transactions',
    body: `{"operations":[${Array.from({ length: 100 }, (_, n) => `{"update":{"key":"t${n}","set":{"x":${objects(values / 100 - 10)}}}}`)}]}`,
    status: 404,
  },
  {
    name: 'Put Items',
    method: 'PUT',
    path: '/{name}/items',
    body: `{"items":[${[0, 1, 2, 3].map((n) => item(objects(valuesOfItem), `p${n}`))}]}`,
    status: 207,
  },
  {
    name: 'Put Items, too large',
    method: 'PUT',
    path: '/{name}/items',
    body: `{"items":[${item(objects(values))}]}`,
    status: 400,
  },
  {
    name: 'Insert Item',
    method: 'POST',
    path: '/{name}/items',
    body: `{"item":${item(objects(values))}}`,
    status: 400,
  },
  {
    name: 'Import Items',
    method: 'PUT',
    path: '/{name}/items',
    body: Array(2)
      .fill(item(objects(values)))
      .join('\n'),
    type: 'application/x-ndjson',
  },
  {
    name: 'Declare Index',
    method: 'PUT',
    path: '/{name}/indexes/i',
    body: `{"fields":${objects(values)}}`,
    status: 400,
  },
  {
    name: 'Move Files',
    method: 'POST',
    path: '/{name}/files/move',
    body: `{"files":${objects(values)}}`,
    status: 400,
  },
  {
    name: 'Copy Files',
    method: 'POST',
    path: '/{name}/files/copy',
    body: `{"overwrite":${objects(values)}}`,
    status: 400,
  },
  {
    name: 'Delete Files',
    method: 'DELETE',
    path: '/{name}/files',
    body: `{"x":${objects(values)}}`,
    status: 400,
  },
  {
    name: 'Create Links',
    method: 'POST',
    path: '/{name}/links',
    body: `{"names":${objects(values)}}`,
    status: 400,
  },
  {
    name: 'Set Public Prefixes',
    method: 'PUT',
    path: '/{name}/public',
    body: `{"prefixes":${objects(values)}}`,
    status: 400,
  },
  { name: 'Create Key', method: 'POST', path: '/keys', body: `{"bases":${objects(values)}}`, status: 400 },
].map((body) => ({ status: 200, ...body }));

/** Updates with a small body of items that are stored, and become large trees. */
export const updatesOfLargeItems: readonly ParsedBody[] = Array.from({ length: storedItems }, (_, n) => ({
  name: 'Update Item, a large item',
  method: 'PATCH',
  path: `/{name}/items/large${n}`,
  body: '{"set":{"y":1}}',
  status: 200,
}));

/** Sends the requests to a base and a drive of their own. */
export interface ParsedBodies {
  send(body: ParsedBody): Promise<Reply>;
}

/** Stores the items that the requests are about. */
export async function prepareParsedBodies(api: Api): Promise<ParsedBodies> {
  const name = freshName('parsed');
  const base = freshBase(api, name);
  await must(207, base.put({ key: 'small', n: 0 }));
  const x = objects(valuesOfItem);
  const lines = Array.from({ length: storedItems }, (_, n) => `{"key":"large${n}","x":${x}}`);
  await must(200, base.sendText('PUT', '/items', lines.join('\n'), 'application/x-ndjson'));
  return {
    send: ({ method, path, body, type = 'application/json' }) =>
      api.send(method, `/v1/${api.target.project}${path.replace('{name}', name)}`, { body, type }),
  };
}
