import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshBase, freshDrive, freshName } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { createKey, deleteKey, listedKeys } from './support/keys.js';
import { useService } from './support/service.js';

interface SignedKey {
  readonly id: string;
  readonly key: string;
  readonly expires: number;
  readonly created: number;
}

/** docs/http.md#signed-keys */
describe('signed keys', { concurrency: true }, () => {
  const service = useService();
  const keysPath = () => `/v1/${service.target.project}/keys`;
  const sign = (json: object, key?: string) =>
    service.api.send('POST', keysPath(), {
      json: { stored: false, expires_in: 60, ...json },
      ...(key !== undefined && { key }),
    });
  async function signed(json: object, key?: string): Promise<SignedKey> {
    const reply = await sign(json, key);
    expectStatus(reply, 201);
    return reply.json<SignedKey>();
  }

  test('may what they say and nothing else, and say it', async () => {
    const base = freshBase(service.api);
    const name = base.root.slice(base.root.lastIndexOf('/') + 1);
    expectStatus(await base.put({ key: 'a1' }, { key: 'b1' }), 207);
    const { id, key, created, expires } = await signed({
      name: 'ann',
      access: 'read',
      bases: [name],
      prefix: 'a',
    });
    assert.equal(expires - created, 60);
    assert.ok(key.startsWith(`${service.target.project}_`));
    const get = (path: string, method = 'GET') => service.api.send(method, path, { key });
    expectJson(await get(`${base.root}/items/a1`), 200, { key: 'a1' });
    expectErrors(await get(`${base.root}/items/b1`), 403);
    expectErrors(await get(`${base.root}/items/a1`, 'DELETE'), 403);
    expectErrors(await get(`${freshDrive(service.api).root}/files`), 403);
    expectErrors(await get(keysPath()), 403);
    expectErrors(await sign({}, key), 403);
    const own = (await get(`${keysPath()}?self=true`)).json();
    const limits = { access: 'read', bases: [name], prefix: 'a', created, expires };
    assert.deepEqual(own, { id, name: 'ann', ...limits, manages_keys: false });
    assert.ok(!(await listedKeys(service.api)).some((each) => each.id === id));
    expectErrors(await service.api.send('DELETE', `${keysPath()}?id=${id}`), 404);
  });

  test('more of them than a project may have stored work, and none is a row', async () => {
    const made = await Promise.all(Array.from({ length: 1100 }, () => signed({ access: 'read' })));
    assert.equal(new Set(made.map(({ key }) => key)).size, 1100);
    const replies = await Promise.all(
      made.map(({ key }) => service.api.send('GET', `/v1/${service.target.project}/bases?limit=1`, { key })),
    );
    assert.ok(replies.every(({ status }) => status === 200));
    const ids = new Set(made.map(({ id }) => id));
    assert.equal(ids.size, 1100);
    assert.ok(!(await listedKeys(service.api)).some(({ id }) => ids.has(id)));
  });

  test('end with the key that made them', async () => {
    const parent = await createKey(service.api);
    const { key } = await signed({ access: 'full' }, parent.key);
    const path = `/v1/${service.target.project}/bases?limit=1`;
    expectStatus(await service.api.send('GET', path, { key }), 200);
    await deleteKey(service.api, parent);
    expectErrors(await service.api.send('GET', path, { key }), 401);
  });

  test('of which anything was changed are refused like any wrong key', async () => {
    const { key } = await signed({ access: 'read' });
    const [head = '', payload = '', signature = ''] = [
      key.slice(0, key.indexOf('.', key.indexOf('_s.') + 3)),
      ...key.split('.').slice(-2),
    ];
    const wider = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), limits: { access: 'full' } };
    const forged = Buffer.from(JSON.stringify(wider)).toString('base64url');
    const path = `/v1/${service.target.project}/bases?limit=1`;
    for (const other of [
      `${head}.${forged}.${signature}`,
      `${head}x.${payload}.${signature}`,
      `${head}.${payload}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
      `${head}.${payload}.`,
      `${head}.${payload}`,
      `other${key.slice(key.indexOf('_'))}`,
      `${key}=`,
    ])
      expectErrors(await service.api.send('GET', path, { key: other }), 401, /^Unauthorized$/);
    const elsewhere = path.replace(service.target.project, freshName('p'));
    expectErrors(await service.api.send('GET', elsewhere, { key }), 401);
  });

  test('have a rate, and make no links', async () => {
    const { key } = await signed({ access: 'full', requests_per_second: 0.01 });
    const path = `/v1/${service.target.project}/bases?limit=1`;
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await service.api.send('GET', path, { key })).status);
    // A cluster counts on each of its servers.
    assert.ok(statuses.includes(429) || process.env.BASEDRIVE_TEST_CONNECTION_EACH === '1', `${statuses}`);
    const drive = freshDrive(service.api);
    const full = await signed({ access: 'full', drives: [drive.name] });
    const json = { name: 'f', method: 'GET', expires_in: 60 };
    const link = await service.api.send('POST', `${drive.root}/links`, { json, key: full.key });
    expectErrors(link, 403, /^Forbidden: a key that is not stored makes no links$/);
  });

  test('need an end within a day, and few limits', async () => {
    for (const [json, message] of [
      [{ expires_in: undefined }, /^expires_in: must be 1 to 86400/],
      [{ expires_in: 86_401 }, /^expires_in: must be 1 to 86400/],
      [{ expires_in: 0 }, /^expires_in: /],
      [{ bases: Array.from({ length: 100 }, (_, n) => `base-${n}-of-many`) }, /^stored: the limits/],
      [{ stored: 'no' }, /^stored: must be true or false/],
    ] as const)
      expectErrors(await sign(json), 400, message);
    const kept = await service.api.send('POST', keysPath(), { json: { stored: true, expires_in: 60 } });
    expectStatus(kept, 201);
    const { id } = kept.json<SignedKey>();
    expectStatus(await service.api.send('DELETE', `${keysPath()}?id=${id}`), 200);
  });
});
