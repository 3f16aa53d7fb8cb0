import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SendOptions } from '../../src/api.js';

/** A line of the table of docs/http.md#all-operations that is for keys of a project. */
export interface Operation {
  /** `PUT /{base}/items` */
  readonly text: string;
  readonly method: string;
  readonly place: 'base' | 'drive' | 'name' | 'project';
  readonly access: 'read' | 'write' | 'full' | 'without limits';
  /** What becomes of items and files beyond the prefix of the key. */
  readonly beyond: 'refused' | 'never' | 'narrowed' | '';
}

/** What a request works on. */
export interface Place {
  readonly project: string;
  /** The name of a base and of a drive. */
  readonly name: string;
  /** The key of an item, and the name of a file. */
  readonly item: string;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly options: SendOptions;
}

const page = readFileSync(fileURLToPath(new URL('../../../../docs/http.md', import.meta.url)), 'utf8');

/** All operations below `/v1/{project}`, as the table has them. */
export function readOperations(): readonly Operation[] {
  const [, section = ''] = /### All operations\n(.*?)\n## /s.exec(page) ?? [];
  const rows = section.matchAll(/^\| \S.*? \| `(\w+) \/v1\/\{project\}(\S+)` \| (.*?) \| *(.*?) *\|/gm);
  return Array.from(rows, ([, method = '', path = '', access, beyond]) => {
    const place = /^\/\{(\w+)\}/.exec(path)?.[1] ?? 'project';
    return { text: `${method} ${path}`, method, place, access, beyond } as Operation;
  });
}

type Build = (place: Place) => { readonly path?: string; readonly options?: SendOptions };

const plain: Build = () => ({});
const named = ({ item }: Place) => `name=${encodeURIComponent(item)}`;
const lines = ({ item }: Place) => `${JSON.stringify({ key: item, by: 'test' })}\n`;
const uploadId = 'f'.repeat(32);
const everything = (more: object = {}): SendOptions => ({ json: { query: [], ...more } });

/**
 * What a request of an operation has besides its method and path. Several requests, if it has several forms. An operation
 * that only reads or deletes, and needs nothing else, has no line.
 */
const builds: Readonly<Record<string, readonly Build[]>> = {
  'PUT /{base}/items': [
    ({ item }) => ({ options: { json: { items: [{ key: item, by: 'test' }] } } }),
    (place) => ({ options: { body: lines(place), type: 'application/x-ndjson' } }),
  ],
  'POST /{base}/items': [
    ({ item }) => ({ options: { json: { item: { key: item, by: 'test' } } } }),
    (place) => ({ options: { body: lines(place), type: 'application/x-ndjson' } }),
  ],
  'GET /{base}/items': [plain, ({ item }) => ({ path: `?prefix=${encodeURIComponent(item)}` })],
  'PATCH /{base}/items/{key}': [() => ({ options: { json: { set: { by: 'test' } } } })],
  'POST /{base}/query': [
    () => ({ options: everything() }),
    () => ({ options: everything({ order: ['-n'], count: true, offset: 1 }) }),
    () => ({ options: everything({ sort: 'desc', limit: 1, count: true }) }),
    ({ item }) => ({ options: { json: { query: [{ key: item }] } } }),
    ({ item }) => ({ options: { json: { query: [{ 'key?gte': item }] } } }),
  ],
  'POST /{base}/query/count': [() => ({ options: everything() })],
  'POST /{base}/query/aggregate': [
    () => ({ options: everything({ aggregates: { n: { count: true } } }) }),
    () => ({ options: everything({ group: ['by'], aggregates: { most: { max: 'n' } } }) }),
  ],
  'POST /{base}/query/profile': [() => ({ options: everything() })],
  'POST /{base}/query/delete': [
    () => ({ options: { json: { query: [{ 'by?ne': 'x' }] } } }),
    ({ item }) => ({ options: { json: { query: [{ 'key?lte': `${item}~` }] } } }),
  ],
  'POST /{base}/query/update': [() => ({ options: everything({ all: true, set: { by: 'test' } }) })],
  'POST /{base}/transactions': (
    [
      (key) => ({ put: { key, by: 'test' } }),
      (key) => ({ insert: { key, by: 'test' } }),
      (key) => ({ update: { key, set: { by: 'test' } } }),
      (key) => ({ delete: { key } }),
      (key) => ({ check: { key, if: null } }),
    ] as ((key: string) => object)[]
  ).map(
    (operation): Build =>
      ({ item }) => ({ options: { json: { operations: [operation(item)] } } }),
  ),

  'GET /changes': [plain, () => ({ path: '?since=0&limit=1000' })],
  'GET /shape': [({ name }) => ({ path: `?table=${encodeURIComponent(name)}&offset=-1` })],
  'POST /changes/tickets': [() => ({ options: { json: {} } })],

  'POST /hooks': [() => ({ options: { json: { url: 'https://example.com' } } })],
  'PATCH /hooks/{hook}': [() => ({ options: { json: { paused: true } } })],
  'POST /hooks/{hook}/test': [plain],

  'PUT /{base}/indexes/{index}': [() => ({ options: { json: { fields: ['n'] } } })],

  'POST /{drive}/files': [(place) => ({ path: `?${named(place)}`, options: { body: 'test' } })],
  'GET /{drive}/files': [
    plain,
    () => ({ path: '?recursive=false' }),
    () => ({ path: '?details=true&limit=1' }),
    (place) => ({ path: `?prefix=${encodeURIComponent(place.item)}` }),
  ],
  'PATCH /{drive}/files': [
    (place) => ({ path: `?${named(place)}`, options: { json: { content_type: 'text/x-test' } } }),
  ],
  'DELETE /{drive}/files': [({ item }) => ({ options: { json: { names: [item] } } })],
  'GET /{drive}/files/parts': [(place) => ({ path: `?${named(place)}` })],
  'GET /{drive}/files/download': [(place) => ({ path: `?${named(place)}` })],
  'POST /{drive}/files/move': [
    ({ item }) => ({ options: { json: { files: [{ from: item, to: `${item}-moved` }] } } }),
  ],
  'POST /{drive}/files/copy': [
    ({ item }) => ({ options: { json: { files: [{ from: item, to: `${item}-copy` }] } } }),
  ],
  'PUT /{name}/settings': [() => ({ options: { json: { trash: '1d', counted: true } } })],
  'POST /{drive}/trash/restore': [
    ({ item }) => ({ options: { json: { files: [{ id: '0'.repeat(44), name: item }] } } }),
  ],
  'DELETE /{drive}/trash': [() => ({ options: { json: { ids: ['0'.repeat(44)] } } })],

  'POST /{drive}/uploads': [(place) => ({ path: `?${named(place)}` })],
  'GET /{drive}/uploads/{upload_id}': [(place) => ({ path: `?${named(place)}` })],
  'PATCH /{drive}/uploads/{upload_id}': [(place) => ({ path: `?${named(place)}` })],
  'DELETE /{drive}/uploads/{upload_id}': [(place) => ({ path: `?${named(place)}` })],
  'POST /{drive}/uploads/{upload_id}/parts': [
    (place) => ({ path: `?${named(place)}&part=1`, options: { body: 'test' } }),
  ],

  'PUT /{drive}/public': [() => ({ options: { json: { prefixes: ['public/'] } } })],
  'POST /{drive}/links': [
    ({ item }) => ({ options: { json: { name: item, method: 'GET', expires_in: 60 } } }),
    ({ item }) => ({ options: { json: { names: [item], method: 'POST', expires_in: 60 } } }),
    ({ item }) => ({ options: { json: { name: item, method: 'GET', expires_in: 60, listed: true } } }),
  ],
  'DELETE /{drive}/links': [() => ({ path: `?id=${'0'.repeat(44)}` })],

  'POST /keys': [() => ({ options: { json: { access: 'read', expires_in: 1 } } })],
  'DELETE /keys': [() => ({ path: '?id=unknown' })],
  'GET /bases': [plain, ({ name }) => ({ path: `?prefix=${encodeURIComponent(name)}` })],
  'GET /drives': [plain, ({ name }) => ({ path: `?prefix=${encodeURIComponent(name)}` })],
};

/** The requests of an operation on a place. Throws for one that changes something and has no line above. */
export function requestsOf({ text, method }: Operation, place: Place): readonly Request[] {
  const forms = builds[text] ?? (method === 'GET' || method === 'DELETE' ? [plain] : undefined);
  if (forms === undefined) throw new Error(`test/support/operations.ts has no request for ${text}`);
  const path = text
    .slice(method.length + 1)
    .replace(/\{(base|drive|name)\}/, encodeURIComponent(place.name))
    .replace('{key}', encodeURIComponent(place.item))
    .replace('{upload_id}', uploadId)
    .replace('{hook}', uploadId)
    .replace('{index}', 'by-n');
  return forms.map((build) => {
    const { path: more = '', options = {} } = build(place);
    return { method, path: `/v1/${place.project}${path}${more}`, options };
  });
}
