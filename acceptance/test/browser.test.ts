import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply } from '../src/api.js';
import { freshBase, freshDrive } from '../src/names.js';
import { launchTarget } from '../src/target.js';
import { expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

const origin = 'https://app.example';

describe('CORS with its default: every origin', { concurrency: true }, () => {
  const service = useService();

  for (const [path, method] of [
    ['/items', 'PUT'],
    ['/items/k', 'PATCH'],
    ['/query', 'POST'],
    ['/files?name=f', 'POST'],
    ['/files/download?name=f', 'GET'],
    ['/uploads/u?name=f', 'DELETE'],
  ] as const) {
    test(`the preflight of ${method} ${path} needs no key`, async () => {
      const reply = await service.api.send('OPTIONS', `/v1/${service.target.project}/x${path}`, {
        key: null,
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': method,
          'Access-Control-Request-Headers': 'x-api-key,content-type,range',
        },
      });
      assert.ok(reply.status === 204 || reply.status === 200, `${reply.status}`);
      assert.ok(['*', origin].includes(String(reply.headers['access-control-allow-origin'])));
      assert.ok(listOf(reply, 'access-control-allow-methods').includes(method.toLowerCase()));
      const headers = listOf(reply, 'access-control-allow-headers');
      const conditional = [
        'if-match',
        'if-none-match',
        'if-modified-since',
        'if-unmodified-since',
        'if-range',
      ];
      for (const header of ['x-api-key', 'content-type', 'range', ...conditional]) {
        assert.ok(headers.includes(header), `${header} is not in ${headers}`);
      }
    });
  }

  test('an answer of any status exposes its headers to the page', async () => {
    const { api } = service;
    const base = freshBase(api);
    const drive = freshDrive(api);
    await drive.put('f', 'bytes');
    const headers = { Origin: origin };
    const replies = [
      await api.send('GET', `${base.root}/items/absent`, { headers }),
      await api.send('GET', `${base.root}/items/k`, { headers, key: null }),
      await api.send('GET', '/nowhere', { headers }),
      await api.send('PUT', `${base.root}/items`, { headers, body: '{', type: 'application/json' }),
      await drive.get('f', headers),
      await drive.get('f', { ...headers, Range: 'bytes=0-1' }),
    ];
    assert.deepEqual(
      replies.map(({ status }) => status),
      [404, 401, 404, 400, 200, 206],
    );
    for (const reply of replies) {
      assert.ok(['*', origin].includes(String(reply.headers['access-control-allow-origin'])));
      const exposed = listOf(reply, 'access-control-expose-headers');
      for (const header of ['content-range', 'content-length', 'accept-ranges', 'etag']) {
        assert.ok(exposed.includes(header), `${header} is not in ${exposed}`);
      }
    }
  });
});

describe('CORS with origins that the operator has chosen', { concurrency: true }, () => {
  const service = useService(() => launchTarget('--cors-origins', `${origin},https://two.example`));

  test('a chosen origin may call the service, and another may not', async () => {
    const { api, target } = service;
    const path = `/v1/${target.project}/d/files`;
    const allowed = await api.send('GET', path, { headers: { Origin: origin } });
    const refused = await api.send('GET', path, { headers: { Origin: 'https://evil.example' } });
    expectStatus(allowed, 200);
    assert.equal(allowed.headers['access-control-allow-origin'], origin);
    assert.equal(refused.headers['access-control-allow-origin'], undefined);
    for (const reply of [allowed, refused]) {
      assert.match(String(reply.headers.vary), /origin/i, 'a cache must distinguish the two');
    }
  });
});

function listOf(reply: Reply, header: string): string[] {
  return String(reply.headers[header])
    .toLowerCase()
    .split(',')
    .map((value) => value.trim());
}
