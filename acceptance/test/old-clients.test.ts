import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshName } from '../src/names.js';
import { expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

const mib = 1024 * 1024;

/** Requests as the other old clients send them, where they differ from those of a modern client. */
describe('the Python client, 1.2.0', { concurrency: true }, () => {
  const service = useService();

  /** The client writes the header like this, and closes the connection after every request to a drive. */
  function send(method: string, path: string, body?: string | Buffer, type?: string) {
    const headers = { 'X-Api-Key': service.target.key, Connection: 'close' };
    const options = { ...(body === undefined ? {} : { body }), ...(type === undefined ? {} : { type }) };
    return service.api.send(method, path, { key: null, headers, ...options });
  }
  const root = () => `/v1/${service.target.project}/${freshName('py')}`;
  const json = 'application/json';

  test('JSON with spaces and escaped non-ASCII characters (json.dumps) is accepted', async () => {
    const base = root();
    const put = await send(
      'PUT',
      `${base}/items`,
      '{"items": [{"key": "k\\u00e9\\ud83d\\ude42", "n": 1.0, "big": 1e+16, "none": null, "yes": true}]}',
      json,
    );
    expectStatus(put, 207);
    assert.equal(
      put.text,
      '{"processed":{"items":[{"key":"ké🙂","n":1.0,"big":1e+16,"none":null,"yes":true}]}}',
    );
    const got = await send('GET', `${base}/items/k%C3%A9%F0%9F%99%82`, undefined, json);
    assert.equal(got.text, '{"key":"ké🙂","n":1.0,"big":1e+16,"none":null,"yes":true}');
  });

  test('optional members may be null', async () => {
    const base = root();
    await send('PUT', `${base}/items`, '{"items": [{"key": "a", "n": 1}, {"key": "b", "n": 2}]}', json);
    const all = {
      paging: { size: 2 },
      items: [
        { key: 'a', n: 1 },
        { key: 'b', n: 2 },
      ],
    };
    expectJson(
      await send('POST', `${base}/query`, '{"limit": 1000, "last": null, "sort": null}', json),
      200,
      all,
    );
    expectJson(
      await send('POST', `${base}/query`, '{"query": null, "limit": null, "last": null}', json),
      200,
      all,
    );
    const one = '{"limit": 1, "last": null, "sort": "desc", "query": [{"n?gt": 0}]}';
    expectJson(await send('POST', `${base}/query`, one, json), 200, {
      paging: { size: 1, last: 'b' },
      items: [{ key: 'b', n: 2 }],
    });
  });

  test('an update may have all five members, most of them empty', async () => {
    const base = root();
    await send('PUT', `${base}/items`, '{"items": [{"key": "a b", "n": 1, "l": [1]}]}', json);
    const update = '{"set": {}, "increment": {"n": 1}, "append": {"l": [2]}, "prepend": {}, "delete": []}';
    const reply = await send('PATCH', `${base}/items/a%20b`, update, json);
    expectStatus(reply, 200);
    expectJson(await send('GET', `${base}/items/a%20b`), 200, { key: 'a b', n: 2, l: [1, 2] });
    expectStatus(await send('DELETE', `${base}/items/a%20b`, 'null', json), 200);
  });

  test('names in quote_plus and uploads whose parts alone have a content type are accepted', async () => {
    const drive = root();
    const name = 'my+folder%2Fa+%26+b%2B%C3%A9.txt';
    const started = await send('POST', `${drive}/uploads?name=${name}`);
    expectStatus(started, 202);
    const { upload_id: id, name: read } = started.json<{ upload_id: string; name: string }>();
    assert.equal(read, 'my folder/a & b+é.txt');
    const parts = [Buffer.alloc(10 * mib, 'p'), Buffer.from('the rest')];
    for (const [n, part] of parts.entries()) {
      expectStatus(
        await send(
          'POST',
          `${drive}/uploads/${id}/parts?name=${name}&part=${n + 1}`,
          part,
          'image/x-made-up',
        ),
        200,
      );
    }
    expectStatus(await send('PATCH', `${drive}/uploads/${id}?name=${name}`), 200);
    const file = await send('GET', `${drive}/files/download?name=${name}`);
    assert.ok(file.body.equals(Buffer.concat(parts)));
    assert.equal(file.headers['content-type'], 'image/x-made-up');
    expectJson(await send('GET', `${drive}/files?limit=1000`), 200, { names: [read] });
    expectJson(await send('GET', `${drive}/files?limit=1&prefix=my+folder/`), 200, { names: [read] });
    expectJson(await send('DELETE', `${drive}/files`, JSON.stringify({ names: [read] }), json), 200, {
      deleted: [read],
      failed: {},
    });
  });

  test('a file labelled application/json need not be JSON', async () => {
    const drive = root();
    const started = await send('POST', `${drive}/uploads?name=f`, 'null', json);
    const { upload_id: id } = started.json<{ upload_id: string }>();
    const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x7b]);
    expectStatus(await send('POST', `${drive}/uploads/${id}/parts?name=f&part=1`, bytes, json), 200);
    expectStatus(await send('PATCH', `${drive}/uploads/${id}?name=f`, 'null', json), 200);
    assert.ok((await send('GET', `${drive}/files/download?name=f`, undefined, json)).body.equals(bytes));
    expectStatus(await send('POST', `${drive}/files?name=g`, bytes, json), 201);
    assert.ok((await send('GET', `${drive}/files/download?name=g`)).body.equals(bytes));
  });

  test('an upload can be aborted after a part has failed', async () => {
    const drive = root();
    const started = await send('POST', `${drive}/uploads?name=f`);
    const { upload_id: id } = started.json<{ upload_id: string }>();
    expectStatus(await send('DELETE', `${drive}/uploads/${id}?name=f`), 200);
  });
});

describe('the Go client', { concurrency: true }, () => {
  const service = useService();
  const headers = { 'User-Agent': 'Go-http-client/1.1', 'Accept-Encoding': 'gzip' };
  const root = () => `/v1/${service.target.project}/${freshName('go')}`;
  const sortedQuery = (query: Record<string, string>) => new URLSearchParams(query).toString();

  test("parallel parts, whose content type and `+` for a space are the client's, are accepted", async () => {
    const { api } = service;
    const drive = root();
    const name = 'a dir/b c.bin';
    const started = await api.send('POST', `${drive}/uploads?${sortedQuery({ name })}`, {
      headers,
      body: '',
    });
    const { upload_id: id } = started.json<{ upload_id: string }>();
    const parts = [
      Buffer.alloc(5 * mib, '1'),
      Buffer.alloc(5 * mib, '2'),
      Buffer.alloc(5 * mib, '3'),
      Buffer.from('4'),
    ];
    const replies = await Promise.all(
      parts.map((body, n) => {
        const query = sortedQuery({ name, part: String(n + 1) });
        return api.send('POST', `${drive}/uploads/${id}/parts?${query}`, {
          headers,
          body,
          type: 'video/made-up',
        });
      }),
    );
    for (const reply of replies) expectStatus(reply, 200);
    expectStatus(
      await api.send('PATCH', `${drive}/uploads/${id}?${sortedQuery({ name })}`, { headers, body: '' }),
      200,
    );
    const file = await api.send('GET', `${drive}/files/download?${sortedQuery({ name })}`, { headers });
    assert.ok(file.body.equals(Buffer.concat(parts)));
    assert.equal(file.headers['content-type'], 'video/made-up');
    assert.equal(file.headers['content-encoding'], undefined);
  });

  test('a query may be null, and its members may be in any order', async () => {
    const { api } = service;
    const base = root();
    const send = (method: string, path: string, body: string) =>
      api.send(method, base + path, { headers, body, type: 'application/json' });
    expectStatus(await send('PUT', '/items', '{"items":[{"key":"k","n":1,"s":"\\u003ca\\u003e"}]}'), 207);
    expectJson(await send('POST', '/query', '{"query":null}'), 200, {
      paging: { size: 1 },
      items: [{ key: 'k', n: 1, s: '<a>' }],
    });
    const update = '{"set":{},"delete":["s"],"append":{},"prepend":{},"increment":{"n":1}}';
    expectJson(await send('PATCH', '/items/k', update), 200, { key: 'k', ...JSON.parse(update) });
    expectJson(await api.send('GET', `${base}/items/k`, { headers }), 200, { key: 'k', n: 2 });
  });
});
