import { setTimeout as wait } from 'node:timers/promises';
import type { Operation } from '../load/operation.js';
import { type RequestTemplate, renderText } from '../load/request-template.js';
import { must } from '../load/send.js';
import {
  fileName,
  type ItemOperations,
  markedCount,
  markedKeys,
  orderProblem,
  type RangeOperations,
} from './contender.js';
import { item, items25 } from './item.js';

/** The API key of the measured service. */
export const apiKey = 'bench_s3cret';

const pageBytes = 1_048_576;

const headers = { 'X-API-Key': apiKey };

type BasedriveItems = Required<Omit<ItemOperations, 'fill'>>;

/** The operations of the database API (docs/http.md#database-api), on a base of items of one size. */
export function basedriveItems(base = 'items', itemBytes = 300): BasedriveItems {
  const root = `/v1/bench/${base}`;
  const json = (method: string, path: string, body: string): RequestTemplate => ({
    method,
    path: root + path,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body,
  });
  // A page that reads exactly its budget of one megabyte, from a random first key.
  const page = (query: string): Operation => ({
    request: json('POST', '/query', `{"query":${query},"last":"{key}"}`),
    status: 200,
    includes: ['"paging":{', '"last":"'],
  });
  return {
    get: {
      request: { method: 'GET', path: `${root}/items/{key}`, headers },
      status: 200,
      includes: ['{"key":"{key}"', '"ref":"r{key}"'],
      atLeastBytes: itemBytes,
    },
    put: {
      request: json('PUT', '/items', `{"items":[${item(0, itemBytes)}]}`),
      status: 207,
      includes: ['"processed":', '"key":"{key}"'],
    },
    put25: {
      request: json('PUT', '/items', `{"items":[${items25(itemBytes).join(',')}]}`),
      status: 207,
      includes: ['"key":"{key}"', '"key":"{key:24}"'],
    },
    insert: {
      request: json('POST', '/items', `{"item":${item(0, itemBytes)}}`),
      status: 201,
      includes: ['"key":"{key}"'],
    },
    increment: {
      request: json('PATCH', '/items/999999999999', '{"increment":{"count":1}}'),
      status: 200,
      includes: ['"increment":{"count":1}'],
    },
    page: { ...page('[]'), atLeastBytes: pageBytes - 2 * itemBytes },
    pageFew: page('[{"nested.age?lt":100,"ref?pfx":"r{prefix}"}]'),
    pagePrefix: {
      request: json('POST', '/query', '{"query":[{"key?pfx":"{prefix}"}]}'),
      status: 200,
      includes: ['"paging":{"size":100', '"ref":"r{prefix}'],
    },
    ordered: {
      request: json('POST', '/query', `{"order":["-count"],"limit":${markedKeys.length}}`),
      status: 200,
      verify: orderProblem,
    },
    counted: {
      request: json('POST', '/query/count', `{"query":{"count?gte":${markedCount}}}`),
      status: 200,
      includes: [`{"count":${markedKeys.length}}`],
    },
    transaction: {
      request: json(
        'POST',
        '/transactions',
        '{"operations":[{"update":{"key":"{key}","if":{"count?gte":1},"increment":{"count":-1}}},' +
          '{"update":{"key":"{key:1}","increment":{"count":1}}}]}',
      ),
      status: 200,
      includes: ['{"results":[{"key":"{key}"', '{"key":"{key:1}"'],
    },
  };
}

const bulk = {
  path: '/v1/bench/bulk/items',
  headers: { ...headers, 'Content-Type': 'application/x-ndjson' },
};

/** Ranges of the attribute `number` in the items that `basedriveBulk` stores. */
export const basedriveRanges: RangeOperations = {
  makeIndex: (url) => makeBasedriveIndex(url, 'bulk', 'number'),
  ordered: {
    request: query('/query', '{"query":{"number?gte":1{key}},"order":["number"],"limit":10}'),
    status: 200,
    includes: ['"key":"{key}"', '"key":"{key:9}"', '"size":10'],
  },
  counted: (entries) => ({
    request: query('/query/count', `{"query":{"number?gte":1{key},"number?lt":1{key:${entries}}}}`),
    status: 200,
    includes: [`{"count":${entries}}`],
  }),
};

function query(path: string, body: string): RequestTemplate {
  return {
    method: 'POST',
    path: `/v1/bench/bulk${path}`,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body,
  };
}

/** Import and export (docs/http.md#import-items). */
export const basedriveBulk = { in: { method: 'PUT', ...bulk }, out: { method: 'GET', ...bulk } };

const pollIntervalMs = 200;

/** Declares an index of an attribute and waits until it is built (docs/http.md#indexes). */
export async function makeBasedriveIndex(url: string, base = 'items', field = 'count'): Promise<void> {
  const indexes = `/v1/bench/${base}/indexes`;
  const path = `${indexes}/by-${field}`;
  const json = { ...headers, 'Content-Type': 'application/json' };
  await must(url, { method: 'PUT', path, headers: json, body: `{"fields":["${field}"]}` }, 200, 202);
  const isReady = async () =>
    (await must(url, { method: 'GET', path: indexes, headers }, 200)).includes('"state":"ready"');
  while (!(await isReady())) await wait(pollIntervalMs);
}

const files = '/v1/bench/files';

export function basedriveUpload(bytes: Buffer): Operation {
  return {
    request: {
      method: 'POST',
      path: `${files}/files?name=${fileName(bytes.length)}`,
      headers: { ...headers, 'Content-Type': 'application/octet-stream' },
      body: bytes,
    },
    status: 201,
    includes: [`"name":"${fileName(bytes.length)}"`],
  };
}

export function basedriveDownload(bytes: Buffer): Operation {
  return {
    request: { method: 'GET', path: `${files}/files/download?name=${fileName(bytes.length)}`, headers },
    status: 200,
    body: bytes,
  };
}

export function basedriveDownloadPart(bytes: Buffer, from: number, to: number): Operation {
  const { request } = basedriveDownload(bytes);
  return {
    request: { ...request, headers: { ...headers, Range: `bytes=${from}-${to - 1}` } },
    status: 206,
    body: bytes.subarray(from, to),
  };
}

/** Lists a page of a thousand names that follow a random name; `query`: more parameters (docs/http.md#list-files). */
export function basedriveList(sizeBytes: number, query = ''): Operation {
  return {
    request: { method: 'GET', path: `${files}/files?last=${fileName(sizeBytes)}${query}`, headers },
    status: 200,
    includes: ['"size":1000', '"names":['],
  };
}

/** Lists the files with keys below `count`, at most a thousand, with or without details (docs/http.md#list-files). */
export function basedriveListAll(sizeBytes: number, count: number, query = ''): Operation {
  return {
    request: { method: 'GET', path: `${files}/files${query}`, headers },
    status: 200,
    includes: [`"${renderText(fileName(sizeBytes), count - 1)}"`],
  };
}

/** Makes a key; gives its text (docs/http.md#limited-keys). */
export async function makeBasedriveKey(url: string, limits: object): Promise<string> {
  const json = { ...headers, 'Content-Type': 'application/json' };
  const made = await must(
    url,
    { method: 'POST', path: '/v1/bench/keys', headers: json, body: JSON.stringify(limits) },
    201,
  );
  return (JSON.parse(made.toString()) as { key: string }).key;
}

const partBytes = 10 * 1024 * 1024;
const concurrency = 4;

/** Uploads a file in parts of 10 MiB, four at a time, under the name with key 0. */
export async function basedriveUploadLarge(url: string, bytes: Buffer): Promise<void> {
  const name = fileName(bytes.length).replace('{key}', '0'.repeat(12));
  const call = async (method: string, path: string, status: number, body?: Buffer): Promise<unknown> =>
    JSON.parse((await must(url, { method, path: files + path, headers, body }, status)).toString());
  const opened = (await call('POST', `/uploads?name=${name}`, 202)) as { upload_id: string };
  const parts = Array.from({ length: Math.ceil(bytes.length / partBytes) }, (_, index) => index);
  const sender = async () => {
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const body = bytes.subarray(part * partBytes, (part + 1) * partBytes);
      await call('POST', `/uploads/${opened.upload_id}/parts?name=${name}&part=${part + 1}`, 200, body);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sender));
  await call('PATCH', `/uploads/${opened.upload_id}?name=${name}`, 200);
}
