import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Reply } from '../src/api.js';
import { freshDrive, freshName } from '../src/names.js';
import { launchTarget } from '../src/target.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { hostileNames, hostileTypes } from './support/hostile-files.js';
import { publicFilesOf } from './support/public-files.js';
import { useService } from './support/service.js';

const notFound = { errors: ['Not found'], codes: [{ code: 'not_found' }] };

/** docs/http.md#public-prefixes and docs/http.md#public-files */
describe('public files', { concurrency: true }, () => {
  const service = useService();
  const { pathOf, read, set, publicDrive, put } = publicFilesOf(service);

  test('the prefixes of a drive are set, read and withdrawn', async () => {
    const { api } = service;
    const drive = freshDrive(api);
    const path = `${drive.root}/public`;
    expectJson(await api.send('GET', path), 200, { prefixes: [], max_age: 60 });
    const given = { prefixes: ['site/', 'ä/b/', 'site/'], max_age: 3600 };
    const stored = { prefixes: ['site/', 'ä/b/'], max_age: 3600 };
    expectJson(await set(drive, given), 200, stored);
    expectJson(await api.send('GET', path), 200, stored);
    expectJson(await set(drive, { prefixes: ['a/'], max_age: null }), 200, { prefixes: ['a/'], max_age: 60 });
    expectJson(await set(drive, { prefixes: [] }), 200, { prefixes: [], max_age: 60 });
    expectJson(await api.send('GET', path), 200, { prefixes: [], max_age: 60 });
  });

  for (const [json, message] of [
    [[], /^body: /],
    [{}, /^prefixes: must be a list of 0 to 100 strings/],
    [{ prefixes: 'site/' }, /^prefixes: /],
    [{ prefixes: [1] }, /^prefixes\[0\]: must be a string/],
    [{ prefixes: [''] }, /^prefixes\[0\]: must end with "\/"/],
    [{ prefixes: ['site'] }, /^prefixes\[0\]: must end with "\/"/],
    [{ prefixes: ['site/', '/'] }, /^prefixes\[1\]: before its last "\/", it must not be empty/],
    [{ prefixes: ['a\n/'] }, /^prefixes\[0\]: .*control characters/],
    [{ prefixes: [`${'x'.repeat(1025)}/`] }, /^prefixes\[0\]: .*1024 bytes/],
    [{ prefixes: Array.from({ length: 101 }, (_, n) => `${n}/`) }, /^prefixes: must be a list of 0 to 100/],
    [{ prefixes: [], max_age: -1 }, /^max_age: /],
    [{ prefixes: [], max_age: 1.5 }, /^max_age: /],
    [{ prefixes: [], max_age: '60' }, /^max_age: /],
    [{ prefixes: [], max_age: 31_536_001 }, /^max_age: /],
    [{ prefixes: [], cache: 1 }, /^cache: is not a member/],
  ] as const) {
    test(`these prefixes are refused: ${JSON.stringify(json).slice(0, 80)}`, async () => {
      expectErrors(await set(freshDrive(service.api), json), 400, message);
    });
  }

  test('the prefixes are for the key of the project only', async () => {
    const { api, target } = service;
    const path = `${freshDrive(api).root}/public`;
    for (const method of ['GET', 'PUT']) {
      for (const key of [null, 'wrong', target.otherKey]) {
        expectErrors(await api.send(method, path, { key, json: { prefixes: ['a/'] } }), 401);
      }
    }
    expectErrors(await api.send('PUT', path, { body: '{"prefixes":[]}', type: 'text/plain' }), 415);
  });

  test('anyone reads a public file, and a cache may keep it', async () => {
    const drive = await publicDrive({ 'site/a.css': 'body {}' });
    for (const method of ['GET', 'HEAD']) {
      const reply = await read(drive, 'site/a.css', {}, method);
      expectStatus(reply, 200);
      assert.equal(reply.text, method === 'GET' ? 'body {}' : '');
      const { headers } = reply;
      assert.equal(headers['content-type'], 'text/css; charset=utf-8');
      assert.equal(headers['content-length'], '7');
      assert.equal(headers['accept-ranges'], 'bytes');
      assert.match(String(headers.etag), /^"[^"]+"$/);
      assert.equal(headers['cache-control'], 'public, max-age=60, must-revalidate');
      assert.equal(headers.vary, undefined);
      assert.equal(headers['access-control-allow-origin'], '*');
      assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
      assert.equal(
        headers['content-security-policy'],
        'sandbox allow-downloads allow-popups allow-popups-to-escape-sandbox',
      );
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['content-disposition'], 'inline; filename="a.css"');
      assert.equal(new Date(String(headers['last-modified'])).getTime() <= Date.now(), true);
    }
  });

  test('a key, right or wrong, makes no difference', async () => {
    const { api, target } = service;
    const drive = await publicDrive({ 'site/a': 'public', secret: 'private' });
    for (const key of [target.key, target.otherKey, 'wrong']) {
      expectStatus(await api.send('GET', pathOf(drive, 'site/a'), { key }), 200);
      expectJson(await api.send('GET', pathOf(drive, 'secret'), { key }), 404, notFound);
    }
  });

  test('ranges and conditions hold, for large files as well', async () => {
    const drive = await publicDrive();
    const text = `${'x'.repeat(400_000)}end`;
    for (const body of ['hello there', text]) {
      await put(drive, 'site/f.bin', body);
      const { etag } = (await read(drive, 'site/f.bin')).headers;
      const range = await read(drive, 'site/f.bin', { Range: 'bytes=-3' });
      expectStatus(range, 206);
      assert.equal(range.text, body.slice(-3));
      const size = body.length;
      assert.equal(range.headers['content-range'], `bytes ${size - 3}-${size - 1}/${size}`);
      const several = await read(drive, 'site/f.bin', { Range: 'bytes=0-1,5-6' });
      expectStatus(several, 206);
      assert.match(String(several.headers['content-type']), /^multipart\/byteranges; boundary=/);
      assert.match(several.text, /Content-Type: application\/octet-stream\r\n/);
      const notModified = await read(drive, 'site/f.bin', { 'If-None-Match': String(etag) });
      expectStatus(notModified, 304);
      for (const header of [
        'cache-control',
        'etag',
        'access-control-allow-origin',
        'cross-origin-resource-policy',
      ]) {
        assert.ok(notModified.headers[header] !== undefined, header);
      }
      expectErrors(await read(drive, 'site/f.bin', { Range: `bytes=${size}-` }), 416);
      expectErrors(await read(drive, 'site/f.bin', { 'If-Match': '"other"' }), 412);
    }
  });

  test('pages of every origin read files and errors, with and without Origin', async () => {
    const drive = await publicDrive({ 'site/a': 'public' });
    const pages: Readonly<Record<string, string>>[] = [
      {},
      { Origin: 'https://a.example' },
      { Origin: 'null' },
    ];
    for (const headers of pages) {
      for (const [name, status] of [
        ['site/a', 200],
        ['site/absent', 404],
        ['private', 404],
      ] as const) {
        const reply = await read(drive, name, headers);
        expectStatus(reply, status);
        assert.equal(reply.headers['access-control-allow-origin'], '*');
        assert.match(String(reply.headers['access-control-expose-headers']), /ETag/);
      }
    }
  });

  test('a directory has its index, and leads to it', async () => {
    const drive = await publicDrive({
      'site/index.html': 'home',
      'site/docs/index.html': 'docs',
      'site/docs/ä b/index.html': 'deep',
      'site/index/index.html': 'odd',
      'site/a': 'a file',
      'site/a/index.html': 'a directory',
      'index.html': 'private',
      'other/index.html': 'private',
    });
    for (const [name, text] of [
      ['site/', 'home'],
      ['site/docs/', 'docs'],
      ['site/docs/index.html', 'docs'],
      ['site/a', 'a file'],
      ['site/a/', 'a directory'],
    ] as const) {
      const reply = await read(drive, name);
      expectStatus(reply, 200);
      assert.equal(reply.text, text);
    }
    assert.equal((await read(drive, 'site/')).headers['content-type'], 'text/html; charset=utf-8');
    for (const [name, location] of [
      ['site', './site/'],
      ['site/docs', './docs/'],
      ['site/docs/ä b', './%C3%A4%20b/'],
    ] as const) {
      for (const method of ['GET', 'HEAD']) {
        const reply = await read(drive, name, {}, method);
        expectStatus(reply, 301);
        assert.equal(reply.headers.location, location);
        assert.equal(reply.headers['content-length'], '0');
        assert.equal(reply.headers['cache-control'], 'public, max-age=60, must-revalidate');
        assert.equal(reply.headers['x-content-type-options'], 'nosniff');
      }
    }
    for (const name of ['', 'other', 'other/', 'site/docs/none/', 'site//', 'site/docs//']) {
      expectJson(await read(drive, name), 404, notFound);
    }
  });

  test('a redirect leads to the same path with a /, however the name was written', async () => {
    const drive = await publicDrive({ 'site/docs/index.html': 'docs', 'docs/index.html': 'private' });
    const root = pathOf(drive, '');
    for (const path of [
      'site/docs',
      'site%2Fdocs',
      'site%2fd%6Fcs',
      'site/docs?a=b/c',
      'site%2Fdocs?a=b/c',
    ]) {
      const reply = await service.api.send('GET', root + path, { key: null });
      expectStatus(reply, 301);
      const there = new URL(String(reply.headers.location), new URL(root + path, service.target.url));
      const index = await service.api.send('GET', there.pathname, { key: null });
      expectStatus(index, 200);
      assert.equal(index.text, 'docs');
    }
  });

  test('a redirect stays on this host and has no other scheme', async () => {
    const drive = await publicDrive({
      'site/javascript:alert(1)/index.html': 'x',
      'site///evil.example/index.html': 'x',
      'site/\\evil.example/index.html': 'x',
      'site/a\u2028b/index.html': 'x',
    });
    for (const name of ['javascript:alert(1)', '//evil.example', '\\evil.example', 'a\u2028b']) {
      const reply = await read(drive, `site/${name}`);
      expectStatus(reply, 301);
      const there = new URL(
        String(reply.headers.location),
        new URL(pathOf(drive, `site/${name}`), service.target.url),
      );
      assert.equal(there.origin, service.target.url.origin);
      assert.equal(there.pathname, `${pathOf(drive, `site/${name}`)}/`);
    }
  });

  test('the 404.html of the prefix is the answer where there is no file, with its status', async () => {
    const drive = await publicDrive({
      'site/404.html': '<p>not here',
      '404.html': 'private',
      'b/404.html': 'private',
    });
    const requests: Readonly<Record<string, string>>[] = [
      {},
      { Range: 'bytes=0-1' },
      { 'If-None-Match': '*' },
    ];
    for (const name of ['site/absent', 'site/a/b/', 'site', 'site/']) {
      for (const headers of requests) {
        const reply = await read(drive, name, headers);
        expectStatus(reply, 404);
        assert.equal(reply.text, '<p>not here');
        assert.equal(reply.headers['content-type'], 'text/html; charset=utf-8');
        assert.equal(
          reply.headers['content-security-policy'],
          'sandbox allow-downloads allow-popups allow-popups-to-escape-sandbox',
        );
        assert.equal(reply.headers['cache-control'], 'private, no-store');
      }
    }
    for (const name of ['', 'absent', 'b/absent', 'sit', 'site2/absent']) {
      expectJson(await read(drive, name), 404, notFound);
    }
  });

  test('of several prefixes, the longest says which 404.html it is', async () => {
    const drive = freshDrive(service.api);
    for (const prefix of ['a/', 'a/b/', 'a/c/']) await put(drive, `${prefix}404.html`, prefix);
    await set(drive, { prefixes: ['a/b/', 'a/', 'a/c/'] });
    for (const prefix of ['a/', 'a/b/', 'a/c/']) assert.equal((await read(drive, `${prefix}x`)).text, prefix);
  });

  test('an expired file is gone, and no cache keeps it beyond its end', async () => {
    const drive = await publicDrive();
    const ends = Math.floor(Date.now() / 1000) + 20;
    await service.api.send('POST', `${drive.root}/files?name=site%2Ff&expires=${ends}`, {
      body: 'soon gone',
    });
    const reply = await read(drive, 'site/f');
    expectStatus(reply, 200);
    const seconds = Number(
      /^public, max-age=(\d+), must-revalidate$/.exec(String(reply.headers['cache-control']))?.[1],
    );
    assert.ok(seconds >= 1 && seconds <= 20, `${seconds}`);
    await service.api.send('PATCH', `${drive.root}/files?name=site%2Ff`, { json: { expires: 1 } });
    expectJson(await read(drive, 'site/f'), 404, notFound);
  });

  test('a withdrawn prefix is gone within the documented second, on every server', async () => {
    const drive = await publicDrive({ 'site/a': 'public' });
    for (let n = 0; n < 10; n++) expectStatus(await read(drive, 'site/a'), 200);
    expectStatus(await set(drive, { prefixes: ['elsewhere/'] }), 200);
    await setTimeout(1000);
    for (let n = 0; n < 10; n++) expectJson(await read(drive, 'site/a'), 404, notFound);
  });

  test('no other method exists, and none changes a file', async () => {
    const { api } = service;
    const drive = await publicDrive({ 'site/a': 'public' });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const reply = await api.send(method, pathOf(drive, 'site/a'), { body: 'changed' });
      expectErrors(reply, 405);
      assert.equal(reply.headers.allow, 'GET, HEAD, OPTIONS');
    }
    assert.equal((await read(drive, 'site/a')).text, 'public');
  });

  test('odd names below the prefix are served as what they are', async () => {
    const drive = await publicDrive();
    for (const name of hostileNames) {
      // Directory traversal is nothing here: these are other files, whose names begin with the prefix.
      await put(drive, `site/${name}`, name);
      const reply = await read(drive, `site/${name}`);
      assert.deepEqual([reply.status, reply.text], [200, name]);
    }
  });

  test('a type is one that browsers understand in one way', async () => {
    const drive = await publicDrive();
    const octets = 'application/octet-stream';
    const shown: Readonly<Record<string, string>> = {
      'text/html': 'text/html; charset=utf-8',
      'TEXT/HTML': 'TEXT/HTML; charset=utf-8',
      'text/html;charset=utf-7': 'text/html;charset=utf-7',
      'image/svg+xml': 'image/svg+xml',
      'application/xhtml+xml': 'application/xhtml+xml',
      'text/xml': 'text/xml; charset=utf-8',
      'application/pdf': 'application/pdf',
      'text/javascript': 'text/javascript; charset=utf-8',
      'application/x-shockwave-flash': 'application/x-shockwave-flash',
      '*/*': '*/*',
    };
    for (const type of hostileTypes) {
      const path = `${drive.root}/files?name=site%2Ff`;
      expectStatus(await service.api.send('POST', path, { body: 'x', type }), 201);
      const { headers } = await read(drive, 'site/f');
      assert.equal(headers['content-type'], shown[type] ?? octets, type);
      assert.equal(
        headers['content-security-policy'],
        'sandbox allow-downloads allow-popups allow-popups-to-escape-sandbox',
      );
    }
  });

  test('a drive of any name has public files', async () => {
    for (const name of ['public', 'files', 'ä/b c', '..%2F', 'items', "it's", '%']) {
      const drive = await publicDrive({}, `${name}${freshName('')}`);
      await put(drive, 'site/a', name);
      assert.equal((await read(drive, 'site/a')).text, name);
    }
  });

  test('moving, deleting and overwriting show at once', async () => {
    const { api } = service;
    const drive = await publicDrive({ 'draft/a': 'one' });
    expectStatus(await read(drive, 'site/a'), 404);
    await api.send('POST', `${drive.root}/files/move`, {
      json: { files: [{ from: 'draft/a', to: 'site/a' }] },
    });
    assert.equal((await read(drive, 'site/a')).text, 'one');
    await put(drive, 'site/a', 'two');
    assert.equal((await read(drive, 'site/a')).text, 'two');
    await drive.remove(['site/a']);
    expectStatus(await read(drive, 'site/a'), 404);
  });
});
describe('public files with origins that the operator has chosen', { concurrency: true }, () => {
  const service = useService(() => launchTarget('--cors-origins', 'https://app.example'));

  test('are for the pages of every origin all the same', async () => {
    const { api, target } = service;
    const drive = freshDrive(api);
    await api.send('PUT', `${drive.root}/public`, { json: { prefixes: ['site/'] } });
    await drive.put('site/a', 'public');
    const path = `/public/${target.project}/${drive.name}/site/a`;
    const headers = { Origin: 'https://other.example', 'Access-Control-Request-Method': 'GET' };
    const replies: Readonly<Record<string, Reply>> = {
      file: await api.send('GET', path, { key: null, headers }),
      range: await api.send('GET', path, { key: null, headers: { ...headers, Range: 'bytes=0-1' } }),
      head: await api.send('HEAD', path, { key: null, headers }),
      missing: await api.send('GET', `${path}b`, { key: null, headers }),
      preflight: await api.send('OPTIONS', path, { key: null, headers }),
    };
    for (const [name, reply] of Object.entries(replies)) {
      assert.equal(reply.headers['access-control-allow-origin'], '*', name);
      assert.equal(reply.headers.vary, undefined, name);
    }
    const keyed = await api.send('OPTIONS', `${drive.root}/files`, { key: null, headers });
    assert.equal(keyed.headers['access-control-allow-origin'], undefined);
  });
});
