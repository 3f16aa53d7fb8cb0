import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ParsedBodies, type ParsedBody, prepareParsedBodies } from '../../src/abuse/parsed-bodies.js';
import { type Api, createApi, type Reply } from '../../src/api.js';
import { dataFlags, startServer } from '../../src/server-process.js';
import { ownKey, ownOtherKey } from '../../src/target.js';

/** docs/http.md#memory: what bodies become is bounded, too: the largest takes some 40 MiB. */
export const patienceMs = 120_000;

export interface SmallServer {
  readonly api: Api;
  readonly bodies: ParsedBodies;
  readonly hasEnded: () => boolean;
}

/** Runs a server whose heap has so many MiB. It must be alive at the end. */
export async function withHeap(heapMiB: number, use: (server: SmallServer) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-parsed-'));
  const environment = { NODE_OPTIONS: `--max-old-space-size=${heapMiB}` };
  const server = await startServer([...dataFlags(folder, ownKey), '--key', ownOtherKey], { environment });
  let hasEnded = false;
  void server.ended.then(() => {
    hasEnded = true;
  });
  const target = { ...server, key: ownKey, project: 'demo', otherKey: ownOtherKey, close: async () => {} };
  const api = createApi(target, patienceMs);
  try {
    await use({ api, bodies: await prepareParsedBodies(api), hasEnded: () => hasEnded });
    assert.equal(hasEnded, false, 'the server has ended');
  } finally {
    api.close();
    if (!hasEnded) assert.equal(await server.stop(), 0);
    await rm(folder, { recursive: true });
  }
}

/** A busy machine may take longer than requests wait: then they are answered 429, and nothing was done. */
export function expectStatus({ status, headers, text }: Reply, expected: number): void {
  if (status === 429) assert.match(headers['retry-after'] ?? '', /^\d+$/);
  else assert.equal(status, expected, text.slice(0, 500));
}

export async function sendAtOnce(bodies: ParsedBodies, body: ParsedBody, count: number): Promise<void> {
  const replies = await Promise.all(Array.from({ length: count }, () => bodies.send(body)));
  for (const reply of replies) expectStatus(reply, body.status);
}
