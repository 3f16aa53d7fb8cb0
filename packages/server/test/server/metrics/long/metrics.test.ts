import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { createMetrics } from '../../../../src/server/metrics/metrics.js';
import { askIndex, declareIndex } from '../../../support/declared-index.js';
import { samplesOf, valueIn } from '../../../support/metrics-text.js';
import { type RunningServer, startServer, temporaryFolder } from '../../../support/run-cli.js';

const key = 'demo_s3cret';
const json = { 'X-API-Key': key, 'Content-Type': 'application/json' };

async function start(context: TestContext, ...options: string[]) {
  const server = await startServer(context, ['--key', key, '--metrics', '127.0.0.1:0', ...options]);
  await server.said(/Metrics are at .*\n/);
  const [, url = ''] = /Metrics are at (\S+)/.exec(server.err()) ?? [];
  const scrape = async () => await (await fetch(url)).text();
  return { server, url, scrape };
}

/** Sends bytes on a connection of their own; gives the answer. */
async function sendRaw({ port }: RunningServer, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return await text(socket);
}

const items = '/v1/:project/:name/items';
const item = `${items}/:key`;

test('requests are counted by method, route and status, on the fast path and on that of Node', async (context) => {
  const { server, scrape } = await start(context, '--memory');
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\n`;
  const path = '/v1/demo/base/items/a';
  // `Connection: close` is not for the fast path; an end of the connection after a plain request is.
  for (let n = 0; n < 3; n++) await sendRaw(server, `${get(path)}Connection: close\r\n\r\n`);
  for (let n = 0; n < 2; n++) {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`${get(path)}\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
  }
  const body = JSON.stringify({ items: [{ key: 'a', text: 'x' }] });
  await (await fetch(`${server.url}/v1/demo/base/items`, { method: 'PUT', headers: json, body })).text();
  await (await fetch(`${server.url}${path}`, { headers: { 'X-API-Key': 'demo_wrong' } })).text();
  await (await fetch(`${server.url}/nowhere`)).text();
  const scraped = await scrape();
  const requests = (labels: Record<string, string>) =>
    valueIn(scraped, 'basedrive_http_requests_total', labels);
  assert.equal(requests({ method: 'GET', route: item, status: '404' }), 5);
  assert.equal(requests({ method: 'GET', route: item, status: '401' }), 1);
  assert.equal(requests({ method: 'PUT', route: items, status: '207' }), 1);
  assert.equal(requests({ route: 'none', status: '404' }), 1);
  assert.equal(valueIn(scraped, 'basedrive_http_request_duration_seconds_count', { route: item }), 6);
  assert.ok(
    valueIn(scraped, 'basedrive_http_answer_body_bytes_total', { route: item }) >= 5 * '{"key":"a"}'.length,
  );
});

test('answers of 500 are counted from zero on, and no others with them', async () => {
  const { observer, text } = createMetrics();
  const exchange = { method: 'GET', target: '/', name: '', owner: undefined, keyId: '', startedMs: 0 };
  const counted = async () => valueIn(await text(), 'basedrive_http_internal_errors_total');
  assert.match(await text(), /^basedrive_http_internal_errors_total 0$/m);
  for (const [route, status] of [
    ['/a', 500],
    ['/a', 500],
    ['/b', 500],
    ['/a', 503],
    [undefined, 404],
  ] as const) {
    observer.onAnswered({ ...exchange, route }, status, 0, 1);
  }
  assert.equal(await counted(), 3);
});

test('what was never a request is counted as refused', async (context) => {
  const { server, scrape } = await start(context, '--memory');
  assert.match(await sendRaw(server, 'not HTTP\r\n\r\n'), /^HTTP\/1\.1 400 /);
  assert.equal(valueIn(await scrape(), 'basedrive_http_refused_total', { status: '400' }), 1);
});

for (const https of [false, true]) {
  test(`bytes and connections are counted${https ? ' with HTTPS' : ''}`, async (context) => {
    const folder = await temporaryFolder(context);
    const { server, scrape } = await start(context, '--data', folder, ...(https ? ['--https'] : []));
    const { request } = https ? await import('node:https') : await import('node:http');
    const sent = 100_000;
    const answer = await new Promise<string>((resolve, reject) => {
      const outgoing = request(
        `${server.url}/v1/demo/photos/files?name=a`,
        { method: 'POST', headers: { 'X-API-Key': key }, rejectUnauthorized: false, agent: false },
        (response) => text(response).then(resolve, reject),
      );
      outgoing.on('error', reject).end(Buffer.alloc(sent));
    });
    assert.match(answer, /"name":"a"/);
    const scraped = await scrape();
    const received = valueIn(scraped, 'basedrive_network_received_bytes_total');
    assert.ok(received > sent && received < 2 * sent, `${received} bytes received`);
    const out = valueIn(scraped, 'basedrive_network_sent_bytes_total');
    assert.ok(out > answer.length && out < sent, `${out} bytes sent`);
    assert.ok(valueIn(scraped, 'basedrive_connections') <= 1);
  });
}

test('caches, engines, sizes, memory and the event loop are shown', async (context) => {
  const folder = await temporaryFolder(context);
  const { server, scrape } = await start(context, '--data', folder);
  const body = JSON.stringify({ items: [{ key: 'a', text: 'x' }] });
  await (await fetch(`${server.url}/v1/demo/base/items`, { method: 'PUT', headers: json, body })).text();
  for (let n = 0; n < 3; n++)
    await (await fetch(`${server.url}/v1/demo/base/items/a`, { headers: json })).text();
  const scraped = await scrape();
  const calls = (store: string, operation: string) =>
    valueIn(scraped, 'basedrive_engine_duration_seconds_count', { store, operation });
  assert.ok(calls('rows', 'get') >= 3 && calls('rows', 'write') >= 1);
  assert.ok(valueIn(scraped, 'basedrive_cache_requests_total', { cache: 'rows', result: 'hit' }) >= 2);
  for (const name of [
    'basedrive_cache_bytes',
    'basedrive_rows_stored_bytes',
    'basedrive_disk_size_bytes',
    'basedrive_disk_free_bytes',
    'basedrive_buffered_bytes_limit',
    'basedrive_connections_limit',
    'basedrive_maintenance_leader',
    'basedrive_build_info',
    'nodejs_eventloop_lag_p99_seconds',
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
  ]) {
    assert.ok(valueIn(scraped, name) > 0, name);
  }
});

test('the calls below a query that an index serves are counted', async (context) => {
  const { server, scrape } = await start(context, '--memory');
  await declareIndex(server.url, json);
  const calls = async () => {
    const scraped = await scrape();
    const of = (operation: string) =>
      valueIn(scraped, 'basedrive_engine_duration_seconds_count', { store: 'rows', operation });
    return { snapshot: of('snapshot'), list: of('list'), read: of('read') };
  };
  const before = await calls();
  await askIndex(server.url, json);
  const after = await calls();
  for (const operation of ['snapshot', 'list', 'read'] as const)
    assert.ok(after[operation] > before[operation], operation);
});

test('no label has the name of a project, a base, a drive, a key or a file', async (context) => {
  const { server, scrape } = await start(context, '--memory');
  const headers = json;
  const secrets = ['demo', 'n4mebase', 'n4mekey', 'n4medrive', 'n4mefile', 's3cret', 'n4mepath'];
  const body = JSON.stringify({ items: [{ key: 'n4mekey' }] });
  for (const [method, path, sent] of [
    ['PUT', '/v1/demo/n4mebase/items', body],
    ['GET', '/v1/demo/n4mebase/items/n4mekey', undefined],
    ['POST', '/v1/demo/n4medrive/files?name=n4mefile', 'x'],
    ['GET', '/v1/demo/n4medrive/files/download?name=n4mefile', undefined],
    ['GET', '/n4mepath', undefined],
  ] as const) {
    await (await fetch(`${server.url}${path}`, { method, headers, body: sent ?? null })).text();
  }
  const samples = samplesOf(await scrape());
  assert.ok(samples.length > 200);
  for (const { name, labels } of samples) {
    for (const value of Object.values(labels)) {
      for (const secret of secrets) assert.ok(!value.includes(secret), `${name} ${value}`);
    }
  }
});

test('metrics have an address of their own, and nothing else is there', async (context) => {
  const { server, url } = await start(context, '--memory');
  const answer = await fetch(url);
  assert.deepEqual(
    [answer.status, answer.headers.get('content-type')],
    [200, 'text/plain; version=0.0.4; charset=utf-8'],
  );
  await answer.text();
  assert.equal((await fetch(`${server.url}/metrics`)).status, 404);
  assert.equal((await fetch(new URL('/health', url))).status, 404);
  assert.equal((await fetch(url, { method: 'POST' })).status, 405);
  assert.equal((await fetch(url, { method: 'HEAD' })).status, 200);
  assert.equal(await server.stop(), 0);
});

test('without --metrics nothing is served, and a wrong or taken address is said in one line', async (context) => {
  const plain = await startServer(context, ['--memory', '--key', key]);
  assert.doesNotMatch(plain.err(), /Metrics/);
  const { run } = await import('../../../support/run-cli.js');
  for (const address of ['9090', 'host:99999', 'a b:1', '::1:9090', '']) {
    const { code, err } = await run(['--memory', '--metrics', address]);
    assert.deepEqual([code, err.split('\n').length], [2, 2], address);
    assert.match(err, /^basedrive: --metrics/);
  }
  const taken = await run(['--memory', '--port', '0', '--metrics', `127.0.0.1:${plain.port}`]);
  assert.equal(taken.code, 2);
  assert.match(
    taken.err,
    /^basedrive: Cannot listen on 127\.0\.0\.1 port \d+: the port is in use; give another --metrics\n$/,
  );
});
