import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { launchTarget } from '../src/target.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { createKey } from './support/keys.js';
import { useService } from './support/service.js';

// A server of its own whatever the environment says: the numbers are of one server.

interface Activity {
  readonly minutes: number;
  readonly requests: number;
  readonly failed: number;
  readonly p50_ms?: number;
  readonly p99_ms?: number;
}

describe('the activity of a project', () => {
  const service = useService(() => launchTarget());
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

  interface Details {
    readonly since: number;
    readonly hour: readonly Point[];
    readonly day: readonly Point[];
    readonly latest: readonly {
      readonly at: number;
      readonly ms: number;
      readonly method: string;
      readonly path: string;
      readonly status: number;
      readonly key_id: string;
    }[];
    readonly slow_queries: readonly { readonly base: string; readonly suggestion?: readonly string[] }[];
    readonly storage: readonly unknown[];
  }
  interface Point {
    readonly at: number;
    readonly requests: number;
    readonly refused: number;
    readonly failed: number;
  }
  const details = async (project = service.target.project, key = service.target.key) => {
    const reply = await service.api.send('GET', `/v1/${project}/activity?details=true`, { key });
    expectStatus(reply, 200);
    return { ...reply.json<Details>(), text: reply.text };
  };

  test('in points has the requests of the sum, and tells those that were refused', async () => {
    await service.api.send('GET', `${root()}/b/items/none`);
    const before = await read();
    const { hour, day, since } = await details();
    const sum = (points: readonly Point[], part: 'requests' | 'refused' | 'failed') =>
      points.reduce((all, point) => all + point[part], 0);
    // The request for the sum came behind it.
    assert.equal(sum(hour, 'requests'), before.requests + 1);
    assert.equal(sum(day, 'requests'), before.requests + 1);
    assert.ok(sum(hour, 'refused') >= 1);
    assert.equal(sum(hour, 'failed'), 0);
    const now = Date.now() / 1000;
    assert.ok(since <= now && since > now - 3600);
    for (const { at } of [...hour, ...day]) assert.ok(at <= now && at > now - 3600, String(at));
  });

  test('lists the latest requests with their keys, and nothing that was stored or asked for', async () => {
    const { id, key } = await createKey(service.api, { access: 'read', expires_in: 60 });
    const name = 'secrets & co';
    const path = `${root()}/${encodeURIComponent(name)}`;
    expectStatus(await service.api.send('GET', `${path}/items/key-of-item?last=in-query`, { key }), 404);
    const json = { items: [{ key: 'stored-key', value: 'stored-value' }] };
    expectStatus(await service.api.send('PUT', `${path}/items`, { key, json }), 403);
    const { latest, text } = await details();
    const shown = latest.slice(0, 2).map(({ at: _, ms: __, ...request }) => request);
    assert.deepEqual(shown, [
      { method: 'PUT', path: `${path}/items`, status: 403, key_id: id },
      { method: 'GET', path: `${path}/items/{key}`, status: 404, key_id: id },
    ]);
    for (const secret of ['key-of-item', 'in-query', 'stored', key])
      assert.ok(!text.includes(secret), secret);
    assert.ok(latest.every(({ ms }) => ms >= 0));
    for (let n = 0; n < 110; n++) await service.api.send('GET', `${root()}/b/items/k`);
    assert.equal((await details()).latest.length, 100);
  });

  test('shows nothing of another project', async () => {
    await service.api.send('GET', `${root()}/only-here/items/k`);
    const other = await details(otherProject(), service.target.otherKey);
    assert.ok(!other.text.includes('only-here'));
    assert.ok(!other.text.includes(service.target.project));
  });

  test('in points is refused to a key with limits', async () => {
    const { key } = await createKey(service.api, { access: 'full', expires_in: 60 });
    expectErrors(
      await service.api.send('GET', `${root()}/activity?details=true`, { key }),
      403,
      /^Forbidden/,
    );
  });

  test('has slow queries without their operands, and an index that helps', async () => {
    const { api } = service;
    const lines = Array.from({ length: 12_000 }, (_, n) =>
      JSON.stringify({ key: `k${n}`, city: `c${n % 7}`, total: n }),
    );
    const type = 'application/x-ndjson';
    expectStatus(await api.send('PUT', `${root()}/orders/items`, { body: lines.join('\n'), type }), 200);
    const query = { query: [{ city: 'c3', 'total?gte': 4711 }], order: ['-total'], limit: 3 };
    for (let n = 0; n < 2; n++)
      expectStatus(await api.send('POST', `${root()}/orders/query`, { json: query }), 200);
    const slow = (await details()).slow_queries.filter(({ base }) => base === 'orders');
    assert.equal(slow.length, 1);
    const { at: _, max_ms: __, ...known } = slow[0] as unknown as Record<string, unknown>;
    assert.deepEqual(known, {
      base: 'orders',
      conditions: ['city', 'total?gte'],
      order: ['-total'],
      counted: false,
      times: 2,
      items: 12_000,
      suggestion: ['city', 'total'],
    });
    assert.ok(!JSON.stringify(slow).includes('4711'));
  });
});
