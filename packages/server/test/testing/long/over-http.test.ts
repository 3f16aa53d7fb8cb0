import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { type RunningServer, run, startServer, temporaryFolder } from '../../support/run-cli.js';
import { requestsTo } from '../../support/test-requests.js';

async function start(context: TestContext) {
  const server = await startServer(context, ['serve', '--memory', '--test', '--log-level', 'warn']);
  const requests = requestsTo({ url: server.url, key: 'test_key', project: 'test' });
  return { server, ...requests, control: (path: string, body: unknown) => control(server, path, body) };
}

async function control({ url }: RunningServer, path: string, body: unknown) {
  const answer = await fetch(`${url}/_test/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

test('clock, snapshot, restore, faults, seed and reset work over HTTP', async (context) => {
  const { server, send, status, control } = await start(context);
  // It comes after the address.
  await server.said('The key is test_key');
  const expires = Math.floor(Date.now() / 1000) + 60;
  await send('PUT', '/users/items', { items: [{ key: 'ada', __expires: expires }, { key: 'alan' }] });
  const snapshot = await control('snapshot', {});
  assert.deepEqual(snapshot, { status: 200, body: { snapshot: '1' } });

  const { body } = await control('clock', { advance: '1h' });
  assert.ok(Date.parse(String(body.now)) > Date.now() + 3_000_000);
  assert.deepEqual([await status('/users/items/ada'), await status('/users/items/alan')], [404, 200]);
  const same = await control('clock', {});
  assert.ok(Date.parse(String(same.body.now)) - Date.parse(String(body.now)) < 600_000);

  assert.deepEqual(await control('faults', { faults: [{ status: 503, times: 1 }] }), {
    status: 200,
    body: {},
  });
  assert.deepEqual([await status('/users/items/alan'), await status('/users/items/alan')], [503, 200]);

  assert.deepEqual(await control('reset', {}), { status: 200, body: {} });
  assert.equal(await status('/users/items/alan'), 404);
  assert.deepEqual(await control('restore', { snapshot: '1' }), { status: 200, body: {} });
  assert.deepEqual([await status('/users/items/ada'), await status('/users/items/alan')], [200, 200]);

  const folder = await temporaryFolder(context);
  await mkdir(join(folder, 'bases'));
  await writeFile(join(folder, 'bases/users.json'), '[{"key":"grace"}]');
  assert.deepEqual(await control('seed', { folder }), { status: 200, body: { items: 1, files: 0 } });
  assert.equal(await status('/users/items/grace'), 200);
  assert.equal(await server.stop(), 0);
});

test('what is wrong with a call is said', async (context) => {
  const { control } = await start(context);
  for (const [path, body, message] of [
    ['clock', { advance: 'soon' }, /^advance: must be a time with its unit/],
    ['clock', { advance: 5 }, /^advance: must be text$/],
    ['clock', { advnce: '1h' }, /^body: advnce is not one of advance$/],
    ['clock', [], /must be a JSON object/],
    ['reset', { all: true }, /^body: must have no members$/],
    ['restore', { snapshot: 1 }, /^snapshot: must be text$/],
    ['seed', {}, /^folder: must be text$/],
    ['faults', { faults: [{ latency: 200 }] }, /^latency: must be text$/],
    ['faults', { faults: [{ latency: '200' }] }, /^latency: must be a time with its unit/],
    ['restore', { snapshot: '7' }, /no snapshot 7/],
    ['restore', {}, /^snapshot: must be text$/],
    ['faults', { faults: [{ status: 1 }] }, /status: must be 400 to 599/],
    ['faults', {}, /faults: must be a list/],
    ['seed', { folder: '/dev/null/absent' }, /cannot be read/],
    ['clock', null, /must be a JSON object/],
  ] as const) {
    const answer = await control(path, body);
    assert.equal(answer.status, 400, path);
    assert.match(String(answer.body.errors), message, path);
  }
  assert.equal((await control('clocks', {})).status, 404);
});

test('no web page can control it: neither one of another origin nor one whose name leads to this machine', async (context) => {
  const { server } = await start(context);
  const call = async (headers: Record<string, string>, method = 'POST') => {
    const answer = new Promise<{ status: number; allowed: unknown }>((resolve, reject) => {
      const options = { port: server.port, host: '127.0.0.1', path: '/_test/reset', method, headers };
      request(options, async (response) => {
        await text(response);
        resolve({
          status: response.statusCode ?? 0,
          allowed: response.headers['access-control-allow-origin'],
        });
      })
        .on('error', reject)
        .end(method === 'POST' ? '{}' : undefined);
    });
    return await answer;
  };
  const json = { 'Content-Type': 'application/json' };
  assert.equal((await call(json)).status, 200);
  assert.equal((await call({ 'Content-Type': 'text/plain' })).status, 415);
  assert.equal((await call({ ...json, Host: 'attacker.example' })).status, 403);
  const preflight = { Origin: 'https://attacker.example', 'Access-Control-Request-Method': 'POST' };
  assert.deepEqual(await call(preflight, 'OPTIONS'), { status: 405, allowed: undefined });
  assert.equal((await call({}, 'GET')).status, 405);
});

test('--test needs --memory and an address of this machine, and a server without it has no such paths', async (context) => {
  for (const [options, message] of [
    [['--test'], /^basedrive: --test: needs --memory/],
    [
      ['--test', '--memory', '--host', '0.0.0.0'],
      /^basedrive: --test: --host must be an address of this machine/,
    ],
    [
      ['--test', '--memory', '--metrics', '127.0.0.1:0'],
      /^basedrive: --test: serves neither HTTPS nor metrics/,
    ],
  ] as const) {
    const { code, err } = await run(['serve', ...options]);
    assert.equal(code, 2);
    assert.match(err, message);
  }
  const server = await startServer(context, ['--memory', '--key', 'test_key']);
  assert.equal((await control(server, 'reset', {})).status, 404);
});
