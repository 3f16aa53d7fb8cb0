import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { BlobStore } from '../../src/engines/blob-store.js';
import { s3Options } from '../../src/engines/s3/options.js';
import { openS3BlobStore } from '../../src/engines/s3/store.js';

export interface FakeStore {
  readonly store: BlobStore;
  /** The requests so far, as `METHOD /path`. */
  readonly requests: readonly string[];
}

/** Opens a blob store over a server that answers as the test says, which no real store does. Its bucket exists. */
export async function startFakeStore(
  context: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<FakeStore> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'HEAD' && request.url === '/bucket/') return response.end();
    requests.push(`${request.method} ${request.url}`);
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
  return { store, requests };
}

/** The first and the last byte of the range that a request asks for. */
export function rangeOf(request: IncomingMessage): { readonly start: number; readonly end: number } {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (start === undefined || end === undefined) throw new Error(`No range: ${request.headers.range}`);
  return { start: Number(start), end: Number(end) };
}
