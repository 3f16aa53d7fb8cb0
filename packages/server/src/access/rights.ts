/** What a key may do at most. Each includes those before it (docs/http.md#limited-keys). */
export type Access = 'read' | 'write' | 'full';

/** What an operation needs: no key, a key with this access, or a key without any limit. */
type Need = 'no key' | Access | 'no limit';

/** What an operation works on. It decides which list of the key is compared with the name in the path. */
type Place = 'base' | 'drive' | 'base or drive' | 'project';

/**
 * Where the keys of items and names of files are that an operation touches. `path` and `query`: before the handler runs,
 * they are compared with the key's prefix. `body`: the handler compares them with `requireWithin`. `narrowed`: the
 * handler works only on what begins with the prefix. `whole`: a key with a prefix is refused.
 */
type Names = 'path' | 'query' | 'body' | 'narrowed' | 'whole';

export interface Right {
  readonly need: Need;
  /** The place of `need` in the order of needs. */
  readonly rank: number;
  readonly place: Place;
  readonly names: Names;
}

/** The needs in their order: who fulfils one fulfils those before it. */
export const ranks: Readonly<Record<Need, number>> = {
  'no key': 0,
  read: 1,
  write: 2,
  full: 3,
  'no limit': 4,
};

const needs =
  (need: Need) =>
  (place: Place, names: Names): Right => ({ need, rank: ranks[need], place, names });
const read = needs('read');
const write = needs('write');
const full = needs('full');
const anyone = needs('no key')('project', 'whole');
const unlimited = needs('no limit')('project', 'whole');

/**
 * Who may do what: a line for each method of each route. The listener reads it before any handler runs
 * (docs/http.md#what-each-key-may-do). The service does not start with a route that has no line.
 */
const rights: Readonly<Record<string, Right>> = {
  'GET /health': anyone,
  'GET /ready': anyone,
  'GET /openapi.json': anyone,
  'GET /': anyone,
  'GET /assets/:file': anyone,

  'PUT /v1/:project/:name/items': write('base', 'body'),
  'POST /v1/:project/:name/items': write('base', 'body'),
  'GET /v1/:project/:name/items': read('base', 'narrowed'),
  'DELETE /v1/:project/:name/items?all': full('base', 'narrowed'),
  'GET /v1/:project/:name/items/:key': read('base', 'path'),
  'DELETE /v1/:project/:name/items/:key': write('base', 'path'),
  'PATCH /v1/:project/:name/items/:key': write('base', 'path'),
  'POST /v1/:project/:name/query': read('base', 'narrowed'),
  'POST /v1/:project/:name/query/count': read('base', 'narrowed'),
  'POST /v1/:project/:name/query/delete': write('base', 'narrowed'),
  'POST /v1/:project/:name/query/update': write('base', 'narrowed'),
  'POST /v1/:project/:name/transactions': write('base', 'body'),

  'GET /v1/:project/:name/indexes': read('base', 'whole'),
  'PUT /v1/:project/:name/indexes/:index': full('base', 'whole'),
  'DELETE /v1/:project/:name/indexes/:index': full('base', 'whole'),

  'POST /v1/:project/:name/files': write('drive', 'query'),
  'GET /v1/:project/:name/files': read('drive', 'narrowed'),
  'PATCH /v1/:project/:name/files': write('drive', 'query'),
  'DELETE /v1/:project/:name/files': write('drive', 'body'),
  'DELETE /v1/:project/:name/files?all': full('drive', 'narrowed'),
  'GET /v1/:project/:name/files/download': read('drive', 'query'),
  'POST /v1/:project/:name/files/move': write('drive', 'body'),
  'POST /v1/:project/:name/files/copy': write('drive', 'body'),
  'GET /v1/:project/:name/uploads': write('drive', 'narrowed'),
  'POST /v1/:project/:name/uploads': write('drive', 'query'),
  'GET /v1/:project/:name/uploads/:uploadId': write('drive', 'query'),
  'PATCH /v1/:project/:name/uploads/:uploadId': write('drive', 'query'),
  'DELETE /v1/:project/:name/uploads/:uploadId': write('drive', 'query'),
  'POST /v1/:project/:name/uploads/:uploadId/parts': write('drive', 'query'),

  'GET /v1/:project/:name/public': read('drive', 'whole'),
  'PUT /v1/:project/:name/public': full('drive', 'whole'),
  'POST /v1/:project/:name/links': full('drive', 'body'),
  'GET /links/:token/:file': anyone,
  'POST /links/:token/:file': anyone,
  'GET /public/:publicProject/:drive/*': anyone,

  'GET /v1/:project/keys': unlimited,
  'GET /v1/:project/keys?self': read('project', 'narrowed'),
  'POST /v1/:project/keys': unlimited,
  'DELETE /v1/:project/keys': unlimited,

  'GET /v1/:project/bases': read('project', 'narrowed'),
  'GET /v1/:project/drives': read('project', 'narrowed'),
  'GET /v1/:project/:name/stats': read('base or drive', 'narrowed'),
  'GET /v1/:project/activity': unlimited,
};

/** The right that a method of a route needs; undefined if the table has no line for it. */
export function rightOf(method: string, pattern: string): Right | undefined {
  return Object.hasOwn(rights, `${method} ${pattern}`) ? rights[`${method} ${pattern}`] : undefined;
}

/** The methods and routes that the table has a line for, as its keys. */
export function tabledOperations(): readonly string[] {
  return Object.keys(rights);
}
