import { randomBytes } from 'node:crypto';
import type { Api, Reply, SendOptions } from './api.js';

/** A name that no earlier run has used, because a suite may run several times against the same store. */
export function freshName(prefix: string): string {
  return `${prefix}-${randomBytes(6).toString('hex')}`;
}

/** A base that no test has used before, and the operations on it. */
export interface Base {
  readonly root: string;
  put(...items: unknown[]): Promise<Reply>;
  insert(item: unknown): Promise<Reply>;
  get(key: string): Promise<Reply>;
  remove(key: string): Promise<Reply>;
  update(key: string, update: unknown): Promise<Reply>;
  query(query: unknown): Promise<Reply>;
  transact(...operations: unknown[]): Promise<Reply>;
  /** Sends a body without a change, as JSON unless another type is given, to a path below the base. */
  sendText(method: string, path: string, text: string | Buffer, type?: string): Promise<Reply>;
}

export function freshBase(api: Api, name = freshName('base')): Base {
  const root = `/v1/${api.target.project}/${encodeURIComponent(name)}`;
  const itemPath = (key: string) => `${root}/items/${encodeURIComponent(key)}`;
  return {
    root,
    put: (...items) => api.send('PUT', `${root}/items`, { json: { items } }),
    insert: (item) => api.send('POST', `${root}/items`, { json: { item } }),
    get: (key) => api.send('GET', itemPath(key)),
    remove: (key) => api.send('DELETE', itemPath(key)),
    update: (key, update) => api.send('PATCH', itemPath(key), { json: update }),
    query: (query) => api.send('POST', `${root}/query`, { json: query }),
    transact: (...operations) => api.send('POST', `${root}/transactions`, { json: { operations } }),
    sendText: (method, path, body, type = 'application/json') =>
      api.send(method, root + path, { body, type }),
  };
}

/** A drive that no test has used before, and the eight operations on it. */
export interface Drive {
  readonly root: string;
  readonly name: string;
  put(name: string, body: string | Buffer, options?: SendOptions): Promise<Reply>;
  get(name: string, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  head(name: string, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  list(query?: Readonly<Record<string, string | number>>): Promise<Reply>;
  remove(names: unknown): Promise<Reply>;
  initialize(name: string, type?: string): Promise<Reply>;
  part(uploadId: string, name: string, part: number | string, body: Buffer, type?: string): Promise<Reply>;
  end(uploadId: string, name: string): Promise<Reply>;
  abort(uploadId: string, name: string): Promise<Reply>;
}

export function freshDrive(api: Api, name = freshName('drive')): Drive {
  const root = `/v1/${api.target.project}/${encodeURIComponent(name)}`;
  const named = (path: string, file: string) => `${root}${path}?name=${encodeURIComponent(file)}`;
  const withType = (type: string | undefined) => (type === undefined ? {} : { type });
  return {
    root,
    name,
    put: (file, body, options) => api.send('POST', named('/files', file), { body, ...options }),
    get: (file, headers = {}) => api.send('GET', named('/files/download', file), { headers }),
    head: (file, headers = {}) => api.send('HEAD', named('/files/download', file), { headers }),
    list(query = {}) {
      const pairs = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
      return api.send('GET', `${root}/files?${pairs.join('&')}`);
    },
    remove: (names) => api.send('DELETE', `${root}/files`, { json: { names } }),
    initialize: (file, type) => api.send('POST', named('/uploads', file), withType(type)),
    part: (id, file, part, body, type) =>
      api.send('POST', `${named(`/uploads/${id}/parts`, file)}&part=${part}`, { body, ...withType(type) }),
    end: (id, file) => api.send('PATCH', named(`/uploads/${id}`, file)),
    abort: (id, file) => api.send('DELETE', named(`/uploads/${id}`, file)),
  };
}

/** Initializes an upload and returns its id. */
export async function openUpload(drive: Drive, name: string, type?: string): Promise<string> {
  return (await drive.initialize(name, type)).json<{ upload_id: string }>().upload_id;
}
