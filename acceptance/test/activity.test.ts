import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { launchTarget } from '../src/target.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { createKey } from './support/keys.js';
import { useService } from './support/service.js';

// A server of its own whatever the environment says: the numbers are of one server, and need a setting.

interface Activity {
  readonly minutes: number;
  readonly requests: number;
  readonly failed: number;
  readonly p50_ms?: number;
  readonly p99_ms?: number;
}

describe('the activity of a project, with --metrics', () => {
  const service = useService(() => launchTarget('--metrics', '127.0.0.1:0'));
  const root = () => `/v1/${service.target.project}`;
  const otherProject = () => service.target.otherKey.split('_')[0];
  const read = async (project = service.target.project, key = service.target.key): Promise<Activity> => {
    const reply = await service.api.send('GET', `/v1/${project}/activity`, { key });
    expectStatus(reply, 200);
    return reply.json<Activity>();
  };

  test('has no times before the first request', async () => {
    const reply = await service.api.send('GET', `/v1/${otherProject()}/activity`, {
      key: service.target.otherKey,
    });
    expectJson(reply, 200, { minutes: 60, requests: 0, failed: 0 });
  });

  test('counts every answer to a valid key of the project, and no other one', async () => {
    const { api, target } = service;
    const before = await read();
    const ofOther = await read(otherProject(), target.otherKey);
    expectStatus(await api.send('PUT', `${root()}/b/items`, { json: { items: [{ key: 'k' }] } }), 207);
    expectStatus(await api.send('GET', `${root()}/b/items/k`), 200);
    expectStatus(await api.send('GET', `${root()}/b/items/none`), 404);
    expectStatus(await api.send('GET', `${root()}/bases?limit=0`), 400);
    expectStatus(await api.send('GET', `${root()}/b/items/k`, { key: 'demo_wrong' }), 401);
    expectStatus(await api.send('GET', `${root()}/b/items/k`, { key: target.otherKey }), 401);
    expectStatus(await api.send('GET', `${root()}/b/items/k`, { key: null }), 401);
    expectStatus(await api.send('GET', '/health', { key: null }), 200);
    const after = await read();
    // The four, and the request that read the numbers before.
    assert.equal(after.requests - before.requests, 5);
    assert.equal(after.failed, 0);
    assert.equal(after.minutes, 60);
    const { p50_ms = Number.NaN, p99_ms = Number.NaN } = after;
    assert.ok(p50_ms > 0 && p50_ms <= p99_ms, JSON.stringify(after));
    assert.equal((await read(otherProject(), target.otherKey)).requests - ofOther.requests, 1);
  });

  test('is refused to a key with limits, whose requests count', async () => {
    const { key } = await createKey(service.api, { access: 'full', expires_in: 60 });
    const before = await read();
    expectErrors(await service.api.send('GET', `${root()}/activity`, { key }), 403, /^Forbidden/);
    assert.equal((await read()).requests - before.requests, 2);
  });
});

test('the activity of a project is not known without --metrics', async (context) => {
  const target = await launchTarget();
  context.after(() => target.close());
  const ask = (key: string) =>
    fetch(new URL(`/v1/${target.project}/activity`, target.url), { headers: { 'X-API-Key': key } });
  const answer = await ask(target.key);
  assert.equal(answer.status, 404);
  assert.deepEqual(await answer.json(), {
    errors: ['Metrics are off: the server was started without --metrics'],
    codes: [{ code: 'not_counted' }],
  });
  assert.equal((await ask('demo_wrong')).status, 401);
});
