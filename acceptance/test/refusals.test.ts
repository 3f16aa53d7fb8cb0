import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshBase, freshDrive, freshName } from '../src/names.js';
import { expectJson, expectStatus } from './support/expect.js';
import { openRaw, type RawReply } from './support/raw-connection.js';
import { describeOverBoth } from './support/service.js';

/** Bytes that are not HTTP or whose end is ambiguous, and the requests before and after them on the same connection. */
describeOverBoth('refused requests', (service) => {
  const head = (method: string, path: string, ...headers: string[]) =>
    `${[`${method} ${path} HTTP/1.1`, 'Host: x', `X-API-Key: ${service.target.key}`, ...headers].join('\r\n')}\r\n\r\n`;

  function put(root: string, key: string): string {
    const body = JSON.stringify({ items: [{ key }] });
    const type = 'Content-Type: application/json';
    return head('PUT', `${root}/items`, type, `Content-Length: ${body.length}`) + body;
  }

  /** All answers until the server closes the connection. */
  async function answers(bytes: string): Promise<RawReply[]> {
    const connection = await openRaw(service.target);
    connection.write(bytes);
    await connection.closed;
    const replies: RawReply[] = [];
    for (;;) {
      const reply = await connection.reply().catch(() => undefined);
      if (reply === undefined) break;
      assert.match(reply.headers['x-request-id'] ?? '', /^\S+$/);
      replies.push(reply);
    }
    return replies;
  }

  test('requests before a refused one are answered in their order', async () => {
    const base = freshBase(service.api);
    const replies = await answers(
      `${put(base.root, 'a')}${head('GET', `${base.root}/items/b`)}${put(base.root, 'c')}rubbish\r\n\r\n`,
    );
    assert.deepEqual(
      replies.map(({ status, text }) => [status, text]),
      [
        [207, '{"processed":{"items":[{"key":"a"}]}}'],
        [404, '{"key":"b"}'],
        [207, '{"processed":{"items":[{"key":"c"}]}}'],
        [400, '{"errors":["The request is not HTTP"],"codes":[{"code":"invalid_request"}]}'],
      ],
    );
  });

  test('a refusal does not corrupt a download in progress', async () => {
    const drive = freshDrive(service.api);
    const bytes = Buffer.alloc(9 * 1024 * 1024, 'd');
    await drive.put('f', bytes);
    const connection = await openRaw(service.target, { paused: true });
    connection.write(`${head('GET', `${drive.root}/files/download?name=f`)}rubbish\r\n\r\n`);
    await connection.answerStarted();
    connection.resume();
    assert.ok((await connection.reply()).body.equals(bytes));
    assert.equal((await connection.reply()).status, 400);
    await connection.closed;
  });

  test('a request whose body is malformed has one answer', async () => {
    const chunks = 'Transfer-Encoding: chunked';
    assert.deepEqual(
      (await answers(`${head('POST', '/health', chunks)}no size\r\n`)).map(({ status }) => status),
      [405],
    );
    const base = freshBase(service.api);
    const json = 'Content-Type: application/json';
    const replies = await answers(
      `${put(base.root, 'a')}${head('PUT', `${base.root}/items`, json, chunks)}no size\r\n`,
    );
    assert.deepEqual(
      replies.map(({ status }) => status),
      [207, 400],
    );
  });

  for (const framing of [
    'Transfer-Encoding: ',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: ',
    'Content-Length: 5\r\nTransfer-Encoding: chunked',
    'Content-Length: 5\r\nContent-Length: 6',
    'Content-Length: +5',
    'Content-Length : 5',
    'Content-Length: 5\t',
  ]) {
    test(`no request after one with ambiguous framing is processed: ${JSON.stringify(framing)}`, async () => {
      const base = freshBase(service.api);
      for (const between of ['', '0\r\n\r\n', 'hello']) {
        const bytes = head('POST', `${base.root}/items`, framing) + between + put(base.root, 'hidden');
        const replies = await answers(bytes);
        assert.ok(
          replies.length <= 1 && replies.every(({ status }) => status === 400 || status === 415),
          JSON.stringify(replies.map(({ status }) => status)),
        );
      }
      expectJson(await base.query({}), 200, { paging: { size: 0 }, items: [] });
    });
  }

  for (const [name, version, more, error] of [
    ['of HTTP/1.0 in chunks', '1.0', ['Transfer-Encoding: chunked'], 'Transfer-Encoding: HTTP/1.0 has none'],
    ['of HTTP/0.9 with a head', '0.9', [], 'The request is not HTTP'],
    ['of HTTP/2.0 in the form of HTTP/1.1', '2.0', [], 'The request is not HTTP'],
  ] as const) {
    test(`a request ${name} is refused, and no other one after it is processed`, async () => {
      const base = freshBase(service.api);
      const body = JSON.stringify({ items: [{ key: 'first' }] });
      const isChunked = more.length > 0;
      const fields = isChunked ? more : [`Content-Length: ${body.length}`];
      const json = 'Content-Type: application/json';
      const request = head('PUT', `${base.root}/items`, json, 'Connection: keep-alive', ...fields).replace(
        'HTTP/1.1',
        `HTTP/${version}`,
      );
      const sent = isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
      const [reply, ...others] = await answers(request + sent + put(base.root, 'hidden'));
      assert.deepEqual([reply?.status, others.length], [400, 0]);
      assert.deepEqual(JSON.parse(reply?.text ?? '').errors, [error]);
      expectJson(await base.query({}), 200, { paging: { size: 0 }, items: [] });
    });
  }

  test('a request without Host is answered with 400, and the connection stays open', async () => {
    const connection = await openRaw(service.target);
    connection.write('GET /health HTTP/1.1\r\n\r\n');
    const reply = await connection.reply();
    assert.equal(reply.status, 400);
    assert.match(reply.text, /Host/);
    assert.match(reply.headers['x-request-id'] ?? '', /^\S+$/);
    connection.write(head('GET', '/health'));
    assert.equal((await connection.reply()).status, 200);
    connection.destroy();
  });

  for (const [name, hosts] of [
    ['two Host fields', 'Host: x\r\nHost: x'],
    ['two Host fields that differ', 'Host: x\r\nHost: y'],
    ['a second Host after 2500 other fields', `Host: x\r\n${'a: b\r\n'.repeat(2500)}Host: y`],
    ['an empty Host', 'Host:'],
    ['a Host of white space', 'Host:  \t '],
    ['a Host with a space', 'Host: a b'],
    ['a Host with a path', 'Host: a/b'],
    ['a Host with a user', 'Host: user@a'],
    ['a Host that is too long', `Host: ${'a'.repeat(261)}`],
    ['a Host with a list', 'Host: a, b'],
  ] as const) {
    test(`${name} is answered with 400, and the connection stays open`, async () => {
      // As the first bytes of a connection, and on one that Node's parser has.
      for (const before of ['', head('HEAD', '/health')]) {
        const connection = await openRaw(service.target);
        if (before !== '') {
          connection.write(before);
          assert.equal((await connection.reply('HEAD')).status, 200);
        }
        connection.write(`GET /health HTTP/1.1\r\n${hosts}\r\n\r\n`);
        const reply = await connection.reply();
        assert.equal(reply.status, 400);
        assert.match(reply.text, /^\{"errors":\["Host: /);
        connection.write(head('GET', '/health'));
        assert.equal((await connection.reply()).status, 200);
        connection.destroy();
      }
    });
  }

  test('every form of Host that RFC 9110 allows is accepted', async () => {
    for (const host of [
      'a',
      'a'.repeat(260),
      'a:80',
      'a.example.',
      '127.0.0.1:8080',
      '[::1]',
      '[::1]:80',
      'a_b',
      'a%20b',
    ]) {
      const connection = await openRaw(service.target);
      connection.write(`GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      assert.equal((await connection.reply()).status, 200, host);
      connection.destroy();
    }
  });

  test('a target with a fragment is answered with 400', async () => {
    const base = freshBase(service.api);
    expectStatus(await base.put({ key: 'k' }), 207);
    for (const target of [`${base.root}/items/k#there`, `${base.root}/items/k?a=b#there`, '/health#', '#']) {
      const reply = (
        await answers(`${head('GET', target).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}`)
      )[0];
      assert.equal(reply?.status, 400, target);
    }
  });

  test('an unknown expectation is answered with 417 and closes the connection', async () => {
    const replies = await answers(head('GET', '/health', 'Expect: miracles'));
    assert.deepEqual(
      replies.map(({ status }) => status),
      [417],
    );
  });

  const lastAnswers: Readonly<Record<string, { request: (root: string) => string; status: number }>> = {
    'an unknown expectation': { request: () => head('GET', '/health', 'Expect: miracles'), status: 417 },
    'one more expectation': {
      request: () => head('GET', '/health', 'Expect: 100-continue, miracles'),
      status: 417,
    },
    'an empty expectation': { request: () => head('GET', '/health', 'Expect:'), status: 417 },
    'a body that did not wait': {
      request: (root) =>
        `${head('PUT', `${root}/items`, 'Content-Length: 9', 'Expect: 100-continue')}{"items":`,
      status: 415,
    },
    'an upgrade': {
      request: () => head('GET', '/health', 'Connection: Upgrade', 'Upgrade: websocket'),
      status: 200,
    },
    'Connection: close': { request: () => head('GET', '/health', 'Connection: close'), status: 200 },
    'Connection: close and a tab': {
      request: () => head('GET', '/health', 'Connection: close\t'),
      status: 200,
    },
    'HTTP/1.0': { request: () => head('GET', '/health').replace('HTTP/1.1', 'HTTP/1.0'), status: 200 },
  };
  for (const [name, { request, status }] of Object.entries(lastAnswers)) {
    test(`nothing follows the answer to ${name}, which closes the connection`, async () => {
      const base = freshBase(service.api);
      for (const behind of ['', 'rubbish', 'rubbish\r\n\r\n', 'GET /', put(base.root, 'hidden')]) {
        const replies = await answers(request(base.root) + behind);
        assert.deepEqual(
          replies.map((reply) => [reply.status, reply.headers.connection]),
          [[status, 'close']],
          behind,
        );
      }
      expectJson(await base.query({}), 200, { paging: { size: 0 }, items: [] });
    });
  }

  test('a protocol upgrade is ignored: the request is answered, and the connection is closed', async () => {
    const upgrade = head('GET', '/health', 'Connection: Upgrade', 'Upgrade: websocket');
    const replies = await answers(upgrade + put(`/v1/${service.target.project}/${freshName('u')}`, 'a'));
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200],
    );
  });

  test('CONNECT is answered with 405, after the answers to earlier requests', async () => {
    const base = freshBase(service.api);
    const replies = await answers(`${put(base.root, 'a')}CONNECT elsewhere:80 HTTP/1.1\r\nHost: x\r\n\r\n`);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [207, 405],
    );
    assert.match(replies[1]?.headers.allow ?? '', /GET/);
    expectStatus(await base.get('a'), 200);
  });

  test('a method that nobody has registered is answered as any other that a path does not have', async () => {
    const { root } = freshBase(service.api);
    for (const method of ['FOO', 'get', 'PATCHES', 'constructor', '__proto__', 'X-1']) {
      const replies = await answers(`${put(root, 'a')}${head(method, `${root}/items/a?x=1`)}`);
      const [stored, refused] = replies;
      assert.equal(replies.length, 2, method);
      assert.equal(stored?.status, 207, method);
      assert.equal(refused?.status, 405, method);
      assert.equal(refused.headers.allow, 'GET, PATCH, DELETE, HEAD, OPTIONS');
      assert.equal(refused.text, '{"errors":["Method not allowed"],"codes":[{"code":"method_not_allowed"}]}');
    }
    const statusOf = async (bytes: string) => (await answers(bytes)).map(({ status }) => status);
    assert.deepEqual(await statusOf(head('FOO', '/nowhere')), [404]);
    assert.deepEqual(await statusOf(head('FOO', `${root}/items/%ff`)), [400]);
    assert.deepEqual(await statusOf('FOO /health\r\n\r\n'), [400]);
    assert.deepEqual(await statusOf('F(O /health HTTP/1.1\r\nHost: x\r\n\r\n'), [400]);
  });
});
