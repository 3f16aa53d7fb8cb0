import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueIn } from '../support/metrics-text.js';
import {
  adminKeyFile,
  assertExceeded,
  exchange,
  type Project,
  projectOn,
  putItem,
  reachedBy,
} from '../support/quota-project.js';
import { run, startServer, temporaryFolder } from '../support/run-cli.js';

/** Each in a project of its own. */
const tests: Readonly<Record<string, (project: Project) => Promise<void>>> = {
  async 'a quota of items holds at every door, in every base, and deletes free it'({ send, quota, usage }) {
    assert.equal((await send('PUT', '/base/items', putItem('a'))).status, 207);
    await quota({ items: 3 });
    assert.equal((await send('PUT', '/base/items', putItem('b'))).status, 207);
    assert.equal((await send('PUT', '/other/items', putItem('c'))).status, 207);
    assert.equal((await send('PUT', '/other/items', putItem('c', { n: 1 }))).status, 207);

    assertExceeded(await send('PUT', '/base/items', putItem('d')), 'items');
    assertExceeded(await send('PUT', '/third/items', putItem('d')), 'items');
    assertExceeded(await send('POST', '/base/items', { item: { key: 'd' } }), 'items');
    assertExceeded(await send('PATCH', '/base/items/d', { upsert: {}, set: { n: 1 } }), 'items');
    const operations = [{ put: { key: 'b', n: 2 } }, { put: { key: 'd' } }];
    assertExceeded(await send('POST', '/base/transactions', { operations }), 'items');
    for (const method of ['PUT', 'POST']) {
      const lines = await send(method, '/base/items', '{"key":"d"}\n', { type: 'application/x-ndjson' });
      assert.match(lines.text, /quota_exceeded/);
    }
    // Nothing of what was refused is there.
    assert.equal((await send('GET', '/base/items/b')).text, '{"key":"b"}');
    assert.equal((await usage()).items, 3);

    const swap = [{ delete: { key: 'b' } }, { put: { key: 'd' } }];
    assert.equal((await send('POST', '/base/transactions', { operations: swap })).status, 200);
    assert.equal((await send('DELETE', '/other/items?all=true')).status, 200);
    assert.equal((await send('PUT', '/third/items', putItem('e'))).status, 207);
    assertExceeded(await send('PUT', '/third/items', putItem('f')), 'items');
    await quota({});
    assert.equal((await send('PUT', '/third/items', putItem('f'))).status, 207);
    // What was stored without a quota counts when there is one again.
    await quota({ items: 5 });
    assert.equal((await send('PUT', '/third/items', putItem('g'))).status, 207);
    assertExceeded(await send('PUT', '/third/items', putItem('h')), 'items');
  },

  async 'a quota of bytes of items holds for updates, too'({ send, quota }) {
    await quota({ item_bytes: 40 });
    assert.equal((await send('PUT', '/base/items', putItem('a'))).status, 207);
    const grow = { set: { text: 'x'.repeat(40) } };
    assertExceeded(await send('PATCH', '/base/items/a', grow), 'item_bytes');
    const ofSet = { query: { 'key?pfx': 'a' }, ...grow };
    assertExceeded(await send('POST', '/base/query/update', ofSet), 'item_bytes');
    assert.equal((await send('GET', '/base/items/a')).text, '{"key":"a"}');
    assert.equal((await send('PATCH', '/base/items/a', { set: { text: 'x' } })).status, 200);
  },

  async 'items and files that expire free the quota'({ send, quota }) {
    await quota({ items: 1, files: 1 });
    assert.equal((await send('PUT', '/base/items', { ...putItem('a'), expires_in: 1 })).status, 207);
    assert.equal((await send('POST', '/d/files?name=a&expires_in=1', 'x')).status, 201);
    for (const put of [
      () => send('PUT', '/base/items', putItem('b')),
      () => send('POST', '/d/files?name=b', 'x'),
    ]) {
      let answer = await put();
      for (; answer.status === 507; answer = await put()) await new Promise(setImmediate);
      assert.ok([201, 207].includes(answer.status), answer.text);
    }
  },

  async 'of 64 uploads at once, as many are stored as there is room for'({ send, quota, usage, announce }) {
    const bytes = 50_000;
    await quota({ file_bytes: bytes * 10 + bytes / 2 });
    const upload = (at: number, isChunked = false) =>
      send('POST', `/d${at % 3}/files?name=${at}`, 'x'.repeat(bytes), { isChunked });
    const answers = await Promise.all(Array.from({ length: 64 }, (_, at) => upload(at, at % 2 === 1)));
    const stored = answers.filter(({ status }) => status === 201).length;
    for (const answer of answers) if (![0, 201].includes(answer.status)) assertExceeded(answer, 'file_bytes');
    // Uploads whose length nobody knew may all have waited for each other's room.
    assert.ok(stored <= 10, `${stored} stored`);
    assert.equal((await usage()).file_bytes, stored * bytes);
    // What was reserved and not stored was given back.
    for (let at = stored; at < 10; at++) assert.equal((await upload(100 + at)).status, 201, `the ${at}th`);
    assertExceeded(await announce('/d0/files?name=more', bytes), 'file_bytes');
    assert.equal((await usage()).file_bytes, 10 * bytes);
    for (const drive of ['d0', 'd1', 'd2']) await send('DELETE', `/${drive}/files?all=true`);
    assert.equal((await upload(200)).status, 201);
    assert.equal((await usage()).file_bytes, bytes);
  },

  async 'an upload is refused before its bytes are sent; what replaces a file needs no more room'({
    send,
    quota,
    announce,
  }) {
    await quota({ file_bytes: 1_000_000 });
    assertExceeded(await announce('/d/files?name=f', 5_000_000), 'file_bytes');
    const links = await send('POST', '/d/links', {
      name: 'g',
      method: 'POST',
      expires_in: 600,
      max_bytes: 5_000_000,
    });
    const [link] = JSON.parse(links.text).links as readonly { readonly url: string }[];
    assert.equal((await send('POST', '/d/files?name=f', 'x'.repeat(1_000_000))).status, 201);
    assert.equal((await send('POST', '/d/files?name=f', 'y'.repeat(1_000_000))).status, 201);
    assertExceeded(await announce('/d/files?name=f', 1_000_001), 'file_bytes');
    assertExceeded(await exchange(link?.url ?? '', 'POST', 'x'), 'file_bytes');
  },

  async 'parts, copies and the trash count; what is aborted or emptied does not'({
    send,
    quota,
    usage,
    announce,
  }) {
    const bytes = 5 * 1024 * 1024;
    await send('PUT', '/d/settings', { trash: '30d' });
    await quota({ file_bytes: 2 * bytes, files: 2 });
    const opened = await send('POST', '/d/uploads?name=f');
    const { upload_id: id } = JSON.parse(opened.text) as { readonly upload_id: string };
    const partPath = (n: number) => `/d/uploads/${id}/parts?name=f&part=${n}`;
    const body = 'x'.repeat(bytes);
    for (const n of [1, 2, 2]) assert.equal((await send('POST', partPath(n), body)).status, 200);
    assertExceeded(await announce(partPath(3), bytes), 'file_bytes');
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
  },

  async 'a project sees its own usage and quota with a key without limits'({ name, send, quota, usage }) {
    const stats = async (key?: string) =>
      await send('GET', '/stats', undefined, key === undefined ? {} : { key });
    const empty = { items: 0, item_bytes: 0, files: 0, file_bytes: 0, trash_bytes: 0, upload_bytes: 0 };
    assert.deepEqual(JSON.parse((await stats()).text), { name, ...empty, exact: true });
    await quota({ items: 3, requests_per_second: 1000 });
    assert.equal((await send('PUT', '/base/items', putItem('a'))).status, 207);
    assert.equal((await send('POST', '/d/files?name=a', 'xyz')).status, 201);
    const own = JSON.parse((await stats()).text);
    assert.deepEqual(own, {
      name,
      ...empty,
      items: 1,
      item_bytes: 11,
      files: 1,
      file_bytes: 3,
      quota: { items: 3, requests_per_second: 1000 },
      exact: true,
    });
    assert.deepEqual(own, await usage());
    const made = await send('POST', '/keys', { access: 'full', bases: ['base'] });
    assert.equal((await stats((JSON.parse(made.text) as { readonly key: string }).key)).status, 403);
  },

  async 'a project sends as many requests as its quota allows, over all keys'({ send, quota }) {
    const made = await send('POST', '/keys', {});
    const { key } = JSON.parse(made.text) as { readonly key: string };
    await quota({ requests_per_second: 0.01 });
    assert.equal((await send('GET', '/base/items/a')).status, 404);
    const refused = await send('GET', '/base/items/a', undefined, { key });
    assert.equal(refused.status, 429);
    assert.match(refused.headers['retry-after'] ?? '', /^\d+$/);
    assert.match(refused.text, /rate_exceeded/);
  },
};

test('quotas', async (context) => {
  const file = await adminKeyFile(context);
  const { url } = await startServer(context, ['--memory', '--log-level', 'error', '--admin-key-file', file]);
  for (const [name, body] of Object.entries(tests))
    await context.test(name, async () => body(await projectOn(url)));
});

test('metrics say how many projects are near a quota, and what was refused', async (context) => {
  const file = await adminKeyFile(context);
  const options = ['--memory', '--log-level', 'error', '--admin-key-file', file, '--metrics', '127.0.0.1:0'];
  const server = await startServer(context, options);
  await server.said(/Metrics are at .*\n/);
  const [, metricsUrl = ''] = /Metrics are at (\S+)/.exec(server.err()) ?? [];
  const scraped = await (await fetch(metricsUrl)).text();
  const value = (text: string, name: string, quota?: string) =>
    valueIn(text, `basedrive_quota_${name}`, quota === undefined ? {} : { quota });
  assert.equal(value(scraped, 'projects'), 0);
  assert.equal(value(scraped, 'refused_total', 'items'), 0);
  const [full, other] = [await projectOn(server.url), await projectOn(server.url)];
  for (const { quota } of [full, other]) await quota({ items: 10, file_bytes: 100 });
  for (let at = 0; at < 9; at++) await full.send('PUT', '/base/items', putItem(`${at}`));
  await other.send('PUT', '/base/items', putItem('a'));
  const two = { items: [{ key: 'b' }, { key: 'c' }] };
  assertExceeded(await full.send('PUT', '/base/items', two), 'items');
  assertExceeded(await other.announce('/d/files?name=f', 100_000), 'file_bytes');
  await other.quota({ items: 10, file_bytes: 100, requests_per_second: 0.01 });
  assert.equal((await other.send('GET', '/base/items/a')).status, 200);
  assert.equal((await other.send('GET', '/base/items/a')).status, 429);
  const text = await (await fetch(metricsUrl)).text();
  assert.equal(value(text, 'projects'), 2);
  assert.equal(value(text, 'near_projects', 'items'), 1);
  assert.equal(value(text, 'near_projects', 'file_bytes'), 0);
  for (const quota of ['items', 'file_bytes', 'requests_per_second'])
    assert.equal(value(text, 'refused_total', quota), 1, quota);
  assert.ok(!text.includes(`"${full.name}"`));
});

test('a quota is exact after the server was killed while it was written to', async (context) => {
  const folder = await temporaryFolder(context);
  const keyFile = await adminKeyFile(context);
  const options = ['--data', folder, '--log-level', 'error', '--admin-key-file', keyFile];
  let server = await startServer(context, [...options, '--key', 'other_s3cret']);
  let project = await projectOn(server.url);
  await project.quota({ items: 300, files: 100 });
  for (let kill = 0; kill < 2; kill++) {
    const writing = Array.from({ length: 150 }, async (_, at) => {
      await project.send('PUT', `/b${at % 5}/items`, putItem(`${kill}-${at % 90}`, { at }));
      await project.send('POST', `/d${at % 3}/files?name=${kill}-${at % 40}`, 'x'.repeat(at));
    });
    await writing[kill * 30];
    await server.stop('SIGKILL');
    await Promise.all(writing);
    server = await startServer(context, [...options, '--key', 'other_s3cret']);
    const { name, key } = project;
    project = { name, url: server.url, ...(await reachedBy(server.url, name, key)) };
  }
  const { items = 0, files = 0 } = await project.usage();
  assert.ok(items <= 300 && files <= 100);
  // Exactly what is left fits.
  const puts = Array.from({ length: 310 - items }, (_, at) =>
    project.send('PUT', `/c${at % 4}/items`, putItem(String(at))),
  );
  assert.equal((await Promise.all(puts)).filter(({ status }) => status === 207).length, 300 - items);
  for (let at = files; at < 100; at++)
    assert.equal((await project.send('POST', `/d/files?name=${at}`, 'x')).status, 201);
  assertExceeded(await project.send('POST', '/d/files?name=more', 'x'), 'files');
  const after = await project.usage();
  assert.deepEqual([after.items, after.files], [300, 100]);
});

test('a quota is set on the command line, and --quota is for projects without one', async (context) => {
  const folder = await temporaryFolder(context);
  const options = ['--data', folder, '--key', 'demo_s3cret', '--quota', 'items=2,files=1'];
  const server = await startServer(context, options);
  const { send } = await reachedBy(server.url, 'demo', 'demo_s3cret');
  assert.equal((await send('PUT', '/base/items', { items: [{ key: 'a' }, { key: 'b' }] })).status, 207);
  assertExceeded(await send('PUT', '/base/items', putItem('c')), 'items');
  assert.equal((await send('POST', '/d/files?name=a', 'x')).status, 201);
  assertExceeded(await send('POST', '/d/files?name=b', 'x'), 'files');
  const set = (...given: string[]) => run(['projects', 'quota', 'demo', '--data', folder, ...given]);
  assert.equal((await set('--max-items', '3', '--max-files', '2')).out, 'Set the quota of demo\n');
  assert.equal((await send('PUT', '/base/items', putItem('c'))).status, 207);
  assert.equal((await send('POST', '/d/files?name=b', 'x')).status, 201);
  assertExceeded(await send('PUT', '/base/items', putItem('d')), 'items');
  const all = await run(['projects', 'usage', '--data', folder]);
  assert.match(all.out, /demo +3 +33 +2 +2 +100 %/);
  for (const wrong of [['--max-items', 'many'], ['--max-files', '1.5'], [], ['--rate', '1', '--none']])
    assert.equal((await set(...wrong)).code, 2, wrong.join(' '));
  assert.equal((await set('--none')).out, 'Removed the quota of demo\n');
  for (const wrong of ['items', 'items=x', 'things=1', 'items=1,items=2', 'requests_per_second=0'])
    assert.equal((await run(['--memory', '--quota', wrong])).code, 2, wrong);
});
