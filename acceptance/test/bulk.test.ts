import assert from 'node:assert/strict';
import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { describe, test } from 'node:test';
import type { Reply } from '../src/api.js';
import { type Base, freshBase } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { openRaw } from './support/raw-connection.js';
import { useService } from './support/service.js';

const ndjson = 'application/x-ndjson';
const pastSeconds = 1;

interface Refusal {
  readonly line: number;
  readonly errors: readonly string[];
}

describe('items in bulk', { concurrency: true }, () => {
  const service = useService();
  const put = (base: Base, body: string | Buffer, type = ndjson) =>
    service.api.send('PUT', `${base.root}/items`, { body, type });
  const insert = (base: Base, body: string | Buffer) =>
    service.api.send('POST', `${base.root}/items`, { body, type: ndjson });
  const get = (base: Base, query = '') => service.api.send('GET', `${base.root}/items${query}`);

  /** The refused lines and the sums. */
  function read(reply: Reply): { refused: Refusal[]; sums: unknown } {
    expectStatus(reply, 200);
    assert.equal(reply.headers['content-type'], ndjson);
    assert.ok(reply.text.endsWith('\n'));
    const values = reply.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    return { sums: values.pop(), refused: values as Refusal[] };
  }

  const linesOf = (items: readonly object[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');

  test('items are stored, a line each, and come back in the order of their keys', async () => {
    const base = freshBase(service.api);
    const items = Array.from({ length: 3000 }, (_, n) => ({
      key: `k${String(n).padStart(5, '0')}`,
      n,
      s: 'é😀',
    }));
    const reply = await put(base, linesOf(items.toReversed()));
    assert.equal(reply.text, '{"stored":3000,"failed":0}\n');
    assert.equal(reply.headers['content-type'], ndjson);
    const all = await get(base);
    assert.equal(all.headers['content-type'], ndjson);
    assert.equal(all.text, linesOf(items));
    assert.equal((await get(base, '?prefix=k0001')).text, linesOf(items.slice(10, 20)));
    assert.equal((await get(base, '?prefix=nothing')).text, '');
    assert.equal((await get(base, '?last=k00014&prefix=k0001')).text, linesOf(items.slice(15, 20)));
    assert.equal((await get(base, '?last=k00014x&prefix=k0001')).text, linesOf(items.slice(15, 20)));
    assert.equal((await get(base, '?last=z')).text, '');
    expectJson(await base.get('k00007'), 200, items[7]);
  });

  test('numbers and attributes come back as they were sent', async () => {
    const base = freshBase(service.api);
    const line = '{"key":"k","b":1.0,"a":9007199254740993,"__proto__":{"x":1E2},"1":"\\u2028"}';
    assert.equal((await put(base, ` ${line.replaceAll(',', ' , ')} `)).text, '{"stored":1,"failed":0}\n');
    assert.equal((await get(base)).text, `${line.replace('\\u2028', '\u2028')}\n`);
  });

  test('an item without a key gets one', async () => {
    const base = freshBase(service.api);
    assert.equal((await put(base, '{"a":1}\n{"a":2}')).text, '{"stored":2,"failed":0}\n');
    const keys = (await get(base)).text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { key: string }).key);
    for (const key of keys) assert.match(key, /^[a-z0-9]{12}$/);
  });

  test('every bad line is reported with its number and what is wrong, and all good ones are stored', async () => {
    const base = freshBase(service.api);
    const lines = [
      '{"key":"a"}',
      'nothing',
      '',
      '{"key":""}',
      '  \t\r',
      '[1]',
      '{"key":7}',
      '{"key":"b","n":1e400}',
      '{"key":"b","":1}',
      '{"key":"b","__expires":"soon"}',
      `{"key":"b","text":"${'x'.repeat(400 * 1024)}"}`,
      '{"key":"b"}{"key":"c"}',
      `{"key":"b","text":"${'x'.repeat(2 * 1024 * 1024)}"}`,
      '{"key":"z"}\r',
    ];
    const { refused, sums } = read(await put(base, lines.join('\n')));
    const numbers = refused.map(({ line }) => line).sort((a, b) => a - b);
    assert.deepEqual(numbers, [2, 4, 6, 7, 8, 9, 10, 11, 12, 13]);
    assert.deepEqual(sums, { stored: 2, failed: 10 });
    const errors = new Map(refused.map(({ line, errors }) => [line, errors.join()]));
    assert.match(errors.get(2) ?? '', /^line: /);
    assert.match(errors.get(4) ?? '', /^item\.key: must not be empty/);
    assert.match(errors.get(6) ?? '', /^item: must be an object/);
    assert.match(errors.get(7) ?? '', /^item\.key: must be a string/);
    assert.match(errors.get(9) ?? '', /^item\.: |^item: |empty/);
    assert.match(errors.get(10) ?? '', /^item\.__expires: /);
    assert.match(errors.get(11) ?? '', /^item: has \d+ bytes/);
    assert.match(errors.get(13) ?? '', /^line: has more than 1228800 bytes/);
    assert.equal((await get(base)).text, '{"key":"a"}\n{"key":"z"}\n');
  });

  test('tiny refused lines are not answered with many times their size: those that are not reported are counted', async () => {
    const base = freshBase(service.api);
    const count = 30_000;
    const reply = await put(base, `${'{\n'.repeat(count)}{"key":"a"}`);
    const { refused, sums } = read(reply);
    const always = 10_000;
    assert.deepEqual(
      refused.slice(0, always).map(({ line }) => line),
      Array.from({ length: always }, (_, n) => n + 1),
    );
    assert.deepEqual(sums, { stored: 1, failed: count, unreported: count - refused.length });
    const longest = Math.max(...refused.map((line) => JSON.stringify(line).length)) + 1;
    assert.ok(reply.text.length <= Math.max(always * longest, 2 * count) + longest, `${reply.text.length}`);
  });

  test('refused lines of the size of usual items are all reported, however many they are', async () => {
    const base = freshBase(service.api);
    const line = (n: number) => `{"key":${n},"text":"${'x'.repeat(100)}"}\n`;
    const count = 20_000;
    const { refused, sums } = read(
      await put(base, Array.from({ length: count }, (_, n) => line(n)).join('')),
    );
    assert.deepEqual(
      refused.map(({ line }) => line),
      Array.from({ length: count }, (_, n) => n + 1),
    );
    assert.deepEqual(sums, { stored: 0, failed: count });
  });

  test('bytes that are not UTF-8 are a failed line', async () => {
    const base = freshBase(service.api);
    const body = Buffer.from('{"key":"a","s":"x"}\n{"key":"b"}\n');
    body[16] = 0xff;
    const { refused, sums } = read(await put(base, body));
    assert.deepEqual(
      refused.map(({ line }) => line),
      [1],
    );
    assert.deepEqual(sums, { stored: 1, failed: 1 });
  });

  test('a body without lines stores nothing', async () => {
    const base = freshBase(service.api);
    for (const body of ['', '\n', '\r\n\n  \n']) {
      assert.equal((await put(base, body)).text, '{"stored":0,"failed":0}\n');
    }
    assert.equal((await get(base)).text, '');
  });

  test('of several lines with one key the last one stays', async () => {
    const base = freshBase(service.api);
    assert.equal(
      (await put(base, '{"key":"a","n":1}\n{"key":"b"}\n{"key":"a","n":2}')).text,
      '{"stored":3,"failed":0}\n',
    );
    assert.equal((await get(base)).text, '{"key":"a","n":2}\n{"key":"b"}\n');
  });

  test('inserted lines whose key exists fail, in the base or on an earlier line', async () => {
    const base = freshBase(service.api);
    expectStatus(await base.put({ key: 'old', n: 1 }, { key: 'gone', __expires: pastSeconds }), 207);
    const body = ['{"key":"new"}', '{"key":"old"}', '{"key":"new","n":2}', '{"key":"gone","n":3}', '[]'].join(
      '\n',
    );
    const { refused, sums } = read(await insert(base, body));
    assert.deepEqual(
      refused.sort((a, b) => a.line - b.line),
      [
        { line: 2, errors: ['Key already exists'], codes: [{ code: 'item_exists' }] },
        { line: 3, errors: ['Key already exists'], codes: [{ code: 'item_exists' }] },
        { line: 5, errors: ['item: must be an object'], codes: [{ code: 'wrong_type', path: 'item' }] },
      ],
    );
    assert.deepEqual(sums, { stored: 2, failed: 3 });
    assert.equal((await get(base)).text, '{"key":"gone","n":3}\n{"key":"new"}\n{"key":"old","n":1}\n');
  });

  test('expired items are not exported', async () => {
    const base = freshBase(service.api);
    await put(base, `{"key":"a","__expires":${pastSeconds}}\n{"key":"b","__expires":99999999999}`);
    assert.equal((await get(base)).text, '{"key":"b","__expires":99999999999}\n');
  });

  test('HEAD of the items has the headers of GET and no body', async () => {
    const base = freshBase(service.api);
    await put(base, '{"key":"a"}');
    const head = await service.api.send('HEAD', `${base.root}/items`);
    expectStatus(head, 200);
    assert.equal(head.headers['content-type'], ndjson);
    assert.equal(head.text, '');
  });

  test('a bad prefix is answered with 400, a missing key with 401, another type with 415', async () => {
    const base = freshBase(service.api);
    expectErrors(await get(base, '?prefix=a%00b'), 400, /^prefix: /);
    expectErrors(await get(base, `?prefix=${'x'.repeat(1025)}`), 400, /^prefix: /);
    expectStatus(await service.api.send('GET', `${base.root}/items`, { key: null }), 401);
    expectStatus(
      await service.api.send('PUT', `${base.root}/items`, { body: '{}', type: ndjson, key: null }),
      401,
    );
    expectErrors(await put(base, '{"key":"a"}', 'application/ndjson'), 415, /^Content-Type: /);
    assert.equal(
      (await put(base, '{"key":"a"}', `${ndjson}; charset=utf-8`)).text,
      '{"stored":1,"failed":0}\n',
    );
  });

  test('refused lines are reported while the request is still being sent', async () => {
    const base = freshBase(service.api);
    const { url, key } = service.target;
    const open = url.protocol === 'https:' ? secureRequest : request;
    const outgoing = open(new URL(`${url.origin}${base.root}/items`), {
      method: 'PUT',
      headers: { 'X-API-Key': key, 'Content-Type': ndjson },
    });
    outgoing.write('{"key":"a"}\nbad\n');
    const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      outgoing.on('response', resolve).on('error', reject);
    });
    const iterator = response.iterator({ destroyOnReturn: false });
    const first = String((await iterator.next()).value);
    assert.equal((JSON.parse(first) as Refusal).line, 2);
    // What came before is stored, although the request goes on.
    while ((await base.get('a')).status !== 200) await new Promise(setImmediate);
    outgoing.end('{"key":"b"}');
    let rest = '';
    for await (const chunk of iterator) rest += String(chunk);
    assert.equal(rest, '{"stored":2,"failed":1}\n');
  });

  test('a client that sends everything before it reads anything is answered, whatever is refused', async () => {
    const base = freshBase(service.api);
    const count = 80_000;
    const body = `${'[1]\n'.repeat(count)}{"key":"a"}`;
    const raw = await openRaw(service.target, { paused: true });
    const head = [
      `PUT ${base.root}/items HTTP/1.1`,
      `Host: ${service.target.url.host}`,
      `X-API-Key: ${service.target.key}`,
      `Content-Type: ${ndjson}`,
      `Content-Length: ${body.length}`,
    ];
    raw.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    // The last line was stored, although the client has not read more than the beginning.
    while ((await base.get('a')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
    raw.resume();
    const { text } = await raw.reply();
    const refused = text.match(/"line":/g)?.length ?? 0;
    const sums = /\{"stored":1,"failed":(\d+)(?:,"unreported":(\d+))?\}/.exec(text);
    assert.ok(sums, text.slice(-200));
    assert.equal(Number(sums[1]), count);
    assert.equal(refused + Number(sums[2] ?? 0), count);
    raw.destroy();
  });

  test('a connection that is cut leaves what was stored, and sending all again is harmless', async () => {
    const base = freshBase(service.api);
    const body = linesOf(Array.from({ length: 2000 }, (_, n) => ({ key: `k${n}`, n })));
    const raw = await openRaw(service.target);
    const head = [
      `PUT ${base.root}/items HTTP/1.1`,
      `Host: ${service.target.url.host}`,
      `X-API-Key: ${service.target.key}`,
      `Content-Type: ${ndjson}`,
      'Content-Length: 10000000',
    ];
    raw.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    while ((await base.get('k0')).status !== 200) await new Promise(setImmediate);
    raw.destroy();
    const kept = (await get(base)).text.split('\n').length - 1;
    assert.ok(kept > 0 && kept <= 2000, `${kept} items`);
    assert.equal((await put(base, body)).text, '{"stored":2000,"failed":0}\n');
    assert.equal((await get(base)).text.split('\n').length - 1, 2000);
  });

  test('requests on the same connection follow an import and an export', async () => {
    const base = freshBase(service.api);
    const raw = await openRaw(service.target);
    const { host } = service.target.url;
    const send = (method: string, path: string, body = '') =>
      raw.write(
        [
          `${method} ${base.root}${path} HTTP/1.1`,
          `Host: ${host}`,
          `X-API-Key: ${service.target.key}`,
          ...(body === '' ? [] : [`Content-Type: ${ndjson}`, `Content-Length: ${body.length}`]),
          '',
          body,
        ].join('\r\n'),
      );
    send('PUT', '/items', '{"key":"a"}\n{"key":"b"}\n');
    const stored = await raw.reply();
    assert.equal(stored.status, 200);
    assert.match(stored.text, /\{"stored":2,"failed":0\}\n/);
    for (let n = 0; n < 3; n++) {
      send('GET', '/items');
      assert.match((await raw.reply()).text, /\{"key":"a"\}\n\{"key":"b"\}\n/);
      send('GET', '/items/a');
      assert.equal((await raw.reply()).text, '{"key":"a"}');
    }
    raw.destroy();
  });

  test('an export gives every item that lives throughout, while others write', async () => {
    const base = freshBase(service.api);
    const items = Array.from({ length: 5000 }, (_, n) => ({
      key: `k${String(n).padStart(5, '0')}`,
      text: 'x'.repeat(300),
    }));
    await put(base, linesOf(items));
    let isOver = false;
    const write = async () => {
      for (let n = 0; !isOver; n++) {
        await base.put({ key: `k${String(n % 5000).padStart(5, '0')}-new` });
        await service.api.send(
          'DELETE',
          `${base.root}/items/k${String((n * 7) % 5000).padStart(5, '0')}-new`,
        );
      }
    };
    const writing = write();
    const keys = (await get(base)).text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { key: string }).key);
    isOver = true;
    await writing;
    assert.deepEqual(
      keys.filter((key) => !key.endsWith('-new')),
      items.map(({ key }) => key),
    );
    assert.deepEqual(keys, keys.toSorted());
  });
});
