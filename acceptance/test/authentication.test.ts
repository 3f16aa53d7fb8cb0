import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Api, createApi, type Reply } from '../src/api.js';
import { freshBase, freshDrive, freshName } from '../src/names.js';
import { dataFlags, runCommand, type ServerProcess, startServer } from '../src/server-process.js';
import { launchTarget } from '../src/target.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { openRaw, type RawReply } from './support/raw-connection.js';
import { useService } from './support/service.js';

describe('authentication', { concurrency: true }, () => {
  const service = useService();

  const operations: readonly [method: string, path: string][] = [
    ['PUT', '/items'],
    ['POST', '/items'],
    ['GET', '/items/k'],
    ['DELETE', '/items/k'],
    ['PATCH', '/items/k'],
    ['POST', '/query'],
    ['POST', '/files?name=f'],
    ['GET', '/files'],
    ['DELETE', '/files'],
    ['GET', '/files/download?name=f'],
    ['POST', '/uploads?name=f'],
    ['POST', '/uploads/u/parts?name=f&part=1'],
    ['PATCH', '/uploads/u?name=f'],
    ['DELETE', '/uploads/u?name=f'],
  ];

  for (const [method, path] of operations) {
    test(`${method} ${path} without a key is answered with 401`, async () => {
      const reply = await service.api.send(method, `/v1/${service.target.project}/x${path}`, { key: null });
      expectJson(reply, 401, { errors: ['Unauthorized'], codes: [{ code: 'unauthorized' }] });
    });
  }

  test('no key, an unknown key, an invented key and a key of another project get the same answer', async () => {
    const { api, target } = service;
    const path = `/v1/${target.project}/${freshName('b')}/items/k`;
    const keys = [null, `${target.project}_unknown`, 'no-underscore', '', target.otherKey, `${target.key}x`];
    const replies = await Promise.all(keys.map((key) => api.send('GET', path, { key })));
    const [first, ...others] = replies.map(comparable);
    for (const other of others) assert.deepEqual(other, first);
    expectJson(replies[0] as Reply, 401, { errors: ['Unauthorized'], codes: [{ code: 'unauthorized' }] });
  });

  test('a key gives no access to the paths of another project, in either API', async () => {
    const { api, target } = service;
    const other = target.otherKey.slice(0, target.otherKey.indexOf('_'));
    for (const path of [`/v1/${other}/b/items/k`, `/v1/${other}/d/files`]) {
      expectStatus(await api.send('GET', path), 401);
    }
    // The project is the whole text before the first `_`, not a part of it.
    expectStatus(await api.send('GET', `/v1/${target.project}_/b/items/k`), 401);
    expectStatus(await api.send('GET', `/v1/${target.project.slice(0, -1)}/b/items/k`), 401);
    expectStatus(await api.send('GET', `/v1/${target.key}/b/items/k`), 401);
  });

  test('the name of the header X-API-Key may be in any case', async () => {
    const { api, target } = service;
    const path = `/v1/${target.project}/${freshName('b')}/items/k`;
    for (const header of ['x-api-key', 'X-API-KEY', 'X-Api-Key', 'x-ApI-kEy']) {
      const options = { key: null, headers: { [header]: target.key } };
      expectStatus(await api.send('GET', path, options), 404);
    }
  });

  /** The answer to the head of a PUT, whose body is not sent. */
  async function replyToHeadWithWrongKey(headers: string): Promise<RawReply> {
    const connection = await openRaw(service.target);
    connection.write(
      `PUT /v1/${service.target.project}/b/items HTTP/1.1\r\nHost: x\r\nX-API-Key: wrong_key\r\n` +
        `Content-Type: application/json\r\n${headers}\r\n\r\n`,
    );
    const reply = await connection.reply();
    connection.destroy();
    return reply;
  }

  test('a wrong key is answered before the body is read', async () => {
    const reply = await replyToHeadWithWrongKey('Content-Length: 1000000');
    assert.equal(reply.status, 401);
    assert.equal(reply.text, '{"errors":["Unauthorized"],"codes":[{"code":"unauthorized"}]}');
  });

  test('a wrong key is answered without a 100 that asks for the body', async () => {
    const reply = await replyToHeadWithWrongKey('Content-Length: 1000\r\nExpect: 100-continue');
    assert.equal(reply.status, 401);
  });

  test('a right key with Expect is answered with 100, so that the client sends the body', async () => {
    const { project, key } = service.target;
    const connection = await openRaw(service.target);
    const body = '{"items":[{"key":"asked"}]}';
    connection.write(
      `PUT /v1/${project}/${freshName('b')}/items HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    assert.equal((await connection.reply()).status, 100);
    connection.write(body);
    assert.equal((await connection.reply()).status, 207);
    connection.destroy();
  });

  test('the key is checked before everything else in the request', async () => {
    const { api, target } = service;
    const wrong = { key: null, body: '{', type: 'text/plain' };
    expectStatus(await api.send('PUT', `/v1/${target.project}/b/items`, wrong), 401);
    expectStatus(await api.send('POST', `/v1/${target.project}/d/files`, { key: null }), 401);
    expectStatus(await api.send('GET', `/v1/${target.project}/${'n'.repeat(300)}/files`, { key: null }), 401);
  });

  test('an answer does not repeat a wrong key', async () => {
    const key = 'demo_aVeryPeculiarKey';
    const reply = await service.api.send('GET', `/v1/${service.target.project}/b/items/k`, { key });
    expectErrors(reply, 401, /^Unauthorized$/);
    assert.doesNotMatch(JSON.stringify(reply.headers) + reply.text, /aVeryPeculiarKey/);
  });
});

describe('a project name with digits', () => {
  const key = 'a0collection_secret_with_more_underscores';
  const service = useService(() => launchTarget('--key', key));

  test('the project is the part of the key before its first underscore', async () => {
    const { api } = service;
    const item = { key, json: { item: { key: 'k' } } };
    expectStatus(await api.send('POST', '/v1/a0collection/b/items', item), 201);
    expectStatus(await api.send('POST', '/v1/a0collection_secret/b/items', item), 401);
    expectStatus(await api.send('GET', '/v1/a0collection/d/files', { key }), 200);
    expectStatus(await api.send('GET', '/v1/a0collection_secret/d/files', { key }), 401);
  });
});

describe('a revoked key', () => {
  let folder: string;
  let server: ServerProcess;
  let api: Api;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'basedrive-keys-'));
    server = await startServer(dataFlags(folder, 'demo_s3cret', 'warn'));
    api = createApi({ url: server.url, key: '', project: 'demo', otherKey: '', close: async () => {} });
  });
  after(async () => {
    api.close();
    await server.stop();
    await rm(folder, { recursive: true });
  });

  test('a revoked key gives no access, and is answered like a key that never existed', async () => {
    const keys = (...words: string[]) => runCommand(['keys', ...words, '--data', folder, '--json']);
    const { id, key } = JSON.parse(await keys('create', 'demo')) as { id: string; key: string };
    assert.match(key, /^demo_[A-Za-z0-9]{27,}$/, '160 random bits or more in letters and digits');
    const send = (apiKey: string) => api.send('GET', '/v1/demo/b/items/k', { key: apiKey });
    expectStatus(await send(key), 404);
    await keys('revoke', id);
    const revoked = await send(key);
    expectJson(revoked, 401, { errors: ['Unauthorized'], codes: [{ code: 'unauthorized' }] });
    assert.deepEqual(comparable(revoked), comparable(await send('demo_never')));
  });
});

describe('two projects', () => {
  const service = useService(() => launchTarget());

  test('two projects may have different bases and drives of the same names', async () => {
    const { api, target } = service;
    const other = target.otherKey.slice(0, target.otherKey.indexOf('_'));
    const name = freshName('shared');
    expectStatus(await freshBase(api, name).put({ key: 'k', secret: 1 }), 207);
    expectStatus(await freshDrive(api, name).put('f', 'bytes'), 201);
    const options = { key: target.otherKey };
    expectJson(await api.send('GET', `/v1/${other}/${name}/items/k`, options), 404, { key: 'k' });
    expectJson(await api.send('GET', `/v1/${other}/${name}/files`, options), 200, { names: [] });
  });
});

/** An answer without what may differ from request to request. */
function comparable({ status, headers, text }: Reply) {
  const { date: _date, 'x-request-id': _id, ...rest } = headers;
  return { status, headers: rest, text };
}
