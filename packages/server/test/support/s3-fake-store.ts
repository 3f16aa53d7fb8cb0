import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { BlobStore } from '../../src/engines/blob-store.js';
import { s3Options } from '../../src/engines/s3/options.js';
import { openS3BlobStore } from '../../src/engines/s3/store.js';

export interface MadeUpStore {
  readonly store: BlobStore;
  /** `METHOD /path` of what was asked, in order. */
  readonly asked: readonly string[];
}

/** What no real store does on demand: it answers as the test says. Only that there is a bucket is its own. */
export async function startMadeUpStore(
  context: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<MadeUpStore> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'HEAD' && request.url === '/bucket/') return response.end();
    asked.push(`${request.method} ${request.url}`);
    return answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { AWS_ACCESS_KEY_ID: 'access', AWS_SECRET_ACCESS_KEY: 'secret' };
  const store = await openS3BlobStore(
    s3Options('s3://bucket', { BASEDRIVE_S3_ENDPOINT: endpoint, ...credentials }),
  );
  context.after(async () => {
    await store.close();
    server.closeAllConnections();
    server.close();
  });
  return { store, asked };
}

/** The first and the last byte that a request asks for. */
export function rangeOf(request: IncomingMessage): { readonly start: number; readonly end: number } {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (start === undefined || end === undefined) throw new Error(`No range: ${request.headers.range}`);
  return { start: Number(start), end: Number(end) };
}
