import assert from 'node:assert/strict';
import { readdir, stat, truncate } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { askIndex, declareIndex } from '../../../support/declared-index.js';
import { run, startServer, temporaryFolder } from '../../../support/run-cli.js';
import { type TraceCollector, traceCollector } from '../../../support/trace-collector.js';

const key = 'demo_s3cret';
const item = '/v1/:project/:name/items/:key';
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

function start(context: TestContext, to: Pick<TraceCollector, 'url'>, options: string[], variables = {}) {
  return startServer(context, ['--key', key, '--traces', 'on', ...options], {
    OTEL_EXPORTER_OTLP_ENDPOINT: to.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    ...variables,
  });
}

/** Sends a GET on a connection of its own, and gives the answer. `Connection: close` is not for the fast path. */
async function get(port: number, path: string, fields: string[], isFast: boolean): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const head = [`GET ${path} HTTP/1.1`, 'Host: localhost', `X-API-Key: ${key}`, ...fields];
  socket.write(`${[...head, ...(isFast ? [] : ['Connection: close'])].join('\r\n')}\r\n\r\n`);
  if (!isFast) return await text(socket);
  const answer = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  socket.destroy();
  return String(answer);
}

for (const isFast of [true, false]) {
  test(`a request is a span, ${isFast ? 'on the fast path' : 'with the parser of Node'}`, async (context) => {
    const collector = await traceCollector(context);
    const { port, said } = await start(context, collector, ['--memory'], { OTEL_SERVICE_NAME: 'our data' });
    await said(`Traces are sent to ${collector.url}/v1/traces\n`);
    const fields = ['X-Request-Id: r-17', `traceparent: 00-${traceId}-${spanId}-01`];
    const path = '/v1/demo/private-base/items/private-key?private=1';
    assert.match(await get(port, path, fields, isFast), /^HTTP\/1.1 404/);
    await get(port, '/nowhere/private', [], isFast);
    const [first, second] = await collector.requests(2);
    assert.equal(first?.name, `GET ${item}`);
    assert.deepEqual(first.attributes, {
      'http.request.method': 'GET',
      'url.scheme': 'http',
      'basedrive.request_id': 'r-17',
      'http.route': item,
      'http.response.status_code': 404,
      'http.response.body.size': '{"key":"private-key"}'.length,
    });
    assert.deepEqual([first.traceId, first.parentSpanId, first.status], [traceId, spanId, 0]);
    assert.ok(first.endNs > first.startNs);
    assert.equal(first.resource['service.name'], 'our data');
    assert.match(String(first.resource['service.version']), /^\d/);
    assert.equal(second?.name, 'GET');
    assert.equal(second.parentSpanId, undefined);
    assert.notEqual(second.traceId, traceId);
    assert.equal(collector.last.path, '/v1/traces');
    assert.doesNotMatch(collector.text(), /private|s3cret|demo/);
  });
}

test('requests that are pipelined have spans of their own', async (context) => {
  const collector = await traceCollector(context);
  const { port } = await start(context, collector, ['--memory']);
  const socket = connect(port, '127.0.0.1');
  const request = (n: number) =>
    `GET /v1/demo/b/items/k HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nX-Request-Id: r${n}\r\n\r\n`;
  socket.write(Array.from({ length: 20 }, (_, n) => request(n)).join(''));
  const spans = await collector.requests(20);
  socket.destroy();
  assert.equal(new Set(spans.map((span) => span.traceId)).size, 20);
  assert.deepEqual(
    spans.map((span) => span.attributes['basedrive.request_id']),
    Array.from({ length: 20 }, (_, n) => `r${n}`),
  );
});

test('the work of the stores is in spans below the request', async (context) => {
  const collector = await traceCollector(context);
  const folder = await temporaryFolder(context);
  const { url } = await start(context, collector, ['--data', folder, '--metrics', '127.0.0.1:0']);
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const answer = async (path: string, init: RequestInit = {}) =>
    await (await fetch(`${url}/v1/demo/${path}`, { headers, ...init })).arrayBuffer();
  const items = JSON.stringify({ items: [{ key: 'a', text: 'x' }] });
  await answer('b/items', { method: 'PUT', body: items });
  await answer('b/query', { method: 'POST', body: '{}' });
  await answer('d/files?name=large', { method: 'POST', body: Buffer.alloc(3_000_000) });
  assert.equal((await answer('d/files/download?name=large')).byteLength, 3_000_000);
  const requests = await collector.requests(4);
  const below = (name: string) => {
    const parent = requests.find((span) => span.name === name);
    assert.ok(parent !== undefined, name);
    const children = collector.spans.filter((span) => span.parentSpanId === parent.spanId);
    for (const child of children) {
      assert.equal(child.traceId, parent.traceId);
      assert.equal(child.kind, 1);
      assert.ok(child.startNs >= parent.startNs && child.endNs <= parent.endNs, child.name);
    }
    return children;
  };
  const names = (name: string) => below(name).map((span) => span.name);
  const put = below('PUT /v1/:project/:name/items');
  assert.deepEqual(put.map((span) => span.name).sort(), ['rows write', 'rows write: wait for commit']);
  const [wait, write] = put[0]?.name === 'rows write' ? [put[1], put[0]] : put;
  assert.ok(wait && write && wait.startNs >= write.startNs && wait.endNs <= write.endNs);
  const list = below('POST /v1/:project/:name/query').find((span) => span.name === 'rows list');
  assert.ok(Number(list?.attributes['basedrive.batches']) >= 1);
  assert.ok(names('POST /v1/:project/:name/files').includes('blobs write'));
  assert.ok(names('GET /v1/:project/:name/files/download').includes('blobs read'));
});

test('the work below a query that an index serves is in spans', async (context) => {
  const collector = await traceCollector(context);
  const { url, stop } = await start(context, collector, ['--memory']);
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  await declareIndex(url, headers);
  await askIndex(url, headers);
  await stop();
  const query = collector.spans.find((span) => span.name === 'POST /v1/:project/:name/query');
  const below = collector.spans.filter((span) => span.parentSpanId === query?.spanId).map(({ name }) => name);
  for (const name of ['rows snapshot', 'rows list', 'rows read']) assert.ok(below.includes(name), `${below}`);
});

test('an answer that the store cuts off is an error, and so is the span of the store', async (context) => {
  const collector = await traceCollector(context);
  const folder = await temporaryFolder(context);
  const { url } = await start(context, collector, ['--data', folder]);
  const headers = { 'X-API-Key': key };
  const body = Buffer.alloc(8_000_000);
  await (await fetch(`${url}/v1/demo/d/files?name=a`, { method: 'POST', headers, body })).text();
  for (const entry of await readdir(join(folder, 'blobs'), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await stat(path)).size === body.length) await truncate(path, 2_000_000);
  }
  const answer = await fetch(`${url}/v1/demo/d/files/download?name=a`, { headers });
  assert.equal(answer.status, 200);
  await assert.rejects(answer.arrayBuffer());
  const [, download] = await collector.requests(2);
  const read = collector.spans.find((span) => span.name === 'blobs read');
  for (const span of [download, read]) {
    assert.equal(span?.status, 2, span?.name);
    assert.match(String(span?.attributes['error.type']), /^[A-Za-z]+$/);
  }
  assert.equal(download?.attributes['http.response.status_code'], 200);
  assert.equal(read?.parentSpanId, download?.spanId);
});

test('the sampler of the variables decides, and follows the caller unless it says otherwise', async (context) => {
  const traced = ['traceparent: ', `00-${traceId}-${spanId}-`];
  for (const [sampler, expected] of [
    ['parentbased_always_off', ['yes']],
    ['parentbased_always_on', ['none', 'yes']],
    ['always_off', []],
  ] as const) {
    const collector = await traceCollector(context);
    const server = await start(context, collector, ['--memory'], { OTEL_TRACES_SAMPLER: sampler });
    const send = (id: string, fields: string[]) =>
      get(server.port, '/v1/demo/b/items/k', [`X-Request-Id: ${id}`, ...fields], true);
    await send('none', []);
    await send('no', [`${traced.join('')}00`]);
    await send('yes', [`${traced.join('')}01`]);
    assert.equal(await server.stop(), 0);
    const ids = collector.spans
      .filter(({ kind }) => kind === 2)
      .map((span) => span.attributes['basedrive.request_id']);
    assert.deepEqual(ids, expected, sampler);
  }
});

test('a collector that refuses, is away or never answers disturbs no request and no stop', async (context) => {
  const refusing = await traceCollector(context, (response) => void response.writeHead(400).end());
  const silent = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  context.after(() => silent.close());
  const { port } = silent.address() as { port: number };
  for (const url of [refusing.url, 'http://127.0.0.1:1', `http://127.0.0.1:${port}`]) {
    const server = await start(context, { url }, ['--memory'], {
      // Some spans are sent only at the stop.
      OTEL_BSP_SCHEDULE_DELAY: '600000',
      OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
      OTEL_BSP_EXPORT_TIMEOUT: '600000',
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '50',
    });
    for (let n = 0; n < 500; n += 100) {
      const answers = Array.from({ length: 100 }, () => fetch(`${server.url}/v1/demo/b/items/k`));
      for (const answer of await Promise.all(answers)) {
        assert.equal(answer.status, 401);
        await answer.arrayBuffer();
      }
    }
    // It would take ten minutes if it waited for the collector.
    assert.equal(await server.stop(), 0);
    const reports = server
      .out()
      .split('\n')
      .filter((line) => line.includes('traces could not be sent'));
    assert.ok(reports.length <= 1, reports.join('\n'));
    if (url === refusing.url) assert.equal(reports.length, 1);
  }
});

test('a variable with a value that cannot work is an error of the start', async () => {
  const wrong = {
    OTEL_TRACES_SAMPLER: 'sometimes',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'ftp://collector',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  };
  for (const [name, value] of Object.entries(wrong)) {
    const { code, err } = await run(['--memory', '--port', '0', '--traces', 'on'], { [name]: value });
    assert.equal(code, 2, name);
    assert.match(err, new RegExp(`^basedrive: ${name}: must be `));
  }
  const ratio = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' };
  const { code, err } = await run(['--memory', '--port', '0', '--traces', 'on'], ratio);
  assert.equal(code, 2);
  assert.match(err, /^basedrive: OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1/);
});

test('without --traces nothing is loaded and nothing is sent', async (context) => {
  const collector = await traceCollector(context);
  const server = await startServer(context, ['--key', key, '--memory'], {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '10',
    NODE_OPTIONS: `--import=${import.meta.resolve('../../../support/print-modules.js')}`,
  });
  await get(server.port, '/v1/demo/b/items/k', [], true);
  assert.equal(await server.stop(), 0);
  assert.match(server.err(), /loaded modules: /);
  assert.doesNotMatch(server.err(), /opentelemetry/);
  assert.deepEqual(collector.spans, []);
});
