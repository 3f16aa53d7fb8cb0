import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshDrive, freshName } from '../src/names.js';
import { bytesOf } from '../src/random.js';
import { expectErrors, expectJson, expectStatus, expectTooLargePage } from './support/expect.js';
import { openRaw } from './support/raw-connection.js';
import { useService } from './support/service.js';

const mib = 1024 * 1024;

describe('files', { concurrency: true }, () => {
  const service = useService();
  const drive = () => freshDrive(service.api);

  describe('Put File and Download File', { concurrency: true }, () => {
    test('a put is answered with 201 and name, project_id and drive_name', async () => {
      const subject = drive();
      const names = { name: 'a/b.txt', project_id: service.target.project, drive_name: subject.name };
      expectJson(await subject.put('a/b.txt', 'hello'), 201, names);
    });

    test('a download returns the bytes with their headers', async () => {
      const subject = drive();
      await subject.put('f', 'hello', { type: 'text/plain' });
      const reply = await subject.get('f');
      expectStatus(reply, 200);
      assert.equal(reply.text, 'hello');
      assert.equal(reply.headers['accept-ranges'], 'bytes');
      assert.equal(reply.headers['content-type'], 'text/plain');
      assert.equal(reply.headers['content-length'], '5');
      assert.match(String(reply.headers.etag), /^"[^"]+"$/);
      assert.ok(Math.abs(Date.parse(String(reply.headers['last-modified'])) - Date.now()) < 60_000);
    });

    for (const size of [0, 1, 1000, 16_384, 16_385, 65_536, 262_144, 262_145, 3 * mib, 10 * mib]) {
      test(`${size} bytes are returned as they were stored`, async () => {
        const subject = drive();
        const bytes = bytesOf(1, size);
        expectStatus(await subject.put('f', bytes), 201);
        const reply = await subject.get('f');
        assert.ok(reply.body.equals(bytes));
        assert.equal(reply.headers['content-length'], String(size));
      });
    }

    test('a file may have 10 MiB; one byte more is answered with 413 and nothing is stored', async () => {
      const subject = drive();
      await subject.put('f', 'before');
      expectTooLargePage(await subject.put('f', Buffer.alloc(10 * mib + 1)));
      expectTooLargePage(await subject.put('g', Buffer.alloc(10 * mib + 1)));
      assert.equal((await subject.get('f')).text, 'before');
      expectJson(await subject.list(), 200, { names: ['f'] });
    });

    test('a put overwrites a file of the same name with its content type', async () => {
      const subject = drive();
      await subject.put('f', 'the first one', { type: 'text/plain' });
      const first = await subject.get('f');
      await subject.put('f', '2nd', { type: 'text/html' });
      const second = await subject.get('f');
      assert.equal(second.text, '2nd');
      assert.equal(second.headers['content-type'], 'text/html');
      assert.notEqual(second.headers.etag, first.headers.etag);
      expectJson(await subject.list(), 200, { names: ['f'] });
    });

    test('a missing file is answered with 404', async () => {
      const subject = drive();
      await subject.put('a/b', 'x');
      for (const name of ['absent', 'a', 'a/', 'a/b/c', 'A/B', '/a/b']) {
        if (name.endsWith('/')) continue;
        expectErrors(await subject.get(name), 404);
      }
    });

    test('a download that began before an overwrite or a delete returns the old bytes to the end', async () => {
      const subject = drive();
      const { key } = service.target;
      const bytes = Buffer.alloc(10 * mib, 'old!');
      for (const change of ['put', 'delete'] as const) {
        await subject.put('f', bytes);
        const connection = await openRaw(service.target, { paused: true });
        connection.write(
          `GET ${subject.root}/files/download?name=f HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`,
        );
        await connection.answerStarted();
        expectStatus(
          change === 'put' ? await subject.put('f', 'new') : await subject.remove(['f']),
          change === 'put' ? 201 : 200,
        );
        const after = await subject.get('f');
        assert.equal(after.status, change === 'put' ? 200 : 404);
        connection.resume();
        assert.ok((await connection.reply()).body.equals(bytes), `${change}: other bytes`);
        connection.destroy();
      }
    });

    test('of many writers of one name, one wins with its whole content', async () => {
      const subject = drive();
      const bodies = Array.from({ length: 8 }, (_, n) => Buffer.alloc(50_000 + n, n));
      for (const reply of await Promise.all(bodies.map((body) => subject.put('f', body))))
        expectStatus(reply, 201);
      const { body } = await subject.get('f');
      assert.ok(bodies.some((one) => one.equals(body)));
    });
  });

  describe('the content type', { concurrency: true }, () => {
    const rows: readonly [name: string, sent: string | undefined, stored: string | RegExp][] = [
      ['f', 'text/plain', 'text/plain'],
      ['f.png', 'text/plain', 'text/plain'],
      ['f', 'application/json', 'application/json'],
      ['f', 'text/html; charset=latin1', 'text/html; charset=latin1'],
      ['f', 'made/up', 'made/up'],
      ['f.png', undefined, 'image/png'],
      ['a/b.c/f.JPG', undefined, 'image/jpeg'],
      ['f.txt', undefined, /^text\/plain/],
      ['f.html', undefined, /^text\/html/],
      ['f.json', undefined, /^application\/json/],
      ['f.pdf', undefined, 'application/pdf'],
      ['f', undefined, 'application/octet-stream'],
      ['f.unknownextension', undefined, 'application/octet-stream'],
      ['png', undefined, 'application/octet-stream'],
      ['a.png/f', undefined, 'application/octet-stream'],
    ];
    for (const [name, sent, stored] of rows) {
      test(`the file ${name} sent as ${sent ?? 'nothing'} is stored as ${stored}`, async () => {
        const subject = drive();
        expectStatus(await subject.put(name, 'x', sent === undefined ? {} : { type: sent }), 201);
        const type = String((await subject.get(name)).headers['content-type']);
        if (typeof stored === 'string') assert.equal(type, stored);
        else assert.match(type, stored);
      });
    }
  });

  describe('the name', { concurrency: true }, () => {
    const traversal = [
      '..',
      '.',
      '../x',
      '../../etc/passwd',
      'a/../b',
      '/',
      '\\',
      '..\\x',
      'C:\\x',
      '/etc/passwd',
      '//x',
    ];
    const odd = [
      '%2F',
      '%2e%2e',
      'a%',
      '?',
      '#',
      '&',
      'a=b',
      'a+b',
      'a b',
      ' a ',
      'ä',
      '名/前',
      '🙂',
      '"',
      "'",
      '<a>',
      '~',
      '-',
    ];
    const long = [
      'n'.repeat(255),
      'n'.repeat(256),
      'n'.repeat(1024),
      'é'.repeat(512),
      `${'d/'.repeat(511)}f`,
    ];
    const others = [
      '__proto__',
      'constructor',
      '.hidden',
      'a//b',
      'con',
      'nul',
      'a:b',
      '*',
      '|',
      '$HOME',
      '`id`',
      ';',
    ];
    for (const name of [...traversal, ...odd, ...long, ...others].filter((one) => !one.endsWith('/'))) {
      test(`a file name may be ${JSON.stringify(name.slice(0, 24))} of ${Buffer.byteLength(name)} bytes`, async () => {
        const subject = drive();
        const reply = await subject.put(name, `I am ${name}`);
        expectStatus(reply, 201);
        assert.equal(reply.json<{ name: string }>().name, name);
        assert.equal((await subject.get(name)).text, `I am ${name}`);
        expectJson(await subject.list(), 200, { names: [name] });
        expectJson(await subject.remove([name]), 200, { deleted: [name], failed: {} });
        expectErrors(await subject.get(name), 404);
      });
    }

    const bad = [
      '',
      ' ',
      '   ',
      '\t',
      '/',
      'a/',
      'a/b/',
      'n'.repeat(1025),
      'é'.repeat(513),
      'a\u0000b',
      'a\nb',
      '\u001f',
      '\u007f',
    ];
    for (const name of bad) {
      test(`a file name may not be ${JSON.stringify(name.slice(0, 24))} of ${Buffer.byteLength(name)} bytes`, async () => {
        const subject = drive();
        expectErrors(await subject.put(name, 'x'), 400, /name/);
        expectErrors(await subject.get(name), 400, /name/);
        expectErrors(await subject.initialize(name), 400, /name/);
        expectErrors(await subject.part('u', name, 1, Buffer.from('x')), 400, /name/);
        expectErrors(await subject.end('u', name), 400, /name/);
        expectErrors(await subject.abort('u', name), 400, /name/);
        expectJson(await subject.list(), 200, { names: [] });
      });
    }

    test('every operation on one file requires a name', async () => {
      const { api } = service;
      const { root } = drive();
      for (const [method, path] of [
        ['POST', '/files'],
        ['GET', '/files/download'],
        ['POST', '/uploads'],
        ['POST', '/uploads/u/parts?part=1'],
        ['PATCH', '/uploads/u'],
        ['DELETE', '/uploads/u'],
      ] as const) {
        expectErrors(await api.send(method, root + path), 400, /name/);
        expectErrors(
          await api.send(method, `${root}${path}${path.includes('?') ? '&' : '?'}Name=x`),
          400,
          /name/,
        );
      }
    });

    test('a name that is not UTF-8 is answered with 400', async () => {
      const { api } = service;
      const { root } = drive();
      for (const name of ['%ff', '%C3%28', '%ED%A0%80', '%F4%90%80%80']) {
        expectErrors(await api.send('POST', `${root}/files?name=${name}`, { body: 'x' }), 400, /name/);
        expectErrors(await api.send('GET', `${root}/files/download?name=${name}`), 400, /name/);
      }
    });

    test('names that differ in case or Unicode normalization are different files', async () => {
      const subject = drive();
      for (const name of ['K', 'k', 'é', 'e\u0301']) await subject.put(name, name);
      for (const name of ['K', 'k', 'é', 'e\u0301']) assert.equal((await subject.get(name)).text, name);
    });

    test('a file may have the name of a directory of other files', async () => {
      const subject = drive();
      for (const name of ['a', 'a/b', 'a/b/c']) await subject.put(name, name);
      for (const name of ['a', 'a/b', 'a/b/c']) assert.equal((await subject.get(name)).text, name);
    });
  });

  describe('conditions', { concurrency: true }, () => {
    async function withFile() {
      const subject = drive();
      await subject.put('f', '0123456789');
      const { headers } = await subject.get('f');
      return { subject, etag: String(headers.etag), modified: String(headers['last-modified']) };
    }
    const day = 86_400_000;
    const httpDate = (text: string, offsetMs: number) => new Date(Date.parse(text) + offsetMs).toUTCString();

    test('If-None-Match with the current tag is answered with 304 and no body', async () => {
      const { subject, etag } = await withFile();
      for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const reply = await subject.get('f', { 'If-None-Match': tag });
        expectStatus(reply, 304);
        assert.equal(reply.body.length, 0);
        assert.equal(reply.headers.etag, etag);
      }
      expectStatus(await subject.get('f', { 'If-None-Match': '"other"' }), 200);
      expectStatus(await subject.head('f', { 'If-None-Match': etag }), 304);
    });

    test('If-Modified-Since is answered with 304 unless the file is newer', async () => {
      const { subject, modified } = await withFile();
      expectStatus(await subject.get('f', { 'If-Modified-Since': modified }), 304);
      expectStatus(await subject.get('f', { 'If-Modified-Since': httpDate(modified, day) }), 304);
      expectStatus(await subject.get('f', { 'If-Modified-Since': httpDate(modified, -day) }), 200);
      expectStatus(await subject.get('f', { 'If-Modified-Since': 'no date' }), 200);
      // If-None-Match has precedence over it (docs/http.md#conditions).
      const both = { 'If-None-Match': '"other"', 'If-Modified-Since': modified };
      expectStatus(await subject.get('f', both), 200);
    });

    test('If-Match and If-Unmodified-Since are answered with 412 unless the file is unchanged', async () => {
      const { subject, etag, modified } = await withFile();
      expectStatus(await subject.get('f', { 'If-Match': etag }), 200);
      expectErrors(await subject.get('f', { 'If-Match': '"other"' }), 412);
      expectStatus(await subject.get('f', { 'If-Unmodified-Since': modified }), 200);
      expectErrors(await subject.get('f', { 'If-Unmodified-Since': httpDate(modified, -day) }), 412);
    });

    test('the tag of an overwritten file does not match the new one', async () => {
      const { subject, etag } = await withFile();
      await subject.put('f', '0123456789');
      expectStatus(await subject.get('f', { 'If-None-Match': etag }), 200);
      const reply = await subject.get('f', { 'If-Range': etag, Range: 'bytes=0-0' });
      expectStatus(reply, 200);
    });

    test('a missing file is answered with 404 whatever the conditions', async () => {
      expectStatus(await drive().get('absent', { 'If-None-Match': '*' }), 404);
    });
  });

  test('the first put creates a drive', async () => {
    const name = freshName('new');
    expectStatus(await freshDrive(service.api, name).put('f', 'x'), 201);
    assert.equal((await freshDrive(service.api, name).get('f')).text, 'x');
  });
});
