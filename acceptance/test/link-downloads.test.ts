import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshDrive } from '../src/names.js';
import { expectErrors, expectStatus } from './support/expect.js';
import { fileNameOf, hostileNames, hostileTypes } from './support/hostile-files.js';
import { linksOf, type MadeLink } from './support/links.js';
import { useService } from './support/service.js';

/** docs/http.md#links */
describe('links for downloads', { concurrency: true }, () => {
  const service = useService();
  const { create, readLink, use, store, expectInvalid } = linksOf(service);

  test('are made for one name or for several, in their order', async () => {
    const drive = freshDrive(service.api);
    const names = ['b.txt', 'a/ä b.txt', 'absent'];
    const now = Math.floor(Date.now() / 1000);
    const reply = await create(drive, { names, method: 'GET', expires_in: 60 });
    expectStatus(reply, 201);
    const { links } = reply.json<{ links: MadeLink[] }>();
    assert.deepEqual(Object.keys(reply.json()), ['links']);
    assert.deepEqual(
      links.map(({ name }) => name),
      names,
    );
    for (const { url, expires } of links) {
      assert.ok(expires >= now + 60 && expires <= now + 65);
      assert.match(url, /^https?:\/\/[^/]+\/links\/[\w.-]+\//);
    }
    assert.ok(links[1]?.url.endsWith('/%C3%A4%20b.txt'));
    assert.equal(new Set(links.map(({ url }) => url)).size, 3);
  });

  test('give the file, its head, ranges and conditions without a key', async () => {
    const drive = freshDrive(service.api);
    for (const body of ['hello there', `${'x'.repeat(400_000)}end`]) {
      await store(drive, 'a/f.txt', body);
      const url = await readLink(drive, 'a/f.txt');
      const whole = await use('GET', url);
      expectStatus(whole, 200);
      assert.equal(whole.text, body);
      const expected: Readonly<Record<string, string>> = {
        'content-type': 'text/plain; charset=utf-8',
        'content-length': String(body.length),
        'content-disposition': 'inline; filename="f.txt"',
        'content-security-policy': 'sandbox allow-downloads allow-popups allow-popups-to-escape-sandbox',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'cross-origin',
        'referrer-policy': 'no-referrer',
        'cache-control': 'private, no-cache',
        'accept-ranges': 'bytes',
      };
      for (const reply of [whole, await use('HEAD', url)]) {
        expectStatus(reply, 200);
        for (const [header, value] of Object.entries(expected)) assert.equal(reply.headers[header], value);
      }
      const range = await use('GET', url, { headers: { Range: 'bytes=-3' } });
      expectStatus(range, 206);
      assert.equal(range.text, body.slice(-3));
      const { etag } = whole.headers;
      expectStatus(await use('GET', url, { headers: { 'If-None-Match': String(etag) } }), 304);
      expectErrors(await use('GET', url, { headers: { 'If-Match': '"x"' } }), 412);
      expectErrors(await use('GET', url, { headers: { Range: `bytes=${body.length}-` } }), 416);
    }
  });

  test('make a browser save the file if they say so', async () => {
    const drive = freshDrive(service.api);
    await store(drive, 'f.txt', 'x');
    const url = await readLink(drive, 'f.txt', { disposition: 'attachment' });
    assert.equal((await use('GET', url)).headers['content-disposition'], 'attachment; filename="f.txt"');
  });

  test('follow the file: absent, stored, overwritten, deleted', async () => {
    const drive = freshDrive(service.api);
    const url = await readLink(drive, 'f');
    expectErrors(await use('GET', url), 404, /^File not found$/);
    await store(drive, 'f', 'one');
    assert.equal((await use('GET', url)).text, 'one');
    await store(drive, 'f', 'two');
    assert.equal((await use('GET', url)).text, 'two');
    await drive.remove(['f']);
    expectErrors(await use('GET', url), 404);
  });

  test('work for every name, and no name becomes a header', async () => {
    const drive = freshDrive(service.api);
    for (const name of hostileNames) {
      await store(drive, name, name);
      const reply = await use('GET', await readLink(drive, name));
      assert.deepEqual([reply.status, reply.text], [200, name]);
      const disposition = String(reply.headers['content-disposition']);
      assert.equal(
        fileNameOf(disposition),
        name.split(/[/\\]+/).findLast((part) => part !== ''),
      );
      assert.equal(reply.headers['set-cookie'], undefined);
    }
  });

  test('answer with types that browsers understand in one way', async () => {
    const drive = freshDrive(service.api);
    for (const type of hostileTypes) {
      await store(drive, 'f', 'x', type);
      const { headers } = await use('GET', await readLink(drive, 'f'));
      assert.match(String(headers['content-type']), /^[\w*]+\/[\w.+*-]+(; ?charset=[\w-]+)?$/, type);
      assert.doesNotMatch(String(headers['content-type']), /^multipart|^message/);
      assert.equal(
        headers['content-security-policy'],
        'sandbox allow-downloads allow-popups allow-popups-to-escape-sandbox',
      );
    }
  });

  test('can be read by pages of other origins', async () => {
    const drive = freshDrive(service.api);
    await store(drive, 'f', 'x');
    const url = await readLink(drive, 'f');
    const reply = await use('GET', url, { headers: { Origin: 'https://app.example' } });
    assert.equal(reply.headers['access-control-allow-origin'], '*');
    const refused = await use('GET', `${url}x`, { headers: { Origin: 'https://app.example' } });
    expectInvalid(refused);
    assert.equal(refused.headers['access-control-allow-origin'], '*');
  });

  test('are no uploads, and no other method', async () => {
    const drive = freshDrive(service.api);
    await store(drive, 'f', 'one');
    const url = await readLink(drive, 'f');
    expectInvalid(await use('POST', url, { body: 'two' }));
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      expectErrors(await use(method, url, { body: 'two' }), 405);
    }
    assert.equal((await use('GET', url)).text, 'one');
  });
});
