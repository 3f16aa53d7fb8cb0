import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readSettings } from '../../src/config/read-settings.js';
import { WrongValue } from '../../src/config/values.js';
import { OperatorError } from '../../src/operator-error.js';
import { holdIdentityOf } from '../../src/store/identity.js';
import { openStore } from '../../src/store/open-store.js';
import { startTestServer, type TestServerOptions } from '../../src/testing/index.js';
import { fillStore, takeSnapshot } from '../../src/testing/snapshot.js';
import { temporaryFolder } from '../support/run-cli.js';
import { requestsTo } from '../support/test-requests.js';

async function start(context: TestContext, options?: TestServerOptions) {
  const server = await startTestServer(options);
  context.after(() => server.stop());
  return { ...server, ...requestsTo(server) };
}

const put = (...items: unknown[]) => ['PUT', '/users/items', { items }] as const;

test('items, files and keys expire when the clock is moved, and not before', async (context) => {
  const { send, status, control, url, project } = await start(context);
  await send(...put({ key: 'ada', __expires: Math.floor(control.now() / 1000) + 3600 }, { key: 'alan' }));
  const stored = await send(
    'POST',
    `/photos/files?name=a&expires=${Math.floor(control.now() / 1000) + 3600}`,
    'x',
  );
  assert.equal(stored.status, 201);
  const made = await send('POST', '/keys', { expires_in: 3600 });
  const { key } = (await made.json()) as { key: string };
  const withKey = async () =>
    (await fetch(`${url}/v1/${project}/bases`, { headers: { 'X-API-Key': key } })).status;
  const paths = ['/users/items/ada', '/users/items/alan', '/photos/files/download?name=a'];
  const seen = async () => [...(await Promise.all(paths.map(status))), await withKey()];
  control.advance('59m');
  assert.deepEqual(await seen(), [200, 200, 200, 200]);
  control.advance('1m');
  assert.deepEqual(await seen(), [404, 200, 404, 401]);
});

test('expires_in counts by the moved clock: of an upload, from when it ends', async (context) => {
  const { send, status, control } = await start(context);
  control.advance('400d');
  const json = async (sent: Promise<Response>) => {
    const answer = await sent;
    assert.ok(answer.ok, String(answer.status));
    return (await answer.json()) as Record<string, string>;
  };
  await json(send('PUT', '/users/items', { items: [{ key: 'put' }], expires_in: 3600 }));
  await json(send('POST', '/users/items', { item: { key: 'inserted' }, expires_in: 3600 }));
  await json(send(...put({ key: 'updated' })));
  await json(send('PATCH', '/users/items/updated', { expires_in: 3600 }));
  await json(send('POST', '/photos/files?name=put&expires_in=3600', 'x'));
  await json(send('POST', '/photos/files?name=changed', 'x'));
  await json(send('PATCH', '/photos/files?name=changed', { expires_in: 3600 }));
  const { upload_id: id } = await json(send('POST', '/photos/uploads?name=uploaded&expires_in=3600'));
  const items = ['put', 'inserted', 'updated'].map((key) => `/users/items/${key}`);
  const files = ['put', 'changed'].map((name) => `/photos/files/download?name=${name}`);
  const seen = async (paths: readonly string[]) => [...new Set(await Promise.all(paths.map(status)))];
  control.advance('59m');
  assert.deepEqual(await seen([...items, ...files]), [200]);
  control.advance('1m');
  assert.deepEqual(await seen([...items, ...files]), [404]);
  control.advance('1h');
  await json(send('PATCH', `/photos/uploads/${id}?name=uploaded`));
  const uploaded = ['/photos/files/download?name=uploaded'];
  control.advance('59m');
  assert.deepEqual(await seen(uploaded), [200]);
  control.advance('1m');
  assert.deepEqual(await seen(uploaded), [404]);
});

test('a reset deletes everything, sets the clock back and ends faults', async (context) => {
  const { send, status, control, url } = await start(context);
  await send(...put({ key: 'ada' }));
  await send('POST', '/photos/files?name=a', 'x'.repeat(100_000));
  const made = await send('POST', '/keys', {});
  const { key } = (await made.json()) as { key: string };
  control.advance('300d');
  control.faults([{ status: 503 }]);
  await control.reset();
  assert.ok(Math.abs(control.now() - Date.now()) < 3_600_000);
  assert.equal(await status('/users/items/ada'), 404);
  assert.equal(await status('/photos/files/download?name=a'), 404);
  assert.equal((await fetch(`${url}/v1/test/bases`, { headers: { 'X-API-Key': key } })).status, 401);
  assert.equal((await send(...put({ key: 'ada' }))).status, 207);
});

test('a restore brings back items, files, keys and the time at which they expire, as often as one likes', async (context) => {
  const { send, status, control } = await start(context);
  const large = 'x'.repeat(300_000);
  await send(...put({ key: 'soon', __expires: Math.floor(control.now() / 1000) + 60 }));
  await send(...put({ key: 'ada', n: 1.5 }));
  await send('POST', '/photos/files?name=small', 'small');
  await send('POST', '/photos/files?name=large', large);
  const before = await (await send('GET', '/users/items/ada')).text();
  const snapshot = await control.snapshot();
  for (let round = 0; round < 2; round++) {
    await send('DELETE', '/users/items?all=true');
    await send('DELETE', '/photos/files?all=true');
    await send(...put({ key: 'later' }));
    await control.restore(snapshot);
    assert.equal(await (await send('GET', '/users/items/ada')).text(), before);
    assert.equal(await (await send('GET', '/photos/files/download?name=large')).text(), large);
    assert.equal(await (await send('GET', '/photos/files/download?name=small')).text(), 'small');
    assert.equal(await status('/users/items/later'), 404);
    assert.equal(await status('/users/items/soon'), 200);
  }
  control.advance('2m');
  await control.restore(snapshot);
  assert.equal(await status('/users/items/soon'), 404, 'the clock stays');
  await assert.rejects(control.restore('99'), OperatorError);
});

test('a restored store holds the identity of its rows: it deletes what has none, and warns of nothing', async () => {
  const open = () => openStore(readSettings({ memory: true }, {}), { variables: {}, closers: [] });
  const [before, after] = [await open(), await open()];
  await fillStore(after, await takeSnapshot(before));
  assert.ok(await holdIdentityOf(after));
});

test('a seed stores bases in every form and drives with their folders, to the digit', async (context) => {
  const folder = await temporaryFolder(context);
  await mkdir(join(folder, 'bases'));
  await mkdir(join(folder, 'drives/photos/2024'), { recursive: true });
  await writeFile(join(folder, 'bases/list.json'), '[{"key":"a","n":1.50},\n{"key":"b"}]');
  await writeFile(join(folder, 'bases/object.json'), '{"items":[{"key":"a"}]}');
  await writeFile(join(folder, 'bases/lines é.json'), '{"key":"a"}\n\n{"key":"b","items":[1]}\n');
  await writeFile(join(folder, 'bases/empty.json'), '[]');
  await writeFile(join(folder, 'drives/photos/2024/ä b.txt'), 'hello');
  const { control, send, status } = await start(context, { seed: folder });
  assert.equal(await (await send('GET', '/list/items/a')).text(), '{"key":"a","n":1.50}');
  for (const path of [
    '/list/items/b',
    '/object/items/a',
    '/lines%20%C3%A9/items/a',
    '/lines%20%C3%A9/items/b',
  ])
    assert.equal(await status(path), 200, path);
  const file = await send('GET', `/photos/files/download?name=${encodeURIComponent('2024/ä b.txt')}`);
  assert.deepEqual([await file.text(), file.headers.get('content-type')], ['hello', 'text/plain']);
  assert.deepEqual(await control.seed(folder), { items: 5, files: 1 });
});

test('a seed that cannot be stored is named with its file, and no server is left', async (context) => {
  const folder = await temporaryFolder(context);
  await assert.rejects(startTestServer({ seed: join(folder, 'absent') }), /absent cannot be read/);
  await mkdir(join(folder, 'bases'));
  await writeFile(join(folder, 'bases/bad.json'), '{"key":"a"}\nnot JSON\n');
  await assert.rejects(startTestServer({ seed: folder }), /bases\/bad\.json line 2: /);
  await writeFile(join(folder, 'bases/bad.json'), '[{"key":""}]');
  await assert.rejects(startTestServer({ seed: folder }), /bases\/bad\.json.*key/);
});

test('servers of one process know nothing of each other', async (context) => {
  const [one, two] = await Promise.all([start(context), start(context, { keys: ['shop_a', 'blog_b'] })]);
  assert.deepEqual([one.key, one.project, two.key, two.project], ['test_key', 'test', 'shop_a', 'shop']);
  assert.notEqual(one.port, two.port);
  await one.send(...put({ key: 'ada' }));
  one.control.advance('1d');
  assert.equal(await two.status('/users/items/ada'), 404);
  assert.ok(one.control.now() - two.control.now() > 3_600_000);
  const other = await fetch(`${two.url}/v1/blog/bases`, { headers: { 'X-API-Key': 'blog_b' } });
  assert.equal(other.status, 200);
});

test('after a stop nothing listens, and what was wrong is said', async () => {
  const server = await startTestServer();
  await server.stop();
  await assert.rejects(fetch(server.url));
  for (const [options, message] of [
    [{ keys: ['nosecret'] }, /^startTestServer: keys: a key is/],
    [{ keys: 'test_key' }, /^startTestServer: keys: must be a list of texts$/],
    [{ prt: 1 }, /^startTestServer: prt is not one of port, keys, seed$/],
    [{ port: '8080' }, /^startTestServer: port: must be an integer from 0 to 65535$/],
    [{ seed: 1 }, /^startTestServer: seed: must be the path of a folder$/],
  ] as [TestServerOptions, RegExp][]) {
    await assert.rejects(startTestServer(options), (cause) => {
      assert.ok(cause instanceof OperatorError);
      assert.match(cause.message, message);
      return true;
    });
  }
  const running = await startTestServer();
  try {
    for (const by of ['1', '-1h', 'soon', '', 5 as unknown as string]) {
      assert.throws(
        () => running.control.advance(by),
        (cause) => {
          assert.ok(cause instanceof WrongValue);
          assert.match(cause.message, /^advance: must /);
          return true;
        },
      );
    }
  } finally {
    await running.stop();
  }
});
