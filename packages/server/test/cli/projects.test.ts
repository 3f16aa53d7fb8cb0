import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { run, startServer, temporaryFolder } from '../support/run-cli.js';

const adminKey = '0perat0r-s3cret-0f-32-characters';
const json = { 'Content-Type': 'application/json' };

async function keyFile(context: TestContext, content = `# of the operator\n${adminKey}\n`): Promise<string> {
  const file = join(await temporaryFolder(context), 'admin.key');
  await writeFile(file, content, { mode: 0o600 });
  return file;
}

async function call(url: string, method: string, path: string, key: string, body?: object) {
  const answer = await fetch(url + path, {
    method,
    headers: { ...json, 'X-API-Key': key },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

interface Listed {
  readonly name: string;
  readonly deleting?: boolean;
}

async function listed(folder: string): Promise<readonly Listed[]> {
  const { code, out, err } = await run(['projects', 'list', '--data', folder, '--json']);
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

/** Puts items and files into a project. */
async function fill(url: string, project: string, key: string): Promise<void> {
  const items = [{ key: 'a', n: 1 }, { key: 'b' }];
  assert.equal((await call(url, 'PUT', `/v1/${project}/base/items`, key, { items })).status, 207);
  const file = await fetch(`${url}/v1/${project}/drive/files?name=f`, {
    method: 'POST',
    headers: { 'X-API-Key': key },
    body: 'x'.repeat(100_000),
  });
  assert.equal(file.status, 201);
}

for (const isRunning of [true, false]) {
  test(`projects are created, used, measured and deleted ${isRunning ? 'while' : 'before and after'} a server runs`, async (context) => {
    const folder = await temporaryFolder(context);
    const options = ['--data', folder, '--key', 'demo_s3cret'];
    let server = await startServer(context, options);
    const between = async () => {
      if (!isRunning) await server.stop();
    };
    const after = async () => {
      if (!isRunning) server = await startServer(context, options);
    };
    await fill(server.url, 'demo', 'demo_s3cret');

    await between();
    const made = await run(['projects', 'create', 'shop', '--data', folder, '--json']);
    assert.equal(made.code, 0, made.err);
    const { key } = JSON.parse(made.out) as { readonly key: string };
    const taken = await run(['projects', 'create', 'shop', '--data', folder]);
    assert.deepEqual(
      { code: taken.code, err: taken.err },
      { code: 2, err: 'basedrive: The project exists\n' },
    );
    await after();

    await fill(server.url, 'shop', key);
    await between();
    const usage = await run(['projects', 'usage', 'shop', '--data', folder, '--json']);
    assert.deepEqual(JSON.parse(usage.out), {
      name: 'shop',
      items: 2,
      item_bytes: 28,
      files: 1,
      file_bytes: 100_000,
      trash_bytes: 0,
      upload_bytes: 0,
      exact: true,
    });
    assert.deepEqual(
      (await listed(folder)).map(({ name }) => name),
      ['demo', 'shop'],
    );
    const gone = await run(['projects', 'delete', 'shop', 'shop', '--data', folder]);
    assert.deepEqual({ code: gone.code, out: gone.out }, { code: 0, out: 'Deleted shop\n' });
    assert.deepEqual(
      (await listed(folder)).map(({ name }) => name),
      ['demo'],
    );
    await after();
    assert.equal((await call(server.url, 'GET', '/v1/shop/base/items/a', key)).status, 401);
    assert.equal((await call(server.url, 'GET', '/v1/demo/base/items/a', 'demo_s3cret')).status, 200);
    await server.stop();
    const check = await run(['check', '--data', folder]);
    assert.equal(check.code, 0, check.out + check.err);
  });
}

test('a project is deleted only by whoever gives its name twice, or --yes', async (context) => {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder, '--key', 'demo_s3cret']);
  await fill(server.url, 'demo', 'demo_s3cret');
  for (const words of [['demo'], ['demo', 'dem']]) {
    const { code, err } = await run(['projects', 'delete', ...words, '--data', folder]);
    assert.equal(code, 2);
    assert.match(err, /^basedrive: All that demo has would be gone: give its name once more .*--yes\n$/);
  }
  assert.equal((await call(server.url, 'GET', '/v1/demo/base/items/a', 'demo_s3cret')).status, 200);
  const unknown = await run(['projects', 'delete', 'nobody', '--yes', '--data', folder]);
  assert.deepEqual(
    { code: unknown.code, err: unknown.err },
    { code: 2, err: 'basedrive: Project not found\n' },
  );
  assert.equal((await run(['projects', 'delete', 'demo', '--yes', '--data', folder])).code, 0);
  // The key is the operator's, so it is valid for what begins anew.
  assert.equal((await call(server.url, 'GET', '/v1/demo/base/items/a', 'demo_s3cret')).status, 404);
  await fill(server.url, 'demo', 'demo_s3cret');
});

test('the key of the operator administers, that of a project does not, and the other way round', async (context) => {
  const folder = await temporaryFolder(context);
  const options = ['--data', folder, '--key', 'demo_s3cret'];
  const server = await startServer(context, [...options, '--admin-key-file', await keyFile(context)]);
  for (const key of ['demo_s3cret', '', `${adminKey}x`, adminKey.slice(1)])
    assert.equal((await call(server.url, 'GET', '/admin/projects', key)).status, 401, key);
  assert.equal((await call(server.url, 'GET', '/v1/demo/bases', adminKey)).status, 401);
  assert.equal((await call(server.url, 'GET', '/v1/admin/projects', adminKey)).status, 404);

  const made = await call(server.url, 'POST', '/admin/projects', adminKey, { name: 'shop' });
  assert.equal(made.status, 201);
  assert.equal((await call(server.url, 'POST', '/admin/projects', adminKey, { name: 'shop' })).status, 409);
  for (const body of [{}, { name: 'a_b' }, { name: 1 }, { name: '' }, { name: 'x', more: 1 }])
    assert.equal((await call(server.url, 'POST', '/admin/projects', adminKey, body)).status, 400);
  await fill(server.url, 'shop', (made.body as { readonly key: string }).key);
  const quotaPath = '/admin/projects/shop/quota';
  for (const body of [{ items: -1 }, { items: 1.5 }, { items: 'x' }, { more: 1 }, { requests_per_second: 0 }])
    assert.equal(
      (await call(server.url, 'PUT', quotaPath, adminKey, body)).status,
      400,
      JSON.stringify(body),
    );
  const quota = { items: 2, requests_per_second: 100 };
  assert.deepEqual(await call(server.url, 'PUT', quotaPath, adminKey, quota), {
    status: 200,
    body: { name: 'shop', ...quota },
  });
  const usage = await call(server.url, 'GET', '/admin/projects/shop/usage', adminKey);
  assert.deepEqual((usage.body as { readonly quota: object }).quota, quota);
  assert.equal((await call(server.url, 'PUT', '/admin/projects/none/quota', adminKey, {})).status, 404);
  assert.equal((await call(server.url, 'GET', '/admin/projects/none/usage', adminKey)).status, 404);
  assert.equal((await call(server.url, 'DELETE', '/admin/projects/none', adminKey)).status, 404);
  assert.equal((await call(server.url, 'DELETE', '/admin/projects/shop', adminKey)).status, 202);
  await server.stop();

  const without = await startServer(context, options);
  assert.equal((await call(without.url, 'GET', '/admin/projects', adminKey)).status, 401);
});

test('a key file that others can read, or without a long key, is refused', async (context) => {
  const folder = await temporaryFolder(context);
  const start = async (file: string) =>
    await run(['--data', folder, '--port', '0', '--admin-key-file', file]);
  const open = await keyFile(context);
  await chmod(open, 0o604);
  const { code, err } = await start(open);
  assert.equal(code, 2);
  assert.match(err, /--admin-key-file: \S+ can be opened by every user of the machine: run chmod 600/);
  assert.ok(!err.includes(adminKey));
  for (const content of ['', 'short\n', `${adminKey}\n${adminKey}\n`]) {
    const refused = await start(await keyFile(context, content));
    assert.equal(refused.code, 2, content);
    assert.match(refused.err, /--admin-key-file/);
  }
});

test('a deletion that is killed goes on with the next start, and nobody reads meanwhile', async (context) => {
  const folder = await temporaryFolder(context);
  const options = ['--data', folder, '--key', 'demo_s3cret', '--max-items-per-put', '2000'];
  const server = await startServer(context, options);
  for (let at = 0; at < 20; at++) {
    const items = Array.from({ length: 1000 }, (_, n) => ({ key: `${at}-${n}`, text: 'x'.repeat(200) }));
    await call(server.url, 'PUT', `/v1/demo/b${at}/items`, 'demo_s3cret', { items });
  }
  await fill(server.url, 'demo', 'demo_s3cret');
  const deleting = run(['projects', 'delete', 'demo', '--yes', '--data', folder]);
  for (;;) {
    const { status } = await call(server.url, 'GET', '/v1/demo/b19/items/19-999', 'demo_s3cret');
    if (status === 200) continue;
    assert.ok(status === 410 || status === 404, String(status));
    break;
  }
  await server.stop('SIGKILL');
  await deleting;
  const again = await startServer(context, options);
  for (;;) {
    const { status } = await call(again.url, 'GET', '/v1/demo/b19/items/19-999', 'demo_s3cret');
    if (status === 404) break;
    assert.equal(status, 410);
  }
  assert.deepEqual(await listed(folder), []);
  await again.stop();
  assert.equal((await run(['check', '--data', folder])).code, 0);
});
