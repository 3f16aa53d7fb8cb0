import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Api, createApi, type Reply } from '../../src/api.js';
import { type ServerProcess, startServer } from '../../src/server-process.js';

describe('the log', () => {
  const key = 'demo_veryS3cretIndeed';
  const replies: Record<string, Reply> = {};
  let server: ServerProcess;
  let api: Api;

  before(async () => {
    server = await startServer(['--memory', '--key', key]);
    api = createApi({ url: server.url, key, project: 'demo', otherKey: 'other_x', close: async () => {} });
    const items = [{ key: 'itemKeyOfSomebody', text: 'bodyOfSomebody' }];
    replies.put = await api.send('PUT', '/v1/demo/baseOfSomebody/items', { json: { items } });
    replies.refused = await api.send('GET', '/v1/demo/b/items/k', { key: 'demo_wrongS3cret' });
    replies.file = await api.send('POST', '/v1/demo/d/files?name=fileOfSomebody', {
      body: 'bytesOfSomebody',
    });
    replies.broken = await api.send('PUT', '/v1/demo/b/items', {
      body: '{bodyOfSomebody',
      type: 'application/json',
    });
    replies.unknown = await api.send('GET', '/no/such/pathOfSomebody');
    replies.own = await api.send('GET', '/health', { headers: { 'X-Request-Id': 'given-by-a-proxy' } });
    api.close();
    await server.stop();
  });
  after(() => server.stop());

  const lines = () =>
    server
      .log()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  test('the log has one line for each request, with the id of the answer', () => {
    for (const [name, { status, headers }] of Object.entries(replies)) {
      const own = lines().filter(({ requestId }) => requestId === headers['x-request-id']);
      assert.equal(own.length, 1, name);
      assert.equal(own[0]?.status, status);
      for (const field of ['method', 'durationMs', 'bytes']) assert.ok(field in (own[0] ?? {}), field);
    }
    assert.equal(replies.own?.headers['x-request-id'], 'given-by-a-proxy');
  });

  test('the log has no key, no body, and no name of a base, item, drive or file', () => {
    assert.ok(lines().length >= 6);
    assert.doesNotMatch(server.log(), /S3cret|OfSomebody/);
  });
});
