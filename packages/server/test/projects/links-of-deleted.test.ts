import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { readSettings } from '../../src/config/read-settings.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../src/engines/memory/blob-store.js';
import { createKeyRing } from '../../src/keys/key-ring.js';
import { openProjectRegistry } from '../../src/projects/project-registry.js';
import { createApp } from '../../src/server/app.js';
import { servedApp } from '../support/served-app.js';

const key = 'demo_s3cret';
const log = { info() {}, error() {} };

/** A server with a key that the deletion of its project does not end. Nothing is deleted in the background. */
async function serve(context: TestContext) {
  const items = await openLevelStore({ memory: true });
  const projects = await openProjectRegistry(items);
  const keys = await createKeyRing(items, [key], Date.now);
  const settings = { ...readSettings({}, {}), uploadTtlMs: 3_600_000 };
  const app = createApp({
    items,
    blobs: openMemoryBlobStore(),
    keys,
    projects,
    settings,
    clock: Date.now,
    log,
  });
  const served = await servedApp(app);
  context.after(async () => {
    await served.close();
    await items.close();
  });
  const { origin } = served;
  const root = `${origin}/v1/demo`;

  async function send<T>(method: string, path: string, body: object): Promise<T> {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const answer = await fetch(root + path, { method, headers, body: JSON.stringify(body) });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return (await answer.json()) as T;
  }
  const post = <T>(path: string, body: object) => send<T>('POST', path, body);
  const link = async (more: object) =>
    (await post<{ links: [{ url: string }] }>('/drive/links', { expires_in: 60, ...more })).links[0].url;
  return {
    link,
    publicRoot: `${origin}/public`,
    makePublic: (prefix: string) => send('PUT', '/drive/public', { prefixes: [prefix] }),
    ticket: async () => (await post<{ url: string }>('/changes/tickets', { since: '0' })).url,
    deleteProject: () => projects.change('demo', () => ({ isDeleted: true })),
  };
}

async function statusOf(method: string, url: string): Promise<number> {
  const answer = await fetch(url, { method, ...(method === 'POST' && { body: 'x' }) });
  await answer.body?.cancel();
  return answer.status;
}

/** docs/http.md#delete-project */
test('links and tickets of a project that is being deleted read and store nothing', async (context) => {
  const { link, ticket, deleteProject } = await serve(context);
  const write = await link({ name: 'f', method: 'POST', overwrite: true });
  const parts = await link({ name: 'p', method: 'POST', parts: true, max_bytes: 100 });
  const requests: readonly (readonly [string, string, number])[] = [
    ['POST', write, 201],
    ['GET', await link({ name: 'f', method: 'GET' }), 200],
    ['POST', `${parts}/uploads`, 202],
    // This server keeps no changes to follow.
    ['GET', await ticket(), 404],
  ];
  for (const [method, url, status] of requests) assert.equal(await statusOf(method, url), status, url);
  await deleteProject();
  for (const [method, url] of requests) assert.equal(await statusOf(method, url), 410, url);
});

test('an upload by a link is not stored whose project is deleted while it arrives', async (context) => {
  const { link, deleteProject } = await serve(context);
  const to = await link({ name: 'f', method: 'POST' });
  const upload = request(to, { method: 'POST', headers: { Expect: '100-continue' }, agent: false });
  const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
  upload.flushHeaders();
  await once(upload, 'continue');
  upload.write('a');
  await deleteProject();
  upload.end('b');
  const [answer] = await answered;
  answer.resume();
  assert.equal(answer.statusCode, 410);
});

/** docs/http.md#public-files: without a key, nobody learns which projects there are. */
test('public files of a project that is being deleted are answered like those of no project', async (context) => {
  const { link, publicRoot, makePublic, deleteProject } = await serve(context);
  await makePublic('site/');
  assert.equal(await statusOf('POST', await link({ name: 'site/f', method: 'POST' })), 201);
  assert.equal(await statusOf('GET', `${publicRoot}/demo/drive/site/f`), 200);
  await deleteProject();
  const answers = await Promise.all(
    ['demo/drive/site/f', 'demo/other/f', 'nobody/drive/site/f'].map(async (path) => {
      const answer = await fetch(`${publicRoot}/${path}`);
      const { status, headers } = answer;
      return [status, headers.get('access-control-allow-origin'), await answer.text()];
    }),
  );
  const notFound = '{"errors":["Not found"],"codes":[{"code":"not_found"}]}';
  assert.deepEqual(answers, Array(3).fill([404, '*', notFound]));
});
