import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply } from '../src/api.js';
import { freshBase, freshDrive } from '../src/names.js';
import { expectErrors, expectStatus } from './support/expect.js';
import { fileNameOf, hostileNames, hostileTypes } from './support/hostile-files.js';
import { openRaw } from './support/raw-connection.js';
import { useService } from './support/service.js';

/** What keeps a file from running as a script of this origin, and its name from becoming a header. */
describe('files in browsers', { concurrency: true }, () => {
  const service = useService();

  function expectHarmless({ headers }: Reply): void {
    assert.equal(
      headers['content-security-policy'],
      'sandbox allow-downloads allow-popups allow-popups-to-escape-sandbox',
    );
    assert.equal(headers['x-content-type-options'], 'nosniff');
  }

  test('every download is sandboxed, however it is answered', async () => {
    const drive = freshDrive(service.api);
    await drive.put('f.html', '<script>alert(1)</script>', { type: 'text/html' });
    await drive.put('large.html', Buffer.alloc(1_000_000, ' '), { type: 'text/html' });
    for (const reply of [
      await drive.get('f.html'),
      await drive.get('large.html'),
      await drive.head('f.html'),
      await drive.get('f.html', { Range: 'bytes=1-2' }),
      await drive.get('f.html', { Range: 'bytes=1-2,5-6' }),
      await drive.get('f.html', { Origin: 'https://a.example' }),
    ]) {
      expectHarmless(reply);
      assert.match(String(reply.headers['content-disposition']), /^inline; filename="(f|large)\.html"$/);
    }
  });

  for (const name of hostileNames) {
    test(`a name is no header: ${JSON.stringify(name)}`, async () => {
      const drive = freshDrive(service.api);
      expectStatus(await drive.put(name, 'bytes', { type: 'text/plain' }), 201);
      const reply = await drive.get(name);
      expectStatus(reply, 200);
      expectHarmless(reply);
      const disposition = String(reply.headers['content-disposition']);
      assert.match(disposition, /^inline; [\x20-\x7e]+$/);
      assert.equal(
        fileNameOf(disposition),
        name.split(/[/\\]+/).findLast((part) => part !== ''),
      );
      assert.equal(reply.headers['content-type'], 'text/plain');
      assert.equal(reply.headers['set-cookie'], undefined);
      assert.equal(reply.text, 'bytes');
    });
  }

  test('a name with CR, LF or another control character is refused', async () => {
    const drive = freshDrive(service.api);
    for (const name of ['a\r\nSet-Cookie: a=b', 'a\nb', 'a\rb', 'a\u0000b', 'a\u0085b', 'a\u009bb']) {
      expectErrors(await drive.put(name, 'bytes'), 400, /^name: /);
    }
  });

  for (const type of hostileTypes) {
    test(`a file of this type is sandboxed, and the type is what was sent: ${type}`, async () => {
      const drive = freshDrive(service.api);
      expectStatus(await drive.put('f', '<script>alert(1)</script>', { type }), 201);
      const reply = await drive.get('f');
      expectHarmless(reply);
      assert.equal(reply.headers['content-type'], type);
    });
  }

  test('an empty or blank type is none: the name says the type', async () => {
    const drive = freshDrive(service.api);
    for (const type of ['', ' ', '\t']) {
      expectStatus(await drive.put('page.html', 'bytes', { type }), 201);
      assert.equal((await drive.get('page.html')).headers['content-type'], 'text/html');
    }
  });

  test('a type with CR or LF is refused', async () => {
    const { target } = service;
    const drive = freshDrive(service.api);
    for (const type of [
      'text/plain\r\n Set-Cookie: a=b',
      'text/plain\nSet-Cookie: a=b',
      'text/plain\rb',
      'a\u0000',
    ]) {
      const connection = await openRaw(target);
      const lines = ['Host: x', `X-API-Key: ${target.key}`, `Content-Type: ${type}`, 'Content-Length: 1'];
      connection.write(`POST ${drive.root}/files?name=f HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\nx`);
      assert.equal((await connection.reply()).status, 400, JSON.stringify(type));
      connection.destroy();
      for (const content_type of [type, `${type};a=b`]) {
        const changes = { json: { content_type } };
        await drive.put('g', 'bytes');
        const changed = await service.api.send('PATCH', `${drive.root}/files?name=g`, changes);
        expectErrors(changed, 400, /^content_type: /);
      }
    }
  });

  test('a browser guesses the type of no answer', async () => {
    const { api } = service;
    const base = freshBase(api);
    const drive = freshDrive(api);
    await base.put({ key: 'i', text: '<script>alert(1)</script>' });
    for (const reply of [
      await base.get('i'),
      await base.get('absent'),
      await base.query({}),
      await api.send('GET', `${base.root}/items`),
      await api.send('GET', '/nowhere'),
      await api.send('GET', '/health'),
      await drive.list(),
      await drive.put('f', Buffer.alloc(10 * 1024 * 1024 + 1)),
    ]) {
      assert.equal(reply.headers['x-content-type-options'], 'nosniff', reply.text.slice(0, 80));
    }
    const connection = await openRaw(service.target);
    connection.write('rubbish\r\n\r\n');
    assert.equal((await connection.reply()).headers['x-content-type-options'], 'nosniff');
    connection.destroy();
  });
});
