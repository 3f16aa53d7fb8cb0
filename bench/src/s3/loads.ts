import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiKey } from '../contenders/basedrive-operations.js';
import { runWrkScript } from '../load/wrk.js';
import { luaString, printResult } from '../load/wrk-script.js';
import { type S3Address, type S3Request, signedHeaders, targetOf } from './sign.js';

const manyConnections = 64;
export const bucket = '/bench-of-s3';

/** A load of `wrk`: requests in turn, each signed on its own, all with the same body. */
export interface S3Load {
  readonly name: string;
  readonly requests: readonly S3Request[];
  readonly bodyBytes: number;
  /** The size of the objects that must be there before; undefined: none. */
  readonly filledBytes?: number;
  /** How many times as long as others it runs: all of its 64 requests must end several times. */
  readonly longer?: number;
  /** 64, unless it says otherwise. */
  readonly connections?: number;
  /** Of the service alone: its file API, with a key in place of the signatures. */
  readonly isFileApi?: boolean;
}

const sizes = [
  { label: '4 KiB', bytes: 4096, names: 1000, longer: 1 },
  { label: '100 KiB', bytes: 102_400, names: 1000, longer: 1 },
  { label: '10 MiB', bytes: 10 * 1024 ** 2, names: 8, longer: 5 },
];

/** Puts, then gets of what was put. */
export const objectLoads: readonly S3Load[] = sizes.flatMap(({ label, bytes, names, longer }) =>
  (['PUT', 'GET'] as const).map((method): S3Load => {
    const requests = Array.from({ length: names }, (_, n) => ({
      method,
      path: `${bucket}/size${bytes}/${n}`,
    }));
    return {
      name: `${method} ${label}`,
      requests,
      bodyBytes: method === 'PUT' ? bytes : 0,
      filledBytes: bytes,
      longer,
    };
  }),
);

/** The same files as `GET 4 KiB` by the file API, of which S3 is to have 0.6 of the rate. */
export const fileApiLoad: S3Load = {
  name: 'GET 4 KiB by the file API',
  requests: Array.from({ length: 1000 }, (_, n) => ({
    method: 'GET' as const,
    path: `/v1/bench${bucket}/files/download`,
    query: `name=size4096%2F${n}`,
  })),
  bodyBytes: 0,
  filledBytes: 4096,
  isFileApi: true,
};

/** Folders of 1,000 objects. */
export const listed = `${bucket}-listed`;
export const listedName = (n: number) => `${folderOf(Math.floor(n / 1000))}/object-${n % 1000}`;
const folderOf = (n: number) => `folder-${String(n).padStart(3, '0')}`;

/**
 * Lists of a bucket with so many names, each of 1,000 entries at most. In more names than the comparison has, one after the
 * other: what a list costs is to be seen, and 64 that take 40 ms each and are worked on in turns all end late.
 */
export function listLoads(names: number): readonly S3Load[] {
  const connections = names > 100_000 ? 1 : manyConnections;
  const list = (name: string, query: string): S3Load => ({
    name: `LIST ${name}`,
    requests: [{ method: 'GET', path: listed, query }],
    bodyBytes: 0,
    connections,
  });
  const of = `of ${names.toLocaleString('en')}`;
  const middle = folderOf(Math.floor(names / 2000));
  return [
    list(`1,000 ${of}`, `list-type=2&start-after=${middle}%2F`),
    list(`1,000 ${of} within a folder`, `delimiter=%2F&list-type=2&prefix=${middle}%2F`),
    list(`1,000 ${of}, a delimiter that none has`, `delimiter=%7C&list-type=2&start-after=${middle}%2F`),
    list(`the folders ${of}`, 'delimiter=%2F&list-type=2'),
    list(
      `the folders ${of} after a name that is not there`,
      `delimiter=%2F&list-type=2&start-after=${middle}%2Fobject-x`,
    ),
  ];
}

/** Loads a store for so many seconds, after as many requests as there are connections. */
export async function runLoad(address: S3Address, load: S3Load, seconds: number, folder: string) {
  const body = join(folder, 'body');
  await writeFile(body, randomBytes(load.bodyBytes));
  const heads = load.requests.map((request) => {
    const given = load.isFileApi
      ? { host: new URL(address.url).host, 'x-api-key': apiKey }
      : signedHeaders(address, request);
    const fields = Object.entries(given).map(([name, value]) => `${name}: ${value}`);
    const length = request.method === 'GET' ? [] : [`Content-Length: ${load.bodyBytes}`];
    const lines = [`${request.method} ${targetOf(request)} HTTP/1.1`, ...fields, ...length, '', ''];
    return luaString(Buffer.from(lines.join('\r\n')));
  });
  const script = `
local file = io.open(${luaString(Buffer.from(body))}, "rb")
local body = file:read("*a")
file:close()
local requests = {${heads.join(',\n')}}
for n = 1, #requests do requests[n] = requests[n] .. body end
local n = 0
function request()
  n = n % #requests + 1
  return requests[n]
end
${printResult}`;
  const { longer = 1, connections = manyConnections } = load;
  return await runWrkScript({ url: address.url, connections, seconds: seconds * longer }, script);
}
