import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { unlimitedGrant } from '../../src/access/grant.js';
import { driveOperations } from '../../src/drive/operations.js';
import { createListener } from '../../src/http/listener.js';
import { createValueBudget } from '../../src/http/memory/budgets.js';
import { listed } from '../../src/http/routing/operation-groups.js';
import { createRouter } from '../../src/http/routing/router.js';
import { patterned } from '../conformance/blob-store-suite.js';
import { type DriveFixture, largeBytes, minPartBytes, openDriveFixture } from '../support/drive-fixture.js';

const maxBytes = 10 * 1024 * 1024;
const tooLargePage = '<h1>413 - Request Entity Too Large</h1>';

describe('file API over HTTP', () => {
  let fixture: DriveFixture;
  let server: Server;
  let origin: string;
  let port: number;
  const failures: unknown[] = [];

  before(async () => {
    fixture = await openDriveFixture();
    const listener = createListener({
      router: createRouter(listed(driveOperations), { drives: fixture.service }),
      authenticate: (key) => unlimitedGrant('id', key?.split('_')[0] ?? ''),
      corsOrigins: '*',
      idleTimeoutMs: 65_000,
      maxRequestsInFlight: 1000,
      maxBufferedBytes: 64 * 1024 * 1024,
      clock: Date.now,
      values: createValueBudget(64 * 1024 * 1024),
      log: { info: () => {}, error: (fields) => failures.push(fields) },
    });
    server = createServer(listener.onRequest).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    origin = `http://127.0.0.1:${port}/v1/demo/photos`;
  });
  after(async () => {
    server.close();
    server.closeAllConnections();
    await fixture.close();
    assert.deepEqual(failures, []);
  });

  interface Request {
    readonly method?: string;
    readonly body?: Buffer | string;
    readonly headers?: Record<string, string>;
  }

  function call(path: string, { method = 'GET', body, headers = {} }: Request = {}) {
    const init = { method, headers: { 'X-API-Key': 'demo_secret', ...headers } };
    return fetch(origin + path, body === undefined ? init : { ...init, body: body as string });
  }
  async function json(path: string, request?: Request) {
    const response = await call(path, request);
    return { status: response.status, body: (await response.json()) as unknown };
  }
  async function errorOf(path: string, request?: Request) {
    const { status, body } = await json(path, request);
    const { errors } = body as { errors: string[] };
    assert.ok(Array.isArray(errors) && errors.length > 0 && errors.every((m) => typeof m === 'string'));
    return { status, message: errors[0] ?? '' };
  }
  const put = (name: string, body: Buffer | string, headers = {}) =>
    json(`/files?name=${encodeURIComponent(name)}`, { method: 'POST', body, headers });
  const download = (name: string, headers = {}, method = 'GET') =>
    call(`/files/download?name=${encodeURIComponent(name)}`, { headers, method });
  async function bytesOf(response: Response) {
    return Buffer.from(await response.arrayBuffer());
  }

  test('Put File answers 201 with the three names, and Download File gives type, length and bytes', async () => {
    for (const size of [0, 5, 100_000, largeBytes]) {
      const bytes = patterned(size, 1);
      const name = `dir/größe ${size}.png`;
      const answer = await put(name, bytes);
      assert.deepEqual(answer, { status: 201, body: { name, project_id: 'demo', drive_name: 'photos' } });
      const response = await download(name);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('accept-ranges'), 'bytes');
      assert.equal(response.headers.get('cache-control'), 'private, no-cache');
      assert.equal(response.headers.get('content-type'), 'image/png');
      assert.equal(response.headers.get('content-length'), String(size));
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      assert.match(response.headers.get('etag') ?? '', /^"[0-9a-f]+"$/);
      assert.ok(Date.parse(response.headers.get('last-modified') ?? ''));
      assert.ok((await bytesOf(response)).equals(bytes));
    }
  });

  test('the content type is the header, else derived from the name, else octet-stream', async () => {
    await put('typed.png', Buffer.from('x'), { 'Content-Type': 'text/x; charset=a' });
    await put('png', Buffer.from('x'));
    await put('page.HTML', Buffer.from('x'));
    const type = async (name: string) => (await download(name)).headers.get('content-type');
    assert.equal(await type('typed.png'), 'text/x; charset=a');
    assert.equal(await type('png'), 'application/octet-stream');
    assert.equal(await type('page.HTML'), 'text/html');
  });

  test('exactly 10 MiB are stored; one byte more is answered with a page and not stored, its length known or not', async () => {
    assert.equal((await put('limit', patterned(maxBytes, 1))).status, 201);
    assert.equal((await bytesOf(await download('limit'))).length, maxBytes);
    const oversize = patterned(maxBytes + 1, 1);
    const known = await call('/files?name=over', { method: 'POST', body: oversize });
    async function* chunks() {
      yield oversize.subarray(0, 1_000_000);
      yield oversize.subarray(1_000_000);
    }
    const unknown = await fetch(`${origin}/files?name=over`, {
      method: 'POST',
      headers: { 'X-API-Key': 'demo_secret' },
      body: ReadableStream.from(chunks()),
      duplex: 'half',
    } as RequestInit);
    for (const response of [known, unknown]) {
      assert.equal(response.status, 413);
      assert.equal(response.headers.get('content-type'), 'text/html');
      assert.equal(await response.text(), tooLargePage);
    }
    assert.equal((await download('over')).status, 404);
    await json('/files', {
      method: 'DELETE',
      body: '{"names":["limit"]}',
      headers: { 'Content-Type': 'application/json' },
    });
  });

  test('every operation that takes a name refuses a bad one', async () => {
    const uploads = `/uploads/${'0'.repeat(32)}`;
    const routes = [
      ['POST', '/files'],
      ['GET', '/files/download'],
      ['POST', '/uploads'],
      ['PATCH', uploads],
      ['DELETE', uploads],
      ['POST', `${uploads}/parts`],
    ] as const;
    const bad = ['', '?name=', '?name=+', '?name=a/', '?name=%00', '?name=%C3', `?name=${'a'.repeat(1025)}`];
    for (const [method, path] of routes) {
      for (const query of bad) {
        const { status, message } = await errorOf(path + query, { method });
        assert.equal(status, 400, `${method} ${path}${query}`);
        assert.match(message, /^name: /);
      }
    }
  });

  test('names that look like paths are ordinary names', async () => {
    const names = [
      '..',
      '../../etc/passwd',
      'a\\b',
      '/leading',
      'a//b',
      '%2F',
      'a b+c',
      '\u{1f600}',
      'é'.repeat(512),
    ];
    for (const name of names) {
      assert.equal((await put(name, name)).status, 201);
      assert.equal(await (await download(name)).text(), name);
    }
  });

  test('a missing file and an unknown upload are answered with 404, a bad part with 400', async () => {
    const id = '0'.repeat(32);
    assert.deepEqual(await errorOf('/files/download?name=none'), { status: 404, message: 'File not found' });
    for (const uploadId of [id, 'never', '%00', 'a'.repeat(500)]) {
      assert.equal((await errorOf(`/uploads/${uploadId}?name=a`, { method: 'PATCH' })).status, 404);
      assert.equal((await errorOf(`/uploads/${uploadId}?name=a`, { method: 'DELETE' })).status, 404);
      const part = `/uploads/${uploadId}/parts?name=a&part=1`;
      assert.equal((await errorOf(part, { method: 'POST', body: 'x' })).status, 404);
    }
    for (const part of [
      '',
      '&part=',
      '&part=0',
      '&part=-1',
      '&part=1.5',
      '&part=10001',
      '&part=x',
      '&part=1e3',
    ]) {
      const { status, message } = await errorOf(`/uploads/${id}/parts?name=a${part}`, { method: 'POST' });
      assert.deepEqual([status, /^part: /.test(message)], [400, true]);
    }
  });

  test('a chunked upload can be ended, and another one aborted', async () => {
    const owners = { project_id: 'demo', drive_name: 'photos' };
    const begin = async () => {
      const { status, body } = await json('/uploads?name=big+file', { method: 'POST' });
      assert.equal(status, 202);
      const { upload_id, ...rest } = body as { upload_id: string };
      assert.deepEqual(rest, { name: 'big file', ...owners });
      return upload_id;
    };
    const id = await begin();
    const parts = [patterned(minPartBytes, 1), patterned(10, 2)];
    for (const [n, body] of parts.entries()) {
      const path = `/uploads/${id}/parts?name=big%20file&part=${n + 1}`;
      assert.deepEqual(await json(path, { method: 'POST', body }), {
        status: 200,
        body: { name: 'big file', upload_id: id, part: n + 1, ...owners },
      });
    }
    const json_ = { 'Content-Type': 'application/json' };
    const done = { status: 200, body: { name: 'big file', upload_id: id, ...owners } };
    assert.deepEqual(await json(`/uploads/${id}?name=big+file`, { method: 'PATCH', headers: json_ }), done);
    assert.ok((await bytesOf(await download('big file'))).equals(Buffer.concat(parts)));

    const other = await begin();
    const tooLarge = `/uploads/${other}/parts?name=big+file&part=1`;
    const page = await call(tooLarge, { method: 'POST', body: patterned(maxBytes + 1, 1) });
    assert.deepEqual([page.status, await page.text()], [413, tooLargePage]);
    await json(`/uploads/${other}/parts?name=big+file&part=2`, { method: 'POST', body: 'x' });
    const refused = await errorOf(`/uploads/${other}?name=big+file`, { method: 'PATCH' });
    assert.deepEqual(refused, {
      status: 400,
      message: 'parts: 1 missing, they must be 1 to 2 without a gap',
    });
    const aborted = await json(`/uploads/${other}?name=big+file`, { method: 'DELETE', headers: json_ });
    assert.deepEqual(aborted, { status: 200, body: { name: 'big file', upload_id: other, ...owners } });
    assert.equal((await errorOf(`/uploads/${other}?name=big+file`, { method: 'PATCH' })).status, 404);
  });

  test('files of every layout answer one range, several, a suffix, and none that fits', async () => {
    for (const size of [1000, 100_000, largeBytes]) {
      const bytes = patterned(size, 5);
      await put('ranged', bytes, { 'Content-Type': 'text/x' });
      const one = await download('ranged', { Range: 'bytes=10-19' });
      assert.equal(one.status, 206);
      assert.equal(one.headers.get('content-range'), `bytes 10-19/${size}`);
      assert.equal(one.headers.get('content-length'), '10');
      assert.equal(one.headers.get('content-type'), 'text/x');
      assert.ok((await bytesOf(one)).equals(bytes.subarray(10, 20)));

      const suffix = await download('ranged', { Range: 'bytes=-5' });
      assert.ok((await bytesOf(suffix)).equals(bytes.subarray(-5)));
      const open = await download('ranged', { Range: `bytes=${size - 3}-` });
      assert.ok((await bytesOf(open)).equals(bytes.subarray(-3)));

      const several = await download('ranged', { Range: 'bytes=0-1,10-11' });
      assert.equal(several.status, 206);
      const type = several.headers.get('content-type') ?? '';
      const boundary = /^multipart\/byteranges; boundary=(\S+)$/.exec(type)?.[1];
      assert.ok(boundary);
      const head = (range: string) =>
        `\r\n--${boundary}\r\nContent-Type: text/x\r\nContent-Range: bytes ${range}/${size}\r\n\r\n`;
      const expected = Buffer.concat([
        Buffer.from(head('0-1')),
        bytes.subarray(0, 2),
        Buffer.from(head('10-11')),
        bytes.subarray(10, 12),
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ]);
      assert.equal(several.headers.get('content-length'), String(expected.length));
      assert.ok((await bytesOf(several)).equals(expected));

      const outside = await download('ranged', { Range: `bytes=${size}-` });
      assert.equal(outside.status, 416);
      assert.equal(outside.headers.get('content-range'), `bytes */${size}`);
      await outside.arrayBuffer();
      const odd = await download('ranged', { Range: 'lines=1-2' });
      assert.deepEqual([odd.status, (await bytesOf(odd)).length], [200, size]);
    }
  });

  const damaged = { errors: ['Stored data is damaged'], codes: [{ code: 'damaged_data' }] };

  test('bytes that are gone, in part or whole, are answered with 500, which says that they are damaged', async () => {
    for (const size of [largeBytes * 2, 100_000]) {
      const before = await fixture.blobIds();
      await put('lost', patterned(size, 3));
      const [id = ''] = (await fixture.blobIds()).filter((found) => !before.includes(found));
      const path = join(fixture.blobsFolder, id.slice(0, 2), id);
      await truncate(path, 1000);
      const end = `bytes=${size - 10}-`;
      const short = await download('lost', { Range: end });
      assert.deepEqual([short.status, await short.json()], [500, damaged], `${size} bytes, in part`);
      await rm(path);
      const gone = await download('lost', { Range: end });
      assert.deepEqual([gone.status, await gone.json()], [500, damaged], `${size} bytes, whole`);
    }
    assert.equal(failures.splice(0).length, 4);
  });

  test('changed bytes are answered with 500, or cut off before the announced length', async () => {
    await put('rotten', patterned(largeBytes * 2, 1));
    const before = await fixture.blobIds();
    await put('rotten', patterned(largeBytes * 2, 2));
    const [id = ''] = (await fixture.blobIds()).filter((found) => !before.includes(found));
    const path = join(fixture.blobsFolder, id.slice(0, 2), id);
    const bytes = await readFile(path);
    bytes[400_000]! ^= 1;
    await writeFile(path, bytes);
    const small = await download('rotten', { Range: 'bytes=399990-400010' });
    assert.equal(small.status, 500);
    assert.deepEqual(await small.json(), damaged);
    for (const headers of [{}, { Range: 'bytes=0-500000' }]) {
      const cut = await download('rotten', headers);
      assert.ok(cut.ok);
      await assert.rejects(cut.arrayBuffer());
    }
    assert.equal((await download('rotten', { Range: 'bytes=0-262143' })).status, 206);
    assert.equal(failures.splice(0).length, 3);
  });

  test('conditions are answered with 304 and 412, and a range applies only to the file that If-Range names', async () => {
    await put('conditional', patterned(largeBytes, 1));
    const first = await download('conditional');
    await first.arrayBuffer();
    const etag = first.headers.get('etag') ?? '';
    const modified = first.headers.get('last-modified') ?? '';
    const status = async (headers: Record<string, string>, method = 'GET') => {
      const response = await download('conditional', headers, method);
      await response.arrayBuffer();
      return response.status;
    };
    assert.equal(await status({ 'If-None-Match': etag }), 304);
    assert.equal(await status({ 'If-None-Match': `"other", ${etag}` }), 304);
    assert.equal(await status({ 'If-None-Match': '"other"' }), 200);
    assert.equal(await status({ 'If-Modified-Since': modified }), 304);
    assert.equal(await status({ 'If-Match': '"other"' }), 412);
    assert.equal(await status({ 'If-Match': etag }), 200);
    assert.equal(await status({ 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' }), 412);
    assert.equal(await status({ 'If-Range': etag, Range: 'bytes=0-0' }), 206);
    assert.equal(await status({ 'If-Range': '"other"', Range: 'bytes=0-0' }), 200);
    assert.equal(await status({ 'If-Range': modified, Range: 'bytes=0-0' }), 206);
    await put('conditional', patterned(largeBytes, 2));
    assert.equal(await status({ 'If-None-Match': etag }), 200);
    assert.equal(await status({ 'If-Range': etag, Range: 'bytes=0-0' }), 200);
  });

  test('HEAD answers the head of GET, opens no blob and holds no lease', async () => {
    await put('headed', patterned(largeBytes, 1));
    const response = await download('headed', {}, 'HEAD');
    assert.equal(response.headers.get('content-length'), String(largeBytes));
    assert.equal((await download('headed', { Range: 'bytes=0-1' }, 'HEAD')).status, 206);
    await remove(['headed']);
    const before = (await fixture.blobIds()).length;
    fixture.nowMs += 60_000;
    await fixture.maintenance.runOnce();
    assert.ok((await fixture.blobIds()).length < before);
    assert.deepEqual(await fixture.keys('garbage/'), []);
  });

  function remove(names: readonly string[]) {
    return json('/files', {
      method: 'DELETE',
      body: JSON.stringify({ names }),
      headers: { 'Content-Type': 'application/json' },
    });
  }

  test('Delete Files answers with the names in the order of the request, missing ones too, and bad ones apart', async () => {
    await put('x', 'x');
    assert.deepEqual(await remove(['z', 'x', 'bad/', 'x', '__proto__']), {
      status: 200,
      body: { deleted: ['z', 'x', '__proto__'], failed: { 'bad/': 'invalid name' } },
    });
    assert.equal((await download('x')).status, 404);
    assert.deepEqual(await remove(['x']), { status: 200, body: { deleted: ['x'], failed: {} } });
    const thousand = Array.from({ length: 1000 }, (_, n) => `n${n}`);
    assert.equal((await remove(thousand)).status, 200);
  });

  test('Delete Files refuses anything but a list of 1 to 1000 strings', async () => {
    const request = (body: Buffer | string, type = 'application/json; charset=utf-8') =>
      errorOf('/files', { method: 'DELETE', body, headers: { 'Content-Type': type } });
    const thousandAndOne = JSON.stringify({ names: Array(1001).fill('a') });
    const bad = [
      '',
      'null',
      '[]',
      '{}',
      '{"names":"a"}',
      '{"names":[]}',
      '{"names":["a",1]}',
      '{"names":["a/"]}',
      // A lone surrogate is no text, as in every JSON body.
      '{"names":["a","\\ud800"]}',
      `{"names":["a"],"x":${'['.repeat(100)}${']'.repeat(100)}}`,
      `{"names":["a","${'a'.repeat(1024 * 1024)}"]}`,
      `{"names":["a"],"x":[${Array(204_800).fill('0')}]}`,
      `{"names":["a"],"x":${'7'.repeat(1001)}}`,
    ];
    for (const body of [...bad, '{"names":["a"', thousandAndOne, '['.repeat(100_000)]) {
      assert.equal((await request(body)).status, 400, body.slice(0, 20));
    }
    assert.equal((await request(Buffer.from('{"names":["\xff"]}', 'latin1'))).status, 400);
    assert.equal((await request('{"names":["a"]}', 'text/plain')).status, 415);
    const page = await call('/files', {
      method: 'DELETE',
      body: Buffer.alloc(9 * 1024 * 1024, ' '),
      headers: { 'Content-Type': 'application/json' },
    });
    assert.deepEqual([page.status, await page.text()], [413, tooLargePage]);
  });

  test('List Files has paging only when more names follow, and takes prefix, last, limit and recursive', async () => {
    const elsewhere = origin;
    origin = origin.replace('photos', 'listed');
    try {
      assert.deepEqual(await json('/files'), { status: 200, body: { names: [] } });
      for (const name of ['a', 'd/1', 'd/2', 'e f']) await put(name, name);
      assert.deepEqual((await json('/files?limit=2000&prefix=&last=&recursive=true')).body, {
        names: ['a', 'd/1', 'd/2', 'e f'],
      });
      assert.deepEqual((await json('/files?limit=2')).body, {
        names: ['a', 'd/1'],
        paging: { size: 2, last: 'd/1' },
      });
      assert.deepEqual((await json('/files?limit=2&last=d/1')).body, { names: ['d/2', 'e f'] });
      assert.deepEqual((await json('/files?recursive=false')).body, { names: ['a', 'd/', 'e f'] });
      assert.deepEqual((await json('/files?prefix=e+')).body, { names: ['e f'] });
      for (const query of [
        'limit=0',
        'limit=-1',
        'limit=1.5',
        'limit=x',
        'limit=',
        'prefix=%00',
        'recursive=no',
      ]) {
        const { status, message } = await errorOf(`/files?${query}`);
        assert.deepEqual([status, message.split(':')[0]], [400, query.split('=')[0]]);
      }
    } finally {
      origin = elsewhere;
    }
  });

  test('a body that the client cuts off is not stored', async () => {
    for (const announced of [100, 1_000_000]) {
      const socket = connect(port, '127.0.0.1');
      const head = [
        'POST /v1/demo/photos/files?name=cut HTTP/1.1',
        'Host: a',
        'X-API-Key: demo_secret',
        `Content-Length: ${announced}`,
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(announced / 2)}`);
      const [request] = (await once(server, 'request')) as [NodeJS.EventEmitter];
      const closed = new Promise((resolve) => request.on('close', resolve));
      socket.destroy();
      await closed;
    }
    assert.equal((await download('cut')).status, 404);
  });

  test('a download that the client abandons releases its file', async () => {
    await put('left', patterned(maxBytes, 1));
    const socket = connect(port, '127.0.0.1');
    socket.write(
      'GET /v1/demo/photos/files/download?name=left HTTP/1.1\r\nHost: a\r\nX-API-Key: demo_secret\r\n\r\n',
    );
    const [, response] = (await once(server, 'request')) as [unknown, NodeJS.EventEmitter];
    await once(socket, 'data');
    const closed = once(response, 'close');
    socket.destroy();
    await closed;
    await remove(['left']);
    // The reader notices in its own time: until then the content is only put off.
    for (let tries = 0; tries < 100; tries++) {
      fixture.nowMs += 60_000;
      await fixture.maintenance.runOnce();
      if ((await fixture.keys('garbage/')).length === 0) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(await fixture.keys('garbage/'), []);
  });
});
