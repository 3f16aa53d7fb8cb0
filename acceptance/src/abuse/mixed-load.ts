import { Agent, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import type { Target } from '../target.js';

const mib = 1024 * 1024;
const largeItem = 'x'.repeat(400_000);
const file = Buffer.alloc(10 * mib, 'f');
const json = 'application/json';

/** How often each kind of request was answered with each status. `cut off`: the server closed the connection. */
export type Tally = Map<string, Map<number | 'cut off', number>>;

/** Sends requests over connections that stay open, and reads and forgets the answers. */
export interface Sender {
  readonly tally: Tally;
  /** Gives the status, and the answer if it is small. */
  send(
    kind: string,
    call: RequestCall,
  ): Promise<{ readonly status: number | 'cut off'; readonly text: string }>;
  close(): void;
}

export interface RequestCall {
  readonly method: string;
  /** Below `/v1/{project}`. */
  readonly path: string;
  /** Many requests share one buffer. */
  readonly body?: Buffer | string;
  readonly type?: string;
}

const smallAnswer = 64 * 1024;

export function createSender(target: Target): Sender {
  const secure = target.url.protocol === 'https:';
  const agent = secure
    ? new SecureAgent({ keepAlive: true, ca: target.authority })
    : new Agent({ keepAlive: true });
  const open = secure ? secureRequest : request;
  const { hostname: host, port } = target.url;
  const tally: Tally = new Map();

  function count(kind: string, status: number | 'cut off'): void {
    const counts = tally.get(kind) ?? new Map();
    tally.set(kind, counts.set(status, (counts.get(status) ?? 0) + 1));
  }

  return {
    tally,
    send(kind, { method, path, body, type = json }) {
      const headers = {
        'X-API-Key': target.key,
        ...(body !== undefined && { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }),
      };
      return new Promise((resolve) => {
        const end = (status: number | 'cut off', text = '') => {
          count(kind, status);
          resolve({ status, text });
        };
        const outgoing = open(
          { agent, host, port, method, path: `/v1/${target.project}${path}`, headers },
          (answer) => {
            let text = '';
            answer.on('data', (chunk: Buffer) => {
              if (text.length < smallAnswer) text += chunk.toString('latin1');
            });
            answer.on('end', () => end(answer.statusCode ?? 0, text));
            answer.on('error', () => end('cut off'));
          },
        );
        outgoing.on('error', () => end('cut off'));
        outgoing.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}

/** A put of 25 items of 400 KB each, with so much white space that it has 16 MiB, the most that a body may have. */
export function largestPut(): Buffer {
  const items = Array.from({ length: 25 }, (_, n) => ({ key: `k${n}`, text: largeItem }));
  const text = JSON.stringify({ items });
  return Buffer.from(`${text.slice(0, -1).padEnd(16 * mib - 1)}}`);
}

const any = (count: number) => Math.floor(Math.random() * count);
const objects = (count: number) => `[${Array(count).fill('{}').join(',')}]`;

/** One client of each kind, as often as here, sends one request after the other: 64 together. */
const clients = {
  get: 8,
  put: 8,
  page: 6,
  'ordered page': 2,
  query: 2,
  'page of large items': 2,
  export: 2,
  import: 2,
  'largest put': 6,
  'query with many values': 4,
  transaction: 2,
  file: 4,
  'small file': 2,
  download: 6,
  'small download': 4,
  upload: 4,
};
export type Kind = keyof typeof clients;

/** Sends requests of all kinds at once over 64 connections until `isOver`. `base` has `items` small items `k0`, `k1`, … */
export async function runMixedLoad(
  sender: Sender,
  { base, items, isOver }: { readonly base: string; readonly items: number; readonly isOver: () => boolean },
): Promise<void> {
  const put = largestPut();
  const values = `{"query":{"x":${objects(200_000)}}}`;
  const operations = Array.from(
    { length: 100 },
    (_, n) => `{"put":{"item":{"key":"t${n}","x":${objects(1900)}}}}`,
  );
  const transaction = `{"operations":[${operations}]}`;
  const lines = Array.from({ length: 60 }, (_, n) => JSON.stringify({ key: `i${n}`, text: largeItem })).join(
    '\n',
  );
  const query = (kind: Kind, of: string, body: unknown) =>
    sender.send(kind, { method: 'POST', path: `/${of}/query`, body: JSON.stringify(body) });
  const putFile = (kind: Kind, name: string, body: Buffer) =>
    sender.send(kind, { method: 'POST', path: `/files/files?name=${name}`, body });
  const download = (kind: Kind, name: string) =>
    sender.send(kind, { method: 'GET', path: `/files/files/download?name=${name}` });

  async function upload(): Promise<void> {
    const name = `u${any(4)}`;
    const begun = await sender.send('upload', { method: 'POST', path: `/files/uploads?name=${name}` });
    if (begun.status !== 202) return;
    const { upload_id: id } = JSON.parse(begun.text) as { upload_id: string };
    for (const part of [1, 2]) {
      const path = `/files/uploads/${id}/parts?name=${name}&part=${part}`;
      if ((await sender.send('upload', { method: 'POST', path, body: file })).status !== 200) return;
    }
    await sender.send('upload', { method: 'PATCH', path: `/files/uploads/${id}?name=${name}` });
  }

  const kinds: Record<Kind, () => Promise<unknown>> = {
    get: () => sender.send('get', { method: 'GET', path: `/${base}/items/k${any(items)}` }),
    put: () =>
      sender.send('put', {
        method: 'PUT',
        path: '/small/items',
        body: `{"items":[{"key":"s${any(2000)}","n":1}]}`,
      }),
    page: () => query('page', base, { limit: 1000 }),
    'ordered page': () => query('ordered page', base, { limit: 1000, order: ['name'] }),
    query: () => query('query', base, { query: { n: any(items) }, limit: 10 }),
    'page of large items': () => query('page of large items', 'large', { limit: 1000 }),
    export: () => sender.send('export', { method: 'GET', path: `/${base}/items` }),
    import: () =>
      sender.send('import', {
        method: 'PUT',
        path: '/imported/items',
        body: lines,
        type: 'application/x-ndjson',
      }),
    'largest put': () => sender.send('largest put', { method: 'PUT', path: '/large/items', body: put }),
    'query with many values': () =>
      sender.send('query with many values', { method: 'POST', path: '/small/query', body: values }),
    transaction: () =>
      sender.send('transaction', { method: 'POST', path: '/t/transactions', body: transaction }),
    file: () => putFile('file', `f${any(8)}`, file),
    'small file': () => putFile('small file', `s${any(500)}`, file.subarray(0, 100_000)),
    download: () => download('download', `f${any(8)}`),
    'small download': () => download('small download', `s${any(500)}`),
    upload,
  };
  for (let n = 0; n < 8; n++) await putFile('file', `f${n}`, file);
  await Promise.all(
    Object.entries(clients).flatMap(([kind, count]) =>
      Array.from({ length: count }, async () => {
        while (!isOver()) await kinds[kind as Kind]();
      }),
    ),
  );
}
