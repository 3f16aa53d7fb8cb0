import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply } from '../src/api.js';
import { freshName } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { createKey, listedKeys, untilAnswered } from './support/keys.js';
import { useService } from './support/service.js';

describe('the limits of a key', { concurrency: true }, () => {
  const service = useService();
  const shop = 'https://shop.example';
  const path = () => `/v1/${service.target.project}/keys`;
  const get = (key: string, headers: Record<string, string> = {}): Promise<Reply> =>
    service.api.send('GET', `/v1/${service.target.project}/${freshName('b')}/items/k`, { key, headers });

  /** Names of 200 bytes each: 40 of them fit the limit of all lists together. */
  const longNames = (count: number) =>
    Array.from({ length: count }, (_, n) => `${String(n).padStart(2, '0')}${'é'.repeat(99)}`);
  const namesOf = (count: number) => Array.from({ length: count }, (_, n) => `b${n}`);
  const wrong: readonly (readonly [field: string, limits: Record<string, unknown>])[] = [
    ...['', 'x'.repeat(101), 'a\u0000', 1, null, []].map((name) => ['name', { name }] as const),
    ...['', 'all', 'READ', 1, null, ['read']].map((access) => ['access', { access }] as const),
    ...(['bases', 'drives'] as const).flatMap((member) =>
      ['a', null, {}, [], [1], [null], [''], ['a\n'], ['x'.repeat(256)], namesOf(101), namesOf(10_000)].map(
        (names) => [member, { [member]: names }] as const,
      ),
    ),
    ...['', 1, null, ['a'], 'a\u007f', 'x'.repeat(1025), 'x'.repeat(1_000_000)].map(
      (prefix) => ['prefix', { prefix }] as const,
    ),
    ...[0, -1, 1.5, 1e300, 315_360_001, '60', null, true].map(
      (expires_in) => ['expires_in', { expires_in }] as const,
    ),
    ...[0, -1, 0.001, 1e300, 1_000_001, '5', null].map(
      (requests_per_second) => ['requests_per_second', { requests_per_second }] as const,
    ),
    ...[
      shop,
      [],
      ['*'],
      ['null'],
      ['shop.example'],
      [`${shop}/`],
      [`${shop}/path`],
      ['HTTPS://shop.example'],
      ['javascript:alert(1)'],
      [`https://${'x'.repeat(300)}.example`],
      Array.from({ length: 21 }, (_, n) => `https://${n}.example`),
      [1],
    ].map((origins) => ['origins', { origins }] as const),
    ['bases', { bases: longNames(41) }],
    ['drives', { bases: longNames(20), drives: longNames(21) }],
    ['origins', { bases: longNames(20), drives: longNames(20), origins: [`https://${'o'.repeat(200)}`] }],
    ...['expires', 'id', 'key', 'project', 'Access', ''].map((member) => [member, { [member]: 1 }] as const),
  ];

  test('a wrong member is named, and no key is made', async () => {
    for (const [field, limits] of wrong) {
      // The marker would be in the list if the key were made.
      const name = freshName('wrong');
      const reply = await service.api.send('POST', path(), { json: { name, ...limits } });
      const shown = JSON.stringify(limits).slice(0, 100);
      assert.equal(reply.status, 400, `${shown}: ${reply.text}`);
      const errors = expectErrors(reply, 400);
      assert.match(errors[0] ?? '', new RegExp(`^${field}(\\[\\d+\\])?: `), shown);
      assert.ok(reply.text.length < 500, shown);
      assert.ok(!(await listedKeys(service.api)).some((each) => each.name === name));
    }
  });

  test('lists that are as long together as they may be are kept', async () => {
    const limits = {
      bases: longNames(20),
      drives: longNames(20),
      origins: [`https://${'o'.repeat(184)}`],
      expires_in: 60,
    };
    expectStatus(await service.api.send('POST', path(), { json: limits }), 201);
  });

  test('a body that is no object of limits is refused', async () => {
    for (const body of [
      '[]',
      '1',
      'null',
      '"full"',
      '{',
      '{"access":"read"',
      '{"name":"\\ud800"}',
      `{"expires_in":${'1'.repeat(1001)}}`,
    ]) {
      const reply = await service.api.send('POST', path(), { body, type: 'application/json' });
      expectErrors(reply, 400, /^body: /);
    }
    expectErrors(await service.api.send('POST', path(), { body: '{}', type: 'text/plain' }), 415);
    const large = JSON.stringify({ prefix: 'x'.repeat(2 * 1024 * 1024) });
    expectErrors(await service.api.send('POST', path(), { body: large, type: 'application/json' }), 413);
  });

  test('a key can only be deleted by its id', async () => {
    for (const query of ['', '?id=', '?name=x']) {
      expectErrors(await service.api.send('DELETE', path() + query), 400, /^id: is required$/);
    }
    for (const id of ['unknown', 'first/../x', '%00', 'x'.repeat(5000)]) {
      expectErrors(await service.api.send('DELETE', `${path()}?id=${id}`), 404, /^Key not found$/);
    }
  });

  test('a key that is not limited manages keys, and one with any limit does not', async () => {
    const { api } = service;
    const free = await createKey(api, { name: freshName('free') });
    expectStatus(await api.send('GET', path(), { key: free.key }), 200);
    expectStatus(await api.send('DELETE', `${path()}?id=${free.id}`, { key: free.key }), 200);
    for (const limits of [
      { access: 'write' },
      { bases: ['*'] },
      { drives: ['*'] },
      { prefix: 'a' },
      { expires_in: 3600 },
      { origins: [shop] },
      { requests_per_second: 1000 },
    ]) {
      const { key } = await createKey(api, { expires_in: 3600, ...limits });
      for (const method of ['GET', 'POST', 'DELETE']) {
        const reply = await api.send(method, `${path()}?id=x`, { key });
        expectErrors(reply, 403, /^Forbidden: the key has limits$/);
      }
    }
  });

  test('pages of other origins are refused, and what has no origin is not', async () => {
    const { key } = await createKey(service.api, {
      origins: [shop, 'http://localhost:3000'],
      expires_in: 3600,
    });
    for (const origin of [shop, 'http://localhost:3000'])
      expectStatus(await get(key, { Origin: origin }), 404);
    expectStatus(await get(key), 404);
    for (const origin of [
      'https://evil.example',
      `${shop}.evil.example`,
      'http://shop.example',
      'null',
      shop.toUpperCase(),
    ]) {
      const reply = await get(key, { Origin: origin });
      expectErrors(reply, 403, /^Forbidden: the key is not for web pages of this origin$/);
      // The page may read why.
      assert.equal(reply.headers['access-control-allow-origin'], '*');
    }
  });

  test('preflight requests, and other keys, are answered as ever whatever the origin', async () => {
    const { api, target } = service;
    const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'GET' };
    const preflight = await api.send('OPTIONS', `/v1/${target.project}/b/items/k`, { key: null, headers });
    expectStatus(preflight, 204);
    assert.equal(preflight.headers['access-control-allow-origin'], '*');
    expectStatus(await get(target.key, headers), 404);
  });

  test('an expired key is answered like a key that never existed, and leaves the list', async () => {
    const { api, target } = service;
    const name = freshName('brief');
    const isListed = async () => (await listedKeys(api)).some((each) => each.name === name);
    let key: string | undefined;
    // The key must have been accepted once. If the servers are too busy for that, the next one lives longer.
    for (let seconds = 4; key === undefined; seconds *= 2) {
      const made = await createKeyWithoutWaiting({ name, access: 'read', expires_in: seconds });
      while (key === undefined && (await isListed())) if ((await get(made)).status === 404) key = made;
    }
    while (await isListed());
    await untilAnswered(api, key, (status) => status === 401);
    const [expired, wrongKey] = await Promise.all([get(key), get(`${target.project}_wrong`)]);
    expectJson(expired as Reply, 401, { errors: ['Unauthorized'], codes: [{ code: 'unauthorized' }] });
    const { date: _, 'x-request-id': __, ...headers } = (expired as Reply).headers;
    const { date: ___, 'x-request-id': ____, ...others } = (wrongKey as Reply).headers;
    assert.deepEqual(headers, others);
  });

  test('requests beyond the rate are answered with 429 and the time to wait, and later ones are admitted', async () => {
    const { key } = await createKey(service.api, { requests_per_second: 20, expires_in: 3600 });
    const replies = await Promise.all(Array.from({ length: 200 }, () => get(key)));
    const refused = replies.filter(({ status }) => status === 429);
    const admitted = replies.filter(({ status }) => status === 404);
    assert.equal(refused.length + admitted.length, 200);
    assert.ok(refused.length > 0 && admitted.length > 0, `${refused.length} of 200 were refused`);
    for (const reply of refused) {
      expectErrors(reply, 429, /^Too many requests with this key/);
      assert.equal(reply.headers['retry-after'], '1');
    }
    const slow = await createKeyWithoutWaiting({ requests_per_second: 0.01, expires_in: 3600 });
    let reply = await get(slow);
    while (reply.status !== 429) reply = await get(slow);
    assert.match(String(reply.headers['retry-after']), /^(9\d|100)$/);
    // Another key is not affected.
    expectStatus(await get(service.target.key), 404);
    while ((await get(key)).status === 429);
  });

  async function createKeyWithoutWaiting(limits: object): Promise<string> {
    const reply = await service.api.send('POST', path(), { json: limits });
    expectStatus(reply, 201);
    return reply.json<{ key: string }>().key;
  }

  test('a base and a drive named keys are no keys', async () => {
    const { api } = service;
    const { otherKey } = service.target;
    const project = otherKey.slice(0, otherKey.indexOf('_'));
    const root = `/v1/${project}/keys`;
    const key = freshName('k');
    const json = { items: [{ key }] };
    expectStatus(await api.send('PUT', `${root}/items`, { json, key: otherKey }), 207);
    expectJson(await api.send('GET', `${root}/items/${key}`, { key: otherKey }), 200, { key });
    expectStatus(await api.send('DELETE', `${root}/items/${key}`, { key: otherKey }), 200);
    expectErrors(await api.send('PUT', root, { json, key: otherKey }), 405);
    assert.equal(
      (await api.send('PUT', root, { json, key: otherKey })).headers.allow,
      'GET, POST, DELETE, HEAD, OPTIONS',
    );
    expectStatus(await api.send('GET', `${root}/stats`, { key: otherKey }), 200);
  });
});
