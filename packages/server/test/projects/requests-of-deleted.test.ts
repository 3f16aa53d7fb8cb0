import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readSettings } from '../../src/config/read-settings.js';
import type { BlobStore } from '../../src/engines/blob-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../src/engines/memory/blob-store.js';
import { createKeyRing } from '../../src/keys/key-ring.js';
import { openProjectRegistry } from '../../src/projects/project-registry.js';
import { createApp } from '../../src/server/app.js';
import { servedApp } from '../support/served-app.js';

const key = 'demo_s3cret';
const adminKey = '0perat0r-s3cret-0f-32-characters';
const json = 'application/json';
const log = { info() {}, error() {} };

/** A server with a key that the deletion of its project does not end. */
async function openServer() {
  const items = await openLevelStore({ memory: true });
  const memory = openMemoryBlobStore();
  const stored = new EventEmitter<{ blob: [acknowledge: () => void] }>();
  const blobs: BlobStore = {
    ...memory,
    async add(chunks) {
      const added = await memory.add(chunks);
      if (stored.listenerCount('blob') > 0)
        await new Promise<void>((resolve) => stored.emit('blob', resolve));
      return added;
    },
  };
  const projects = await openProjectRegistry(items);
  const keys = await createKeyRing(items, [key], Date.now);
  const settings = { ...readSettings({}, {}), uploadTtlMs: 3_600_000 };
  const app = createApp({ items, blobs, keys, projects, adminKey, settings, clock: Date.now, log });
  const served = await servedApp(app);
  const { origin } = served;
  const root = `${origin}/v1/demo`;

  async function send<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = { 'X-API-Key': key, 'Content-Type': json };
    const answer = await fetch(root + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return (await answer.json()) as T;
  }
  return {
    root,
    send,
    /** While somebody listens, the bytes of a file are stored, and acknowledged when the listener says so. */
    blobStored: stored,
    /** Resolves when the project is deleted whole: its key is valid for an empty project of this name. */
    async deleteProject(): Promise<void> {
      const headers = { 'X-API-Key': adminKey };
      const answer = await fetch(`${origin}/admin/projects/demo`, { method: 'DELETE', headers });
      assert.equal(answer.status, 202);
      while (projects.of('demo') !== undefined) await nextTurn();
    },
    /** What there is of the project: its bases and drives, and bytes. */
    async stored(): Promise<readonly string[]> {
      const found: string[] = [];
      for (const prefix of ['base/demo/', 'drive/demo/'])
        for await (const space of items.spaces(prefix)) found.push(space);
      for await (const { id } of blobs.ids()) found.push(id);
      return found;
    },
    async close(): Promise<void> {
      await served.close();
      await items.close();
    },
  };
}

/** Sends the beginning of a body. Gives what sends the rest and gives the answer, once the server has the beginning. */
async function begin(url: string, { method, type, body, early, isInChunks }: SlowRequest) {
  const slow = request(url, {
    method,
    headers: {
      'X-API-Key': key,
      'Content-Type': type,
      Expect: '100-continue',
      ...(!isInChunks && { 'Content-Length': body.length }),
    },
    agent: false,
  });
  const answered = once(slow, 'response') as Promise<[IncomingMessage]>;
  slow.flushHeaders();
  await once(slow, 'continue');
  await new Promise((resolve) => slow.write(body.slice(0, early), resolve));
  // It has come when a later request is answered: one process reads both connections.
  for (let times = 0; times < 3; times++) await server.send('GET', '/bases');
  return async () => {
    slow.end(body.slice(early));
    const [answer] = await answered;
    return { status: answer.statusCode, text: String(Buffer.concat(await answer.toArray())) };
  };
}

let server: Awaited<ReturnType<typeof openServer>>;
before(async () => {
  server = await openServer();
});
after(() => server.close());

/** The key is valid for an empty project, and what it stores stays. */
async function useAgain(): Promise<void> {
  await server.send('PUT', '/base/items', { items: [{ key: 'later' }] });
  assert.deepEqual(await server.send('GET', '/base/items/later'), { key: 'later' });
}

const lines = 'application/x-ndjson';
const line = '{"key":"k","text":"a line of an import"}\n';
const item = '{"items":[{"key":"k"}]}';
const large = 'x'.repeat(1_000_000);

interface SlowRequest {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: string;
  /** How much of the body arrives before the project is deleted. */
  readonly early: number;
  readonly isInChunks?: boolean;
}

const requests: readonly SlowRequest[] = [
  { what: 'items', method: 'PUT', path: '/base/items', type: json, body: item, early: 9 },
  {
    what: 'items in chunks',
    method: 'PUT',
    path: '/base/items',
    type: json,
    body: item,
    early: item.length,
    isInChunks: true,
  },
  {
    what: 'an item',
    method: 'POST',
    path: '/base/items',
    type: json,
    body: '{"item":{"key":"k"}}',
    early: 9,
  },
  {
    what: 'an import',
    method: 'PUT',
    path: '/base/items',
    type: lines,
    body: line + line,
    early: line.length,
  },
  {
    what: 'an import in chunks',
    method: 'PUT',
    path: '/base/items',
    type: lines,
    body: line.trim(),
    early: line.length - 1,
    isInChunks: true,
  },
  {
    what: 'a small file',
    method: 'POST',
    path: '/drive/files?name=f',
    type: 'text/plain',
    body: 'small',
    early: 2,
  },
  {
    what: 'a large file',
    method: 'POST',
    path: '/drive/files?name=f',
    type: 'text/plain',
    body: large,
    early: 100_000,
  },
  {
    what: 'a file in chunks',
    method: 'POST',
    path: '/drive/files?name=f',
    type: 'text/plain',
    body: large,
    early: large.length,
    isInChunks: true,
  },
  {
    what: 'a part',
    method: 'POST',
    path: '/drive/uploads/{id}/parts?name=g&part=1',
    type: 'text/plain',
    body: large,
    early: 100_000,
  },
  {
    what: 'a declared index',
    method: 'PUT',
    path: '/base/indexes/i',
    type: json,
    body: '{"fields":["a"]}',
    early: 5,
  },
];

/** docs/http.md#delete-project */
for (const slow of requests)
  test(`${slow.what}: nothing is stored of a body that ends after its project was deleted`, async () => {
    await server.send('PUT', '/base/items', { items: [{ key: 'earlier' }] });
    const { upload_id } = await server.send<{ upload_id: string }>('POST', '/drive/uploads?name=g');
    const end = await begin(server.root + slow.path.replace('{id}', upload_id), slow);
    await server.deleteProject();
    const { status, text } = await end();
    assert.deepEqual(await server.stored(), []);
    assert.equal(status, 410, text);
    await useAgain();
  });

test('a file whose bytes were stored while its project was deleted is not stored', async () => {
  const acknowledged = once(server.blobStored, 'blob') as Promise<[() => void]>;
  const headers = { 'X-API-Key': key };
  const put = fetch(`${server.root}/drive/files?name=f`, { method: 'POST', headers, body: large });
  const [acknowledge] = await acknowledged;
  await server.deleteProject();
  acknowledge();
  const answer = await put;
  assert.deepEqual(await server.stored(), []);
  assert.equal(answer.status, 410, await answer.text());
  await useAgain();
});

test('an upload by a link is not stored that ends after its project was deleted and made again', async () => {
  const asked = { name: 'f', method: 'POST', expires_in: 60 };
  const { links } = await server.send<{ links: [{ url: string }] }>('POST', '/drive/links', asked);
  const end = await begin(links[0].url, {
    what: '',
    method: 'POST',
    path: '',
    type: 'text/plain',
    body: 'ab',
    early: 1,
  });
  await server.deleteProject();
  await useAgain();
  const { status, text } = await end();
  assert.deepEqual(await server.stored(), ['base/demo/base']);
  assert.equal(status, 410, text);
});
