import assert from 'node:assert/strict';
import { request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { type RunningServer, run, startServer, temporaryFolder } from '../support/run-cli.js';

const key = 'demo_s3cret';

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

interface World {
  readonly folder: string;
  readonly options: readonly string[];
  server: RunningServer;
  send(method: string, path: string, body?: object | string | ReadableStream, type?: string): Promise<Answer>;
  quota(...options: string[]): Promise<void>;
  usage(): Promise<Record<string, number>>;
}

async function world(context: TestContext, ...more: string[]): Promise<World> {
  const folder = await temporaryFolder(context);
  const options = ['--data', folder, '--key', key, '--log-level', 'error', ...more];
  const made: World = {
    folder,
    options,
    server: await startServer(context, options),
    async send(method, path, body, type) {
      const isJson = typeof body === 'object' && !(body instanceof ReadableStream);
      const answer = await fetch(`${made.server.url}/v1/demo${path}`, {
        method,
        headers: { 'X-API-Key': key, 'Content-Type': type ?? (isJson ? 'application/json' : 'text/plain') },
        ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as string), duplex: 'half' }),
      } as RequestInit);
      return { status: answer.status, text: await answer.text(), headers: answer.headers };
    },
    async quota(...given) {
      const { code, err } = await run(['projects', 'quota', 'demo', '--data', folder, ...given]);
      assert.equal(code, 0, err);
    },
    async usage() {
      const { code, out, err } = await run(['projects', 'usage', 'demo', '--data', folder, '--json']);
      assert.equal(code, 0, err);
      return JSON.parse(out);
    },
  };
  // A project that has stored nothing has no usage.
  assert.equal((await made.send('PUT', '/base/items', { items: [{ key: 'a' }] })).status, 207);
  return made;
}

function assertExceeded(answer: Answer, quota: string): void {
  assert.equal(answer.status, 507, answer.text);
  assert.deepEqual(JSON.parse(answer.text).codes, [{ code: 'quota_exceeded', path: quota }]);
}

const putItem = (name: string, more: object = {}) => ({ items: [{ key: name, ...more }] });

test('a quota of items holds at every door, in every base, and deletes free it', async (context) => {
  const { send, quota, usage } = await world(context);
  await quota('--max-items', '3');
  assert.equal((await send('PUT', '/base/items', putItem('b'))).status, 207);
  assert.equal((await send('PUT', '/other/items', putItem('c'))).status, 207);
  assert.equal((await send('PUT', '/other/items', putItem('c', { n: 1 }))).status, 207);

  assertExceeded(await send('PUT', '/base/items', putItem('d')), 'items');
  assertExceeded(await send('PUT', '/third/items', putItem('d')), 'items');
  assertExceeded(await send('POST', '/base/items', { item: { key: 'd' } }), 'items');
  assertExceeded(await send('PATCH', '/base/items/d', { upsert: {}, set: { n: 1 } }), 'items');
  const operations = [{ put: { key: 'b', n: 2 } }, { put: { key: 'd' } }];
  assertExceeded(await send('POST', '/base/transactions', { operations }), 'items');
  const lines = await send('PUT', '/base/items', '{"key":"d"}\n', 'application/x-ndjson');
  assert.match(lines.text, /quota_exceeded/);
  // Nothing of what was refused is there.
  assert.equal((await send('GET', '/base/items/b')).text, '{"key":"b"}');
  assert.equal((await usage()).items, 3);

  const swap = [{ delete: { key: 'b' } }, { put: { key: 'd' } }];
  assert.equal((await send('POST', '/base/transactions', { operations: swap })).status, 200);
  assert.equal((await send('DELETE', '/other/items?all=true')).status, 200);
  assert.equal((await send('PUT', '/third/items', putItem('e'))).status, 207);
  assertExceeded(await send('PUT', '/third/items', putItem('f')), 'items');
  await quota('--none');
  assert.equal((await send('PUT', '/third/items', putItem('f'))).status, 207);
});

test('a quota of bytes of items holds for updates, too', async (context) => {
  const { send, quota } = await world(context);
  await quota('--max-item-bytes', '40');
  const grow = { set: { text: 'x'.repeat(40) } };
  assertExceeded(await send('PATCH', '/base/items/a', grow), 'item_bytes');
  assertExceeded(
    await send('POST', '/base/query/update', { query: { 'key?pfx': 'a' }, ...grow }),
    'item_bytes',
  );
  assert.equal((await send('GET', '/base/items/a')).text, '{"key":"a"}');
  assert.equal((await send('PATCH', '/base/items/a', { set: { text: 'x' } })).status, 200);
});

test('items that expire free the quota', async (context) => {
  const { send, quota } = await world(context);
  await quota('--max-items', '2');
  const expires = Math.floor(Date.now() / 1000) + 1;
  assert.equal((await send('PUT', '/base/items', putItem('b', { __expires: expires }))).status, 207);
  for (;;) {
    const { status } = await send('PUT', '/base/items', putItem('c'));
    if (status === 207) break;
    assert.equal(status, 507);
  }
});

test('of 64 uploads at once, as many are stored as there is room for', async (context) => {
  const { send, quota, usage } = await world(context);
  const bytes = 100_000;
  await quota('--max-file-bytes', String(bytes * 10 + bytes / 2));
  const upload = (at: number) => {
    const body = 'x'.repeat(bytes);
    if (at % 2 === 0) return send('POST', `/d${at % 3}/files?name=${at}`, body);
    return send('POST', `/d${at % 3}/files?name=${at}`, new Blob([body]).stream());
  };
  const answers = await Promise.all(Array.from({ length: 64 }, (_, at) => upload(at)));
  const stored = answers.filter(({ status }) => status === 201).length;
  for (const answer of answers) if (answer.status !== 201) assertExceeded(answer, 'file_bytes');
  // Uploads whose length nobody knew may all have waited for each other's room.
  assert.ok(stored <= 10, `${stored} stored`);
  assert.equal((await usage()).file_bytes, stored * bytes);
  // What was claimed and not stored was given back.
  for (let at = stored; at < 10; at++) assert.equal((await upload(100 + 2 * at)).status, 201, `the ${at}th`);
  assertExceeded(await upload(200), 'file_bytes');
  assert.equal((await usage()).file_bytes, 10 * bytes);
  assert.equal((await send('DELETE', '/d0/files?all=true')).status, 200);
  assert.equal((await upload(202)).status, 201);
});

test('an upload is refused before its bytes are sent', async (context) => {
  const { server, quota, send } = await world(context);
  await quota('--max-file-bytes', '1000000');
  const answer = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { 'X-API-Key': key, 'Content-Length': 5_000_000, Expect: '100-continue' };
    const call = request(`${server.url}/v1/demo/d/files?name=f`, { method: 'POST', headers });
    call.once('continue', () => reject(new Error('it was asked to send its bytes')));
    call.once('response', (response) => {
      resolve(response.statusCode);
      call.destroy();
    });
    call.once('error', reject);
    call.flushHeaders();
  });
  assert.equal(answer, 507);
  assert.equal((await send('POST', '/d/files?name=f', 'x'.repeat(1_000_000))).status, 201);
  // What replaces it needs no room of its own.
  assert.equal((await send('POST', '/d/files?name=f', 'y'.repeat(1_000_000))).status, 201);
  assertExceeded(await send('POST', '/d/files?name=f', 'y'.repeat(1_000_001)), 'file_bytes');
});

test('parts, copies and the trash count; what is aborted or emptied does not', async (context) => {
  const { send, quota, usage } = await world(context, '--trash', '30d');
  const bytes = 6 * 1024 * 1024;
  const body = 'x'.repeat(bytes);
  await quota('--max-file-bytes', String(2 * bytes), '--max-files', '2');
  const opened = await send('POST', '/d/uploads?name=f');
  const { upload_id: id } = JSON.parse(opened.text) as { readonly upload_id: string };
  const part = (n: number) => send('POST', `/d/uploads/${id}/parts?name=f&part=${n}`, body);
  assert.equal((await part(1)).status, 200);
  assert.equal((await part(2)).status, 200);
  assertExceeded(await part(3), 'file_bytes');
  assert.equal((await part(2)).status, 200);
  assert.equal((await usage()).upload_bytes, 2 * bytes);
  assert.equal((await send('PATCH', `/d/uploads/${id}?name=f`)).status, 200);
  assertExceeded(await send('POST', '/d/files/copy', { files: [{ from: 'f', to: 'g' }] }), 'file_bytes');
  assert.equal((await send('DELETE', '/d/files', { names: ['f'] })).status, 200);
  assert.equal((await usage()).trash_bytes, 2 * bytes);
  assertExceeded(await send('POST', '/d/files?name=h', 'x'), 'file_bytes');
  assert.equal((await send('DELETE', '/d/trash?all=true')).status, 200);
  assert.equal((await send('POST', '/d/files?name=h', 'x')).status, 201);
  assert.equal((await send('POST', '/d/files/copy', { files: [{ from: 'h', to: 'i' }] })).status, 200);
  assertExceeded(await send('POST', '/d/files?name=j', 'x'), 'files');
  assertExceeded(await send('POST', '/d/files/copy', { files: [{ from: 'h', to: 'j' }] }), 'files');
});

test('a quota is exact after the server was killed while it was written to', async (context) => {
  const made = await world(context);
  const { send, quota, usage } = made;
  await quota('--max-items', '300', '--max-files', '100');
  for (let kill = 0; kill < 2; kill++) {
    const writing = Array.from({ length: 200 }, async (_, at) => {
      await send('PUT', `/b${at % 5}/items`, putItem(`${kill}-${at % 90}`, { at })).catch(() => {});
      await send('POST', `/d${at % 3}/files?name=${kill}-${at % 40}`, 'x'.repeat(at)).catch(() => {});
    });
    await writing[kill * 30];
    await made.server.stop('SIGKILL');
    await Promise.all(writing);
    made.server = await startServer(context, made.options);
  }
  const before = await usage();
  assert.ok((before.items ?? 0) <= 300 && (before.files ?? 0) <= 100);
  // Exactly what is left fits.
  const fill = Array.from({ length: 310 - (before.items ?? 0) }, (_, at) =>
    send('PUT', `/c${at % 4}/items`, putItem(String(at))),
  );
  const filled = (await Promise.all(fill)).filter(({ status }) => status === 207).length;
  assert.equal(filled, 300 - (before.items ?? 0));
  for (let at = before.files ?? 0; at < 100; at++)
    assert.equal((await send('POST', `/d/files?name=${at}`, 'x')).status, 201);
  assertExceeded(await send('POST', '/d/files?name=more', 'x'), 'files');
  const after = await usage();
  assert.deepEqual([after.items, after.files], [300, 100]);
});

test('a project sends as many requests a second as its quota allows, over all keys', async (context) => {
  const { send, quota, server, folder } = await world(context);
  const made = await run(['keys', 'create', 'demo', '--data', folder, '--json']);
  const other = JSON.parse(made.out).key as string;
  await quota('--rate', '1');
  assert.equal((await send('GET', '/base/items/a')).status, 200);
  const refused = await fetch(`${server.url}/v1/demo/base/items/a`, { headers: { 'X-API-Key': other } });
  assert.equal(refused.status, 429);
  assert.match(refused.headers.get('Retry-After') ?? '', /^\d+$/);
  assert.match(await refused.text(), /rate_exceeded/);
});

test('a quota that is no number, or none at all, is refused', async (context) => {
  const { folder } = await world(context);
  const set = (...options: string[]) => run(['projects', 'quota', 'demo', '--data', folder, ...options]);
  for (const options of [
    ['--max-items', 'many'],
    ['--max-items', '-1'],
    ['--max-items', '1.5'],
    [],
    ['--max-items', '1', '--none'],
  ])
    assert.equal((await set(...options)).code, 2, options.join(' '));
  const { code } = await run(['projects', 'quota', 'nobody', '--max-items', '1', '--data', folder]);
  assert.equal(code, 2);
});

test('projects without a quota of their own have that of --quota', async (context) => {
  const { send, quota } = await world(context, '--quota', 'items=2,files=1');
  assert.equal((await send('PUT', '/base/items', putItem('b'))).status, 207);
  assertExceeded(await send('PUT', '/base/items', putItem('c')), 'items');
  assert.equal((await send('POST', '/d/files?name=a', 'x')).status, 201);
  assertExceeded(await send('POST', '/d/files?name=b', 'x'), 'files');
  await quota('--max-items', '3');
  assert.equal((await send('PUT', '/base/items', putItem('c'))).status, 207);
  assert.equal((await send('POST', '/d/files?name=b', 'x')).status, 201);
  assertExceeded(await send('PUT', '/base/items', putItem('d')), 'items');
  for (const wrong of ['items', 'items=x', 'things=1', 'items=1,items=2', 'requests_per_second=0'])
    assert.equal((await run(['--memory', '--quota', wrong])).code, 2, wrong);
});
