import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshBase, freshDrive, freshName } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { openRaw, type RawConnection } from './support/raw-connection.js';
import { describeOverBoth } from './support/service.js';

describeOverBoth('requests on one connection', (service) => {
  const root = () => `/v1/${service.target.project}/${freshName('c')}`;

  function head(method: string, path: string, ...headers: string[]): string {
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: x', `X-API-Key: ${service.target.key}`, ...headers];
    return `${lines.join('\r\n')}\r\n\r\n`;
  }

  async function assertStillAnswers(connection: RawConnection): Promise<void> {
    connection.write(head('GET', `${root()}/items/after`));
    const reply = await connection.reply();
    assert.equal(reply.status, 404);
    assert.equal(reply.text, '{"key":"after"}');
  }

  test('a connection is kept open without a Connection header', async () => {
    const connection = await openRaw(service.target);
    for (let n = 0; n < 3; n++) await assertStillAnswers(connection);
    connection.destroy();
  });

  test('pipelined requests are answered in their order', async () => {
    const connection = await openRaw(service.target);
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
    connection.write(keys.map((key) => head('GET', `${root()}/items/${key}`)).join(''));
    for (const key of keys) assert.equal((await connection.reply()).text, JSON.stringify({ key }));
    connection.destroy();
  });

  test('a write is finished before the next request of its connection begins', async () => {
    const connection = await openRaw(service.target);
    const path = root();
    const json = 'Content-Type: application/json';
    const write = (method: string, at: string, body: string) =>
      head(method, path + at, json, `Content-Length: ${body.length}`) + body;
    const get = head('GET', `${path}/items/k`);
    for (let n = 0; n < 50; n++) {
      const put = write('PUT', '/items', `{"items":[{"key":"k","n":${n}}]}`);
      const update = write('PATCH', '/items/k', '{"set":{"updated":true}}');
      connection.write(put + get + update + get + head('DELETE', `${path}/items/k`) + get);
      assert.equal((await connection.reply()).status, 207);
      assert.equal((await connection.reply()).text, `{"key":"k","n":${n}}`);
      assert.equal((await connection.reply()).status, 200);
      assert.equal((await connection.reply()).text, `{"key":"k","n":${n},"updated":true}`);
      assert.equal((await connection.reply()).status, 200);
      assert.equal((await connection.reply()).status, 404);
    }
    connection.destroy();
  });

  test('a connection can be used after an error of every kind', async () => {
    const connection = await openRaw(service.target);
    const json = 'Content-Type: application/json';
    const errors: readonly [request: string, status: number][] = [
      [head('GET', '/nowhere'), 404],
      [head('DELETE', `${root()}/query`), 405],
      [`${head('PUT', `${root()}/items`, json, 'Content-Length: 7')}{"items`, 400],
      [`${head('PUT', `${root()}/items`, 'Content-Type: text/plain', 'Content-Length: 2')}{}`, 415],
      [`${head('POST', `${root()}/query`, json, 'Content-Length: 14')}{"query":true}`, 400],
      [`${head('POST', `${root()}/files`, 'Content-Length: 3')}abc`, 400],
      [`${head('PATCH', '/v1/other/b/items/k', json, 'Content-Length: 2')}{}`, 401],
    ];
    for (const [request, status] of errors) {
      connection.write(request);
      assert.equal((await connection.reply()).status, status, request);
    }
    await assertStillAnswers(connection);
    connection.destroy();
  });

  test('a connection can be used after a file that is too large', async () => {
    const connection = await openRaw(service.target);
    const body = Buffer.alloc(10 * 1024 * 1024 + 1);
    const path = `${root()}/files?name=big`;
    for (const length of [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked']) {
      connection.write(head('POST', path, length));
      if (length.startsWith('Transfer')) {
        connection.write(`${body.length.toString(16)}\r\n`);
        connection.write(body);
        connection.write('\r\n0\r\n\r\n');
      } else {
        connection.write(body);
      }
      const reply = await connection.reply();
      assert.equal(reply.status, 413);
      assert.equal(reply.text, '<h1>413 - Request Entity Too Large</h1>');
      await assertStillAnswers(connection);
    }
    connection.write(head('GET', path.replace('files', 'files/download')));
    assert.equal((await connection.reply()).status, 404, 'nothing is stored');
    connection.destroy();
  });

  test('a refused body is read to its end before the connection is closed, so that no client loses the answer', async () => {
    const body = Buffer.alloc(30 * 1024 * 1024);
    for (let round = 0; round < 5; round++) {
      const connection = await openRaw(service.target);
      const path = `${root()}/files?name=big`;
      connection.write(head('POST', path, `Content-Length: ${body.length}`, 'Connection: close'));
      // The body is slower than the answer, as over a network.
      for (let at = 0; at < body.length; at += 1024 * 1024) {
        connection.write(body.subarray(at, at + 1024 * 1024));
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.equal((await connection.reply()).status, 413);
      await connection.closed;
    }
  });

  test('a body that is announced as too large is refused before it is sent', async () => {
    const connection = await openRaw(service.target);
    connection.write(head('POST', `${root()}/files?name=big`, 'Content-Length: 10485761'));
    assert.equal((await connection.reply()).status, 413);
    connection.destroy();
    const second = await openRaw(service.target);
    second.write(
      head('PUT', `${root()}/items`, 'Content-Type: application/json', 'Content-Length: 16777217'),
    );
    const reply = await second.reply();
    assert.equal(reply.status, 413);
    assert.match(reply.headers['content-type'] ?? '', /^application\/json/);
    second.destroy();
  });

  test('a body without a length may be sent in chunks', async () => {
    const connection = await openRaw(service.target);
    const path = root();
    connection.write(
      head('PUT', `${path}/items`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'),
    );
    for (const piece of ['{"items"', ':[{"key":"chu', 'nked"}]}']) {
      connection.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    }
    connection.write('0\r\n\r\n');
    const reply = await connection.reply();
    assert.equal(reply.status, 207);
    assert.equal(reply.text, '{"processed":{"items":[{"key":"chunked"}]}}');
    connection.write(head('POST', `${path}/files?name=f`, 'Transfer-Encoding: chunked'));
    connection.write('5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n');
    assert.equal((await connection.reply()).status, 201);
    connection.write(head('GET', `${path}/files/download?name=f`));
    assert.equal((await connection.reply()).text, 'hello world');
    connection.destroy();
  });

  test('a body that is shorter than its length stores nothing', async () => {
    const { api } = service;
    const base = freshBase(api);
    const drive = freshDrive(api);
    await drive.put('f', 'before');
    const cut: readonly string[] = [
      `${head('PUT', `${base.root}/items`, 'Content-Type: application/json', 'Content-Length: 50')}{"items":[{"key":"k"}]}`,
      `${head('POST', `${drive.root}/files?name=f`, 'Content-Length: 50')}after`,
      `${head('POST', `${drive.root}/files?name=large`, 'Content-Length: 500000')}${'x'.repeat(400_000)}`,
      `${head('POST', `${drive.root}/files?name=chunked`, 'Transfer-Encoding: chunked')}5\r\nhello\r\n`,
    ];
    for (const request of cut) {
      const connection = await openRaw(service.target);
      connection.write(request);
      connection.end();
      await connection.closed;
    }
    expectJson(await base.get('k'), 404, { key: 'k' });
    assert.equal((await drive.get('f')).text, 'before');
    expectJson(await drive.list(), 200, { names: ['f'] });
  });

  test('the bytes after a body are the next request', async () => {
    const connection = await openRaw(service.target);
    const path = root();
    const body = '{"items":[{"key":"first"}]}';
    const put = head(
      'PUT',
      `${path}/items`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    );
    connection.write(`${put}${body}${head('GET', `${path}/items/first`)}`);
    assert.equal((await connection.reply()).status, 207);
    assert.equal((await connection.reply()).text, '{"key":"first"}');
    // The body is longer than its length: the first request is processed, and the rest is refused.
    connection.write(`${put}${body}rubbish that is no request\r\n\r\n`);
    assert.equal((await connection.reply()).status, 207);
    assert.equal((await connection.reply()).status, 400);
    await connection.closed;
  });

  test('bytes that are not HTTP are answered with 400 or not at all, and the service keeps running', async () => {
    const bad = [
      'rubbish\r\n\r\n',
      'GET\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\nBad : y\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 3\r\n\r\n',
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      '\u0000\u0001\u0002',
    ];
    for (const [bytes, ends] of bad.flatMap((each) => [[each, false] as const, [each, true] as const])) {
      const connection = await openRaw(service.target);
      connection.write(bytes);
      if (ends) connection.end();
      const reply = await connection.reply().catch(() => undefined);
      if (reply !== undefined) {
        assert.ok(reply.status >= 400 && reply.status < 500, `${bytes}: ${reply.status}`);
        assert.ok(reply.headers['x-request-id'], `no X-Request-Id for ${bytes}`);
      }
      connection.end();
      await connection.closed;
    }
    const afterEmptyLine = await openRaw(service.target);
    afterEmptyLine.write('\r\nGET /health?a:b HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\n\r\n');
    assert.equal((await afterEmptyLine.reply()).status, 200);
    afterEmptyLine.destroy();
    expectStatus(await service.api.send('GET', '/health'), 200);
  });

  test('a request of HTTP/1.0 is answered', async () => {
    const connection = await openRaw(service.target);
    connection.write(`GET ${root()}/items/k HTTP/1.0\r\nX-API-Key: ${service.target.key}\r\n\r\n`);
    assert.equal((await connection.reply()).status, 404);
    await connection.closed;
  });

  test('a request of HTTP/1.0 is not told to continue', async () => {
    const connection = await openRaw(service.target);
    const body = '{"items":[{"key":"k"}]}';
    const fields = [
      `X-API-Key: ${service.target.key}`,
      'Content-Type: application/json',
      'Expect: 100-continue',
      `Content-Length: ${body.length}`,
    ];
    connection.write(`PUT ${root()}/items HTTP/1.0\r\n${fields.join('\r\n')}\r\n\r\n${body}`);
    assert.equal((await connection.reply()).status, 207);
    await connection.closed;
  });

  test('every answer has a request id of its own', async () => {
    const { api } = service;
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => api.send('GET', n % 2 === 0 ? '/nowhere' : '/health')),
    );
    const ids = new Set(replies.map(({ headers }) => headers['x-request-id']));
    assert.equal(ids.size, replies.length);
  });

  test('a valid request id of the client is kept', async () => {
    const idOf = async (id: string) =>
      (await service.api.send('GET', '/health', { headers: { 'X-Request-Id': id } })).headers['x-request-id'];
    for (const id of ['a', 'A-b_c.d:9', 'x'.repeat(128)]) assert.equal(await idOf(id), id);
    for (const id of ['x'.repeat(129), 'a b', 'a"b', '{}', 'é']) assert.notEqual(await idOf(id), id);
  });

  test('an unknown expectation is answered with 417', async () => {
    const connection = await openRaw(service.target);
    connection.write(head('GET', '/health', 'Expect: a miracle'));
    assert.equal((await connection.reply()).status, 417);
    connection.destroy();
  });

  test('a request without Host is answered with 400', async () => {
    const connection = await openRaw(service.target);
    connection.write('GET /health HTTP/1.1\r\n\r\n');
    const reply = await connection.reply();
    assert.equal(reply.status, 400);
    assert.match(reply.text, /^\{"errors":\["/);
    assert.ok(reply.headers['x-request-id']);
    connection.destroy();
  });

  test('a head that is too large is answered with 431', async () => {
    const connection = await openRaw(service.target);
    connection.write(head('GET', '/health', `X-Large: ${'x'.repeat(100_000)}`));
    const reply = await connection.reply();
    assert.equal(reply.status, 431);
    connection.destroy();
  });

  test('in a query string, `+` and %20 are a space and %2B is a plus', async () => {
    const { api } = service;
    const drive = freshDrive(api);
    expectStatus(await api.send('POST', `${drive.root}/files?name=a+b%20c%2Bd`, { body: 'x' }), 201);
    expectJson(await drive.list(), 200, { names: ['a b c+d'] });
    expectStatus(await api.send('GET', `${drive.root}/files/download?name=a%20b+c%2Bd`), 200);
  });

  test('in a query string, `prefix` and `last` may be sent without percent-encoding', async () => {
    const { api } = service;
    const drive = freshDrive(api);
    const folder = "p/:@!$'()*,;={}[]|^~\\/";
    const names = ['1', '2', '3'].map((name) => folder + name);
    for (const name of [...names, '100%/a', 'a=b/c', 'x']) expectStatus(await drive.put(name, ''), 201);
    const list = (query: string) => api.send('GET', `${drive.root}/files?${query}`);
    expectJson(await list('prefix=100%/'), 200, { names: ['100%/a'] });
    expectJson(await list('prefix=a=b/'), 200, { names: ['a=b/c'] });
    expectJson(await list(`limit=5&prefix=${folder}&last=${names[0]}`), 200, { names: names.slice(1) });
  });

  test('in a query string, the first of several parameters of one name counts', async () => {
    const { api } = service;
    const drive = freshDrive(api);
    expectStatus(await api.send('POST', `${drive.root}/files?name=first&name=second`, { body: 'x' }), 201);
    expectJson(await drive.list(), 200, { names: ['first'] });
  });

  test('in a query string, unknown parameters are ignored', async () => {
    const { api } = service;
    const drive = freshDrive(api);
    expectStatus(await api.send('POST', `${drive.root}/files?other=1&name=f&x=%ff`, { body: 'x' }), 201);
    expectErrors(await api.send('POST', `${drive.root}/files?name=%ff`, { body: 'x' }), 400, /name/);
  });
});
