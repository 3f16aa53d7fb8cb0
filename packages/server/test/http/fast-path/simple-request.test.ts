import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { unlimitedGrant } from '../../../src/access/grant.js';
import { json } from '../../../src/http/answers/answer.js';
import { parseInPieces } from '../../../src/http/connections/paced-reading.js';
import { connectionEvent } from '../../../src/http/fast-path/fast-path.js';
import { createSimpleReader } from '../../../src/http/fast-path/simple-request.js';
import { createListener } from '../../../src/http/listener.js';
import { createValueBudget } from '../../../src/http/memory/budgets.js';
import type { Call } from '../../../src/http/requests/call.js';
import { createRouter } from '../../../src/http/routing/router.js';
import { propertyRuns } from '../../support/property-runs.js';

const put = (...lines: string[]) =>
  ['PUT /v1/p/b/items HTTP/1.1', 'Host: x', ...lines, 'Content-Length: 2', '', '{}'].join('\r\n');
const get = (...lines: string[]) =>
  ['GET /v1/p/b/items/k HTTP/1.1', 'Host: x', ...lines, '', ''].join('\r\n');
const requestIn = (bytes: Buffer, reader = createSimpleReader()) => {
  const found = reader(bytes);
  return found === 'incomplete' ? undefined : found;
};
const read = (text: string) => requestIn(Buffer.from(text, 'latin1'));

test('a reader reads whole simple requests, one after the other', () => {
  const reader = createSimpleReader();
  for (let round = 0; round < 3; round++) {
    const asked = requestIn(Buffer.from(get('X-API-Key:  abc ', 'Connection: Keep-Alive')), reader);
    assert.equal(asked?.method, 'GET');
    assert.equal(asked?.target, '/v1/p/b/items/k');
    assert.equal(asked?.headers['x-api-key'], 'abc');
    assert.equal(requestIn(Buffer.from(put()), reader)?.body.toString(), '{}');
  }
});

test('a request that two parsers could read differently is left to Node', () => {
  const left = [
    put('Transfer-Encoding: chunked'),
    put('Content-Length: 2'),
    put('content-length: 3'),
    put('Expect: 100-continue'),
    put().replace('Content-Length: 2', 'Content-Length: +2'),
    put().replace('Content-Length: 2', 'Content-Length: 02'),
    put().replace('Content-Length: 2', 'Content-Length: 2, 2'),
    put().replace('Content-Length: 2', 'Content-Length : 2'),
    put().replace('Content-Length: 2\r\n', ''),
    put().slice(0, -1),
    get('Content-Length: 0'),
    get('Upgrade: websocket'),
    get('Connection: close'),
    get('Connection: keep-alive, upgrade'),
    get('Connection: keep-alive\t'),
    get('Host: y'),
    get('X-A: 1', ' folded'),
    get('X-A: 1\n2'),
    get('X-A: \x001'),
    put().replace('Content-Length: 2', 'Content-Length: 2\t'),
    put().replace('Content-Length: 2', 'Content-Length:\t2'),
    get().replace('Host: x', 'Host:'),
    get().replace('Host: x', 'Host: a b'),
    get().replace('Host: x', 'Host: a/b'),
    get().replace('Host: x', 'Host: a, b'),
    get('X-A: ü'),
    get('X A: 1'),
    get('X-A'),
    get(': 1'),
    get('Origin: https://a.example'),
    get('If-None-Match: "a"'),
    get('X-API-Key: a', 'x-api-key: b'),
    get(`X-A: ${'a'.repeat(5000)}`),
    get().replace('Host: x\r\n', ''),
    get().replace('HTTP/1.1', 'HTTP/1.0'),
    get().replace('HTTP/1.1', 'http/1.1'),
    get().replace('GET', 'HEAD'),
    get().replace('GET', 'get'),
    get().replace('/v1', 'http://x/v1'),
    get().replace('/items/', '/it ems/'),
    get().replace('/items/', '/items#'),
    get().replaceAll('\r\n', '\n'),
    `\r\n${get()}`,
    '',
  ];
  for (const text of left) assert.equal(read(text), undefined, JSON.stringify(text));
});

/** Who reads the first request of a connection. */
type Way = 'fast path' | 'fast path over TLS' | 'Node';

/** The other end of a connection without a network. */
class Wire extends Duplex {
  received = '';
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.received += chunk.toString('latin1');
    done();
  }
  setTimeout(): this {
    return this;
  }
}

/** Answers with all that a route can see of a request. */
async function echo(call: Call) {
  const { params, headers, contentLength } = call;
  const body = await call.body(1000, () => new Error('The body is too large'));
  const a = call.query.get('a');
  return json(200, { params, headers: { ...headers }, contentLength, a, body: body.toString('latin1') });
}

const listener = createListener({
  router: createRouter(
    [
      { method: 'PUT', path: '/v1/{project}/{base}/items', access: 'write', handle: echo },
      { method: 'GET', path: '/v1/{project}/{base}/items/{key}', access: 'read', handle: echo },
    ],
    undefined,
  ),
  authenticate: () => unlimitedGrant('id', 'p'),
  corsOrigins: '*',
  idleTimeoutMs: 65_000,
  maxRequestsInFlight: 1000,
  maxBufferedBytes: 64 * 1024 * 1024,
  clock: Date.now,
  values: createValueBudget(64 * 1024 * 1024),
  log: { info() {}, error: assert.fail },
});

function openServer(way: Way) {
  const options = { requireHostHeader: false };
  const server: Server =
    way === 'fast path over TLS'
      ? createSecureServer(options, listener.onRequest)
      : createServer(options, listener.onRequest);
  server.on('checkContinue', listener.onRequest);
  server.on('checkExpectation', listener.onExpectation);
  server.on('clientError', listener.onClientError);
  server.on('connect', listener.onConnect);
  if (way === 'Node') server.on('connection', parseInPieces);
  else listener.fastPath?.(server);
  return server;
}

const ways: readonly Way[] = ['fast path', 'fast path over TLS', 'Node'];
const servers = new Map(ways.map((way) => [way, openServer(way)]));

/** All that comes back upon these bytes, without what differs from answer to answer. Waits for `answers` numbered ones. */
async function answersTo(bytes: Buffer | readonly Buffer[], way: Way, answers = 0): Promise<string> {
  const wire = new Wire();
  wire.on('error', () => {});
  const server = servers.get(way) ?? assert.fail();
  server.emit(connectionEvent(server), wire as unknown as Socket);
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
  for (const chunk of Buffer.isBuffer(bytes) ? [bytes] : bytes) {
    wire.push(chunk);
    if (chunk.length % 3 > 0) await nextTurn();
  }
  for (let tick = 0; tick < 12; tick++) await nextTurn();
  while (wire.received.split('"x-number"').length <= answers) await nextTurn();
  wire.destroy();
  return wire.received.replaceAll(/(Date|X-Request-Id): [^\r]*/g, '$1');
}

test('the fast path and Node answer the same to requests that other parsers take in two ways', async () => {
  const both: readonly [request: string, answer: RegExp][] = [
    [get(), /^HTTP\/1.1 200 /],
    [put(), /^HTTP\/1.1 200 /],
    [get().replace('Host: x', 'Host: [::1]:80'), /^HTTP\/1.1 200 /],
    [put().replace('Content-Length: 2', 'Content-Length: 2\t'), /^HTTP\/1.1 400 /],
    [put('TE: trailers').replace('Content-Length: 2', 'Content-Length: 2\t'), /^HTTP\/1.1 400 /],
    [put().replace('Content-Length: 2', 'Content-Length: \t2 \t '), /^HTTP\/1.1 400 /],
    [put().replace('Content-Length: 2', 'Content-Length:\t2'), /^HTTP\/1.1 200 /],
    [put().replace('Content-Length: 2', 'Content-Length: 2 '), /^HTTP\/1.1 200 /],
    [put('X-A: \t1\t'), /^HTTP\/1.1 200 .*Connection: keep-alive/s],
    [get('Connection: close\t'), /^HTTP\/1.1 200 .*Connection: close/s],
    [get('Connection: close\t, x'), /^HTTP\/1.1 200 .*Connection: close/s],
    [get('Connection: keep-alive\t'), /^HTTP\/1.1 200 .*Connection: close/s],
    [get('Connection: keep-alive\t').replace('/1.1', '/1.0'), /^HTTP\/1.1 200 .*Connection: close/s],
    [get('Connection: keep-alive').replace('/1.1', '/1.0'), /^HTTP\/1.1 200 .*Connection: keep-alive/s],
    [
      put('Transfer-Encoding:').replace('Content-Length: 2\r\n', ''),
      /^HTTP\/1.1 400 .*"Transfer-Encoding: /s,
    ],
    [get('Host: x'), /^HTTP\/1.1 400 .*"Host: /s],
    [get('Host: y'), /^HTTP\/1.1 400 .*"Host: /s],
    [get('hOST:'), /^HTTP\/1.1 400 .*"Host: /s],
    [get().replace('Host: x', 'Host:'), /^HTTP\/1.1 400 .*"Host: /s],
    [get().replace('Host: x', 'Host: \t'), /^HTTP\/1.1 400 .*"Host: /s],
    [get().replace('Host: x', 'Host: a b'), /^HTTP\/1.1 400 .*"Host: /s],
    [get().replace('Host: x', 'Host: a@b'), /^HTTP\/1.1 400 .*"Host: /s],
    [get().replace('Host: x\r\n', ''), /^HTTP\/1.1 400 .*"Host: /s],
    [get().replace('/items/k', '/items/k#x'), /^HTTP\/1.1 400 .*"path: /s],
    [get().replace('/items/k', '/items/k?a=b#x'), /^HTTP\/1.1 400 .*"path: /s],
    [get().replace('/items/k', '/items/k%23x'), /^HTTP\/1.1 200 .*"key":"k#x"/s],
  ];
  for (const [text, answer] of both) {
    const bytes = Buffer.from(text, 'latin1');
    const fast = await answersTo(bytes, 'fast path');
    assert.match(fast, answer, JSON.stringify(text));
    assert.equal(fast, await answersTo(bytes, 'Node'), JSON.stringify(text));
    assert.equal(fast, await answersTo(bytes, 'fast path over TLS'), JSON.stringify(text));
  }
});

test('a length with a tab behind it is refused wherever the network cuts it, after bodies of every kind', async () => {
  const bad = put().replace('Content-Length: 2', `Content-Length: ${' '.repeat(1100)}2\t`);
  const chunked = put().replace(
    'Content-Length: 2\r\n\r\n{}',
    'Transfer-Encoding: chunked\r\n\r\n18\r\n\r\nContent-Length: 1\t\r\n\r\n\r\n0\r\n\r\n',
  );
  for (const before of ['', get(), get('TE: trailers'), put('TE: trailers'), chunked]) {
    const text = before + bad + get();
    const statuses = before === '' ? ['400'] : ['200', '400'];
    for (
      let cut = 0;
      cut <= text.length;
      cut += cut > before.length + 70 && cut < text.length - 50 ? 101 : 1
    ) {
      const chunks = [text.slice(0, cut), text.slice(cut)].map((part) => Buffer.from(part, 'latin1'));
      for (const way of ways) {
        const received = await answersTo(chunks, way);
        const found = [...received.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status);
        assert.deepEqual(found, statuses, `${way}: ${JSON.stringify(chunks.map(String))}`);
      }
    }
  }
});

test('the fast path and Node answer the same to changed requests', async () => {
  const piece = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        ...['', 'a', '/', ':', ' ', '\t', '\r\n', '\n', '\r', '\0', '%41', '?a=b', '#', '\x80', 'é'],
      ),
    },
    {
      weight: 3,
      arbitrary: fc
        .constantFrom(
          'Host: y',
          'Host:',
          'Host: a b',
          'X-API-Key: k',
          'Content-Length: 2',
          'Content-Length: 0',
        )
        .map((line) => `${line}\r\n`),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        'Transfer-Encoding: chunked\r\n',
        'Connection: close\r\n',
        'Accept: */*\r\n',
        '0\r\n\r\n',
      ),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 5 }) },
  );
  /** At any place, or where parsers differ most: at the beginnings and ends of lines and values. */
  const place = fc.oneof(fc.nat(400), fc.record({ edge: fc.nat(20), after: fc.boolean() }));
  const change = fc.record({ place, drop: fc.nat(3), piece });
  const start = fc.constantFrom(get(), get('Accept: */*'), put(), put('Content-Type: application/json'));
  const reader = createSimpleReader();
  const numRuns = propertyRuns(6000);
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(start, fc.array(change, { maxLength: 3 }), async (text, changes) => {
      let changed = text;
      for (const { place: where, drop, piece: added } of changes) {
        const edges = [...changed.matchAll(/\r\n|: ?| /g)];
        const edge = typeof where === 'number' ? undefined : edges[where.edge % Math.max(1, edges.length)];
        const at =
          typeof where === 'number'
            ? where % (changed.length + 1)
            : (edge?.index ?? 0) + (where.after ? (edge?.[0].length ?? 0) : 0);
        const dropped = typeof where === 'number' ? drop : 0;
        changed = changed.slice(0, at) + added + changed.slice(at + dropped);
      }
      const bytes = Buffer.from(changed, 'latin1');
      if (requestIn(bytes, reader) === undefined) return;
      taken++;
      assert.equal(
        await answersTo(bytes, 'fast path'),
        await answersTo(bytes, 'Node'),
        JSON.stringify(changed),
      );
    }),
    { numRuns },
  );
  assert.ok(taken > numRuns / 10, `only ${taken} of ${numRuns} were taken`);
});

test('requests that are pipelined are answered in their order, wherever the network cuts them', async () => {
  const kinds = [
    get,
    () => get('TE: trailers'),
    put,
    () => put('Expect: 100-continue'),
    () => put().replace('/items ', `/items?a=${'x'.repeat(700)} `),
    () =>
      put().replace('Content-Length: 2\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
    () => `${put().replace('Content-Length: 2', 'Content-Length: 900').slice(0, -2)}${'y'.repeat(900)}`,
  ];
  const numbered = (text: string, n: number) =>
    text.replace('HTTP/1.1\r\n', `HTTP/1.1\r\nX-Number: ${n}\r\n`);
  const kind = fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, fc.nat(kinds.length - 1));
  await fc.assert(
    fc.asyncProperty(
      fc.array(kind, { minLength: 1, maxLength: 300, size: 'max' }),
      fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 40 }),
      async (chosen, sizes) => {
        const bytes = Buffer.from(chosen.map((k, n) => numbered(kinds[k]?.() ?? '', n)).join(''), 'latin1');
        const chunks: Buffer[] = [];
        for (let at = 0, n = 0; at < bytes.length; n++) {
          const size = sizes[n % sizes.length] ?? bytes.length;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        for (const way of ways) {
          const received = await answersTo(chunks, way, chosen.length);
          const numbers = [...received.matchAll(/"x-number":"(\d+)"/g)].map(([, number]) => Number(number));
          assert.deepEqual(numbers, [...chosen.keys()], way);
        }
      },
    ),
    { numRuns: propertyRuns(150) },
  );
});
