import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshName } from '../src/names.js';
import { openRaw, type RawConnection, type RawReply } from './support/raw-connection.js';
import { describeOverBoth } from './support/service.js';

/** The headers that differ between two answers to the same request. */
const varying = new Set(['date', 'x-request-id', 'etag', 'last-modified']);

describeOverBoth('the division of a request into packets does not change its answer', (service) => {
  const base = freshName('cut');

  function request(method: string, path: string, body?: string, ...headers: string[]): string {
    const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
    const lines = [
      `${method} /v1/${service.target.project}/${path} HTTP/1.1`,
      'Host: x',
      ...headers,
      ...length,
    ];
    return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
  }

  const requests = (): string[] => {
    const key = `X-API-Key: ${service.target.key}`;
    const json = 'Content-Type: application/json';
    return [
      request('PUT', `${base}/items`, '{"items":[{"key":"a","n":1,"text":"é€😀"}]}', key, json),
      request('GET', `${base}/items/a`, undefined, key),
      request('GET', `${base}/items/none`, undefined, key),
      request('HEAD', `${base}/items/a`, undefined, key),
      request('PATCH', `${base}/items/a`, '{"set":{"n":2}}', key, json),
      request('POST', `${base}/items`, '{"item":{"key":"a"}}', key, json),
      request('POST', `${base}/query`, '{"query":[{"n":2}]}', key, json),
      request('POST', `${base}/query`, '{"query":', key, json),
      request('PUT', `${base}/items`, '{}', key, 'Content-Type: text/plain'),
      request('DELETE', `${base}/items/b`, undefined, key),
      request('GET', `${base}/items/a`, undefined, 'X-API-Key: wrong'),
      request('GET', `${base}/items/a`),
      request('GET', `${base}/items/%zz`, undefined, key),
      request('POST', `${base}/nowhere`, '{}', key, json),
      request('DELETE', `${base}/query`, undefined, key),
      request('OPTIONS', `${base}/items`, undefined, 'Origin: https://a.example'),
      request('POST', `${base}/files?name=f.txt`, 'some text of a file', key),
      request('GET', `${base}/files/download?name=f.txt`, undefined, key),
      request('GET', `${base}/files/download?name=f.txt`, undefined, key, 'Range: bytes=5-8'),
      request('GET', `${base}/files/download?name=f.txt`, undefined, key, 'Range: bytes=0-1,5-8'),
      request('GET', `${base}/files/download?name=f.txt`, undefined, key, 'Range: bytes=99-'),
      request(
        'GET',
        `${base}/files/download?name=f.txt`,
        undefined,
        key,
        'If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT',
      ),
      request('GET', `${base}/files`, undefined, key),
      request('DELETE', `${base}/files`, '{"names":["f.txt"]}', key, json),
    ];
  };

  function essence({ status, headers, text }: RawReply) {
    // Every multipart body has a boundary of its own.
    const boundary = /boundary=(\S+)/.exec(headers['content-type'] ?? '')?.[1];
    const fixed = (value: string) =>
      boundary === undefined ? value : value.replaceAll(boundary, 'boundary');
    const kept = Object.entries(headers).filter(([name]) => !varying.has(name));
    return { status, headers: kept.map(([name, value]) => [name, fixed(value)]), text: fixed(text) };
  }

  async function answers(send: (connection: RawConnection, bytes: Buffer) => Promise<void>) {
    const found = [];
    for (const text of requests()) {
      // A connection with a divided request stays with Node's HTTP parser, so every request has a connection of its own.
      const connection = await openRaw(service.target);
      await send(connection, Buffer.from(text));
      found.push(essence(await connection.reply(text.startsWith('HEAD') ? 'HEAD' : undefined)));
      connection.destroy();
    }
    return found;
  }

  const moment = () => new Promise((resolve) => setTimeout(resolve, 3));

  test('a request has the same answer whole, in two pieces, after another one and before another one', async () => {
    const whole = await answers(async (connection, bytes) => connection.write(bytes));
    for (const share of [0, 0.3, 0.9, 1]) {
      const cut = await answers(async (connection, bytes) => {
        const at = Math.min(Math.max(1, Math.round(bytes.length * share)), bytes.length - 1);
        connection.write(bytes.subarray(0, at));
        await moment();
        connection.write(bytes.subarray(at));
      });
      assert.deepEqual(cut, whole);
    }
    const other = Buffer.from(request('GET', `${base}/items/other`, undefined, 'X-API-Key: wrong'));
    const after = await answers(async (connection, bytes) => {
      connection.write(other);
      assert.equal((await connection.reply()).status, 401);
      connection.write(bytes);
    });
    assert.deepEqual(after, whole);
    const before = await answers(async (connection, bytes) =>
      connection.write(Buffer.concat([bytes, other])),
    );
    assert.deepEqual(before, whole);
  });

  test('requests that arrive while another is processed are answered after it', async () => {
    const connection = await openRaw(service.target);
    const key = `X-API-Key: ${service.target.key}`;
    const name = freshName('order');
    const count = 50;
    for (let n = 0; n < count; n++) {
      const items = `{"items":[{"key":"k${n}"}]}`;
      connection.write(request('PUT', `${name}/items`, items, key, 'Content-Type: application/json'));
      await new Promise((resolve) => setImmediate(resolve));
      connection.write(request('GET', `${name}/items/none${n}`, undefined, key));
      if (n % 5 === 0) await moment();
    }
    for (let n = 0; n < count; n++) {
      assert.equal((await connection.reply()).text, `{"processed":{"items":[{"key":"k${n}"}]}}`);
      assert.equal((await connection.reply()).text, `{"key":"none${n}"}`);
    }
    connection.destroy();
  });

  test('a client that ends its side gets its answer', async () => {
    const connection = await openRaw(service.target);
    const key = `X-API-Key: ${service.target.key}`;
    connection.write(
      request(
        'PUT',
        `${freshName('end')}/items`,
        '{"items":[{"key":"k"}]}',
        key,
        'Content-Type: application/json',
      ),
    );
    connection.end();
    assert.equal((await connection.reply()).status, 207);
    await connection.closed;
  });

  test('a client that reads late gets every answer in order', async () => {
    const key = `X-API-Key: ${service.target.key}`;
    const json = 'Content-Type: application/json';
    const name = freshName('slow');
    const filler = await openRaw(service.target);
    const pad = 'x'.repeat(300_000);
    for (let n = 0; n < 3; n++) {
      filler.write(request('PUT', `${name}/items`, `{"items":[{"key":"k${n}","pad":"${pad}"}]}`, key, json));
      assert.equal((await filler.reply()).status, 207);
    }
    filler.destroy();
    const connection = await openRaw(service.target, { paused: true });
    const count = 30;
    for (let n = 0; n < count; n++) {
      connection.write(request('POST', `${name}/query`, '{}', key, json));
      connection.write(request('GET', `${name}/items/none${n}`, undefined, key));
      await moment();
    }
    connection.resume();
    for (let n = 0; n < count; n++) {
      assert.ok((await connection.reply()).body.length > 900_000);
      assert.equal((await connection.reply()).text, `{"key":"none${n}"}`);
    }
    connection.destroy();
  });
});
