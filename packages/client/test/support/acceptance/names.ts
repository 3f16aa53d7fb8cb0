// Replaces the module of the acceptance tests that sends requests: the same operations, through the library. A request that
// the library cannot send, because it refuses the call itself or has no such option, is sent as before.
import { type Basedrive, util } from '../../../src/in-node.js';
import { through } from './record.js';
import type { Api, Names, RawBase, RawDrive } from './wire.js';

const { raw } = Object.fromEntries(new URL(import.meta.url).searchParams);
if (raw === undefined) throw new Error('raw: the URL of the replaced module is missing');
const names = (await import(raw)) as Names;
export const { freshName, openUpload } = names;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Every `fetch` removes `.` and `..` from a path. */
const canBeSent = (key: string) => !/^\.{0,2}$/.test(key) && key.isWellFormed();
const isBlank = (name: string) => name.trim() === '';
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

export function freshBase(api: Api, name = freshName('base')): RawBase {
  const http = names.freshBase(api, name);
  return {
    ...http,
    put(...items) {
      if (items.length < 1 || items.length > 25 || !items.every(isObject)) return http.put(...items);
      return through(
        'put',
        api,
        ({ Base }) => Base(name).putMany(items),
        (reply) => reply.json(),
      );
    },
    insert(item) {
      if (!isObject(item)) return http.insert(item);
      return through(
        'insert',
        api,
        ({ Base }) => Base(name).insert(item),
        (reply) => reply.json(),
      );
    },
    get(key) {
      if (!canBeSent(key)) return http.get(key);
      const expected = (reply: { status: number; json(): unknown }) =>
        reply.status === 404 ? null : reply.json();
      return through('get', api, ({ Base }) => Base(name).get(key), expected);
    },
    remove(key) {
      if (!canBeSent(key)) return http.remove(key);
      return through(
        'delete',
        api,
        ({ Base }) => Base(name).delete(key),
        () => null,
      );
    },
    update(key, update) {
      const updates = updatesOf(update);
      if (updates === undefined || !canBeSent(key)) return http.update(key, update);
      return through(
        'update',
        api,
        ({ Base }) => Base(name).update(updates, key),
        () => null,
      );
    },
    query(query) {
      if (!canBeAsked(query)) return http.query(query);
      const { query: conditions, limit, last, sort } = query;
      const options = { last, desc: sort === 'desc' };
      if (limit !== undefined) {
        return through(
          'fetch',
          api,
          ({ Base }) => Base(name).fetch(conditions, { ...options, limit }),
          (reply) => {
            const { items, paging } = reply.json<{
              items: unknown;
              paging: { size: number; last?: string };
            }>();
            return { items, count: paging.size, last: paging.last };
          },
        );
      }
      // Without a limit: the first page of an iteration.
      const firstItem = async ({ Base }: Basedrive) =>
        (await Base(name).items(conditions, options).next()).value;
      return through('items', api, firstItem, (reply, made) => {
        const { items, paging } = reply.json<{ items: unknown[]; paging: { last?: string } }>();
        // After an empty page that is not the last, the iteration continues.
        return items.length === 0 && paging.last !== undefined ? made : items[0];
      });
    },
  };
}

export function freshDrive(api: Api, name = freshName('drive')): RawDrive {
  const http = names.freshDrive(api, name);
  return {
    ...http,
    put(file, body, options = {}) {
      const { type, ...others } = options;
      const small = Buffer.byteLength(body) <= 10 * 1024 * 1024;
      if (Object.keys(others).length > 0 || !small || isBlank(file)) return http.put(file, body, options);
      return through(
        'put file',
        api,
        ({ Drive }) => Drive(name).put(file, body, { contentType: type }),
        () => file,
      );
    },
    get(file, headers = {}) {
      const range = rangeOf(headers);
      if (range === null || isBlank(file)) return http.get(file, headers);
      const read = async ({ Drive }: Basedrive) => {
        const found = await Drive(name).get(file, { range });
        return found && { type: found.type, size: found.size, bytes: Buffer.from(await found.bytes()) };
      };
      return through('get file', api, read, ({ status, headers: answered, body }) =>
        status === 404
          ? null
          : { type: answered['content-type'], size: Number(answered['content-length']), bytes: body },
      );
    },
    list(query = {}) {
      const { limit, prefix, last, recursive, ...others } = query as Record<
        string,
        string | number | undefined
      >;
      const numeric = limit === undefined || typeof limit === 'number';
      const flag = recursive === undefined || recursive === 'true' || recursive === 'false';
      if (Object.keys(others).length > 0 || !numeric || !flag) return http.list(query);
      const options = {
        limit: limit as number | undefined,
        prefix: prefix === undefined ? undefined : String(prefix),
        last: last === undefined ? undefined : String(last),
        recursive: recursive === undefined ? undefined : recursive === 'true',
      };
      return through(
        'list',
        api,
        ({ Drive }) => Drive(name).list(options),
        (reply) => reply.json(),
      );
    },
    remove(files) {
      const some = Array.isArray(files) && files.length > 0 && files.length <= 1000;
      if (!some || !files.every((file) => typeof file === 'string')) return http.remove(files);
      return through(
        'delete files',
        api,
        ({ Drive }) => Drive(name).deleteMany(files),
        (reply) => reply.json(),
      );
    },
  };
}

/** The body of an update as a call of the library; undefined where the library has no such call. */
function updatesOf(update: unknown): Record<string, unknown> | undefined {
  if (!isObject(update)) return undefined;
  const updates: [string, unknown][] = [];
  for (const [member, value] of Object.entries(update)) {
    if (member === 'delete') {
      if (!Array.isArray(value) || value.length === 0 || !value.every((path) => typeof path === 'string'))
        return undefined;
      updates.push(...value.map((path): [string, unknown] => [path, util.trim()]));
    } else if (isObject(value) && Object.keys(value).length > 0) {
      for (const [path, operand] of Object.entries(value)) {
        if (member === 'set') updates.push([path, operand]);
        else if (member === 'increment' && typeof operand === 'number')
          updates.push([path, util.increment(operand)]);
        else if (member === 'append' && Array.isArray(operand)) updates.push([path, util.append(operand)]);
        else if (member === 'prepend' && Array.isArray(operand)) updates.push([path, util.prepend(operand)]);
        else return undefined;
      }
    } else return undefined;
  }
  const paths = new Set(updates.map(([path]) => path));
  // An object cannot have a path twice.
  return paths.size === updates.length && paths.size > 0 ? Object.fromEntries(updates) : undefined;
}

interface Asked {
  query?: Record<string, unknown> | Record<string, unknown>[];
  limit?: number;
  last?: string;
  sort?: 'asc' | 'desc';
}

function canBeAsked(query: unknown): query is Asked {
  if (!isObject(query)) return false;
  const { query: conditions, limit, last, sort, ...others } = query;
  return (
    Object.keys(others).length === 0 &&
    (conditions === undefined ||
      isObject(conditions) ||
      (Array.isArray(conditions) && conditions.every(isObject))) &&
    (limit === undefined || typeof limit === 'number') &&
    (last === undefined || isText(last)) &&
    (sort === undefined || sort === 'asc' || sort === 'desc')
  );
}

type Range = { from: number; to?: number } | { last: number };

/** The range of a request without other headers; null for headers that the library cannot send. */
function rangeOf(headers: Readonly<Record<string, string>>): Range | undefined | null {
  const [[name, value] = [], ...others] = Object.entries(headers);
  if (name === undefined) return undefined;
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(value ?? '') ?? [];
  if (others.length > 0 || name !== 'Range' || from === undefined) return null;
  if (from === '') return to ? { last: Number(to) } : null;
  if (!to) return { from: Number(from) };
  return Number(from) > Number(to) ? null : { from: Number(from), to: Number(to) };
}
