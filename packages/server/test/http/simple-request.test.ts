import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSimpleReader, type SimpleRequest } from '../../src/http/fast-path/simple-request.js';

const put = (...lines: string[]) =>
  ['PUT /v1/p/b/items HTTP/1.1', 'Host: x', ...lines, 'Content-Length: 2', '', '{}'].join('\r\n');
const get = (...lines: string[]) =>
  ['GET /v1/p/b/items/k HTTP/1.1', 'Host: x', ...lines, '', ''].join('\r\n');
const read = (text: string) => createSimpleReader()(Buffer.from(text, 'latin1'));

test('whole simple requests are read, one after the other', () => {
  const reader = createSimpleReader();
  for (let round = 0; round < 3; round++) {
    const asked = reader(Buffer.from(get('X-API-Key:  abc ', 'Connection: Keep-Alive')));
    assert.equal(asked?.method, 'GET');
    assert.equal(asked?.target, '/v1/p/b/items/k');
    assert.equal(asked?.headers['x-api-key'], 'abc');
    assert.equal(reader(Buffer.from(put()))?.body.toString(), '{}');
  }
});

test('what two readers could take in two ways is left to Node', () => {
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
    `${put()}G`,
    get() + get(),
    get('Content-Length: 0'),
    get('Upgrade: websocket'),
    get('Connection: close'),
    get('Connection: keep-alive, upgrade'),
    get('Host: y'),
    get('X-A: 1', ' folded'),
    get('X-A: 1\n2'),
    get('X-A: \x001'),
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

/** What Node's own reader makes of the same bytes: every request it finds, and whether it refused the rest. */
async function readByNode(bytes: Buffer): Promise<{ requests: SimpleRequest[]; isRefused: boolean }> {
  const requests: SimpleRequest[] = [];
  let isRefused = false;
  const wire = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const pending: Promise<void>[] = [];
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    const { method = '', url: target = '', headers } = request;
    const whole = request.toArray().then((chunks) => {
      requests.push({ method, target, headers, body: Buffer.concat(chunks) });
      response.end();
    });
    pending.push(whole.catch(() => {}));
  });
  server.on('clientError', () => {
    isRefused = true;
    wire.destroy();
  });
  wire.on('error', () => {});
  server.emit('connection', wire);
  wire.push(bytes);
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.race([Promise.all(pending), new Promise((resolve) => setTimeout(resolve, 50))]);
  wire.destroy();
  return { requests, isRefused };
}

test('what is read here, Node reads in the same way', async () => {
  const piece = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        '',
        'a',
        '/',
        ':',
        ' ',
        '\t',
        '\r\n',
        '\n',
        '\r',
        '\0',
        '%41',
        '?a=b',
        '\x80',
        'é',
      ),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        ...['Host: y', 'X-API-Key: k', 'Content-Length: 2', 'Content-Length: 0'].map((line) => `${line}\r\n`),
      ),
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
  const change = fc.record({ at: fc.nat(400), drop: fc.nat(3), piece });
  const start = fc.constantFrom(get(), get('Accept: */*'), put(), put('Content-Type: application/json'));
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(start, fc.array(change, { maxLength: 3 }), async (text, changes) => {
      let changed = text;
      for (const { at, drop, piece: added } of changes) {
        const place = at % (changed.length + 1);
        changed = changed.slice(0, place) + added + changed.slice(place + drop);
      }
      const bytes = Buffer.from(changed, 'latin1');
      const here = createSimpleReader()(bytes);
      if (here === undefined) return;
      taken++;
      const { requests, isRefused } = await readByNode(bytes);
      assert.equal(isRefused, false, JSON.stringify(changed));
      assert.equal(requests.length, 1, JSON.stringify(changed));
      assert.deepEqual(
        { ...requests[0], headers: { ...requests[0]?.headers } },
        { ...here, headers: { ...here.headers } },
      );
    }),
    { numRuns: 4000 },
  );
  assert.ok(taken > 400, `only ${taken} were taken`);
});
