import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshBase, freshDrive, freshName } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { openRaw } from './support/raw-connection.js';
import { useService } from './support/service.js';

describe('paths and methods', { concurrency: true }, () => {
  const service = useService();
  const root = () => `/v1/${service.target.project}`;

  test('an unknown path is answered with 404', async () => {
    const unknown = ['/v1', '/v2/demo/b/items', `${root()}/b`, `${root()}/b/item`, `${root()}/b/items/k/x`];
    for (const path of [...unknown, `${root()}/b/files/upload`, `${root()}/b/uploads/u/part`, '/nowhere']) {
      expectJson(await service.api.send('GET', path), 404, {
        errors: ['Not found'],
        codes: [{ code: 'not_found' }],
      });
    }
  });

  const known: readonly [path: string, methods: readonly string[]][] = [
    ['/b/items', ['GET', 'PUT', 'POST']],
    ['/b/items/k', ['GET', 'DELETE', 'PATCH']],
    ['/b/query', ['POST']],
    ['/b/query/aggregate', ['POST']],
    ['/b/query/count', ['POST']],
    ['/b/query/delete', ['POST']],
    ['/b/query/profile', ['POST']],
    ['/b/query/update', ['POST']],
    ['/d/files', ['GET', 'POST', 'PATCH', 'DELETE']],
    ['/d/files/download', ['GET']],
    ['/d/files/move', ['POST']],
    ['/d/files/copy', ['POST']],
    ['/d/public', ['GET', 'PUT']],
    ['/d/uploads', ['GET', 'POST']],
    ['/d/uploads/u', ['GET', 'PATCH', 'DELETE']],
    ['/d/uploads/u/parts', ['POST']],
  ];
  for (const [path, methods] of known) {
    test(`the path ${path} with another method is answered with 405 and its methods`, async () => {
      for (const method of ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'].filter(
        (one) => !methods.includes(one),
      )) {
        const reply = await service.api.send(method, root() + path);
        expectErrors(reply, 405);
        const allowed = String(reply.headers.allow).split(/,\s*/);
        for (const one of methods) assert.ok(allowed.includes(one), `${one} is not in ${allowed}`);
        assert.ok(!allowed.includes(method));
        assert.equal(allowed.includes('HEAD'), methods.includes('GET'), 'HEAD is wherever GET is');
      }
    });
  }

  test('HEAD is allowed wherever GET is, with the same headers and no body', async () => {
    const { api } = service;
    const base = freshBase(api);
    const drive = freshDrive(api);
    await base.put({ key: 'k', a: 1 });
    await drive.put('f', 'bytes');
    const paths = [`${base.root}/items/k`, `${drive.root}/files`, `${drive.root}/files/download?name=f`];
    for (const path of [...paths, '/health', '/ready']) {
      const [got, head] = [await api.send('GET', path), await api.send('HEAD', path)];
      assert.equal(head.status, 200, path);
      assert.equal(head.body.length, 0);
      for (const name of ['content-type', 'content-length', 'etag', 'accept-ranges', 'last-modified']) {
        assert.equal(head.headers[name], got.headers[name], `${name} of ${path}`);
      }
    }
    expectStatus(await api.send('HEAD', `${base.root}/items/absent`), 404);
    expectStatus(await api.send('HEAD', `${drive.root}/files/download?name=absent`), 404);
  });

  test('the connection can be used after HEAD', async () => {
    const drive = freshDrive(service.api);
    await drive.put('big', Buffer.alloc(1_000_000));
    const { key } = service.target;
    const connection = await openRaw(service.target);
    const request = (method: string) =>
      `${method} ${drive.root}/files/download?name=big HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`;
    connection.write(request('HEAD'));
    const head = await connection.reply('HEAD');
    connection.write(request('GET'));
    const got = await connection.reply();
    connection.destroy();
    assert.equal(head.headers['content-length'], '1000000');
    assert.equal(got.body.length, 1_000_000);
  });

  test('a target that is no path is no other way to one', async () => {
    const { key, url } = service.target;
    const connection = await openRaw(service.target);
    const files = `${freshDrive(service.api).root}/files`;
    const ask = async (method: string, target: string) => {
      connection.write(`${method} ${target} HTTP/1.1\r\nHost: ${url.host}\r\nX-API-Key: ${key}\r\n\r\n`);
      return await connection.reply();
    };
    for (const target of ['*', `*${files.slice(1)}`, '*health', `ftp://x${files}`, `http://${files}`]) {
      const { status, text } = await ask('GET', target);
      assert.equal(status, 400, target);
      assert.match(text, /"path: must begin with \//);
    }
    assert.equal((await ask('OPTIONS', '*')).status, 204);
    assert.equal((await ask('OPTIONS', '*health')).status, 400);
    // The client of a proxy names the service, too, and may end up here.
    for (const target of [files, `http://x${files}`, `HTTPS://x:1${files}`, 'http://x/health']) {
      assert.equal((await ask('GET', target)).status, 200, target);
    }
    // The page of the console, if the service serves one.
    assert.notEqual((await ask('GET', 'http://x?y')).status, 400);
    connection.destroy();
  });

  test('an unknown path or method is reported before the key is checked', async () => {
    const { api } = service;
    expectStatus(await api.send('GET', `${root()}/b/nothing`, { key: null }), 404);
    expectStatus(await api.send('PUT', `${root()}/b/query`, { key: null }), 405);
  });

  test('an empty segment is not a name', async () => {
    const { api } = service;
    for (const path of [
      `${root()}//items/k`,
      `${root()}/b/items/`,
      '/v1//b/items/k',
      `${root()}/b//items/k`,
    ]) {
      const { status } = await api.send('GET', path);
      assert.ok([400, 401, 404].includes(status), `${path}: ${status}`);
    }
  });

  test('health and readiness need no key', async () => {
    for (const path of ['/health', '/ready']) {
      expectStatus(await service.api.send('GET', path, { key: null }), 200);
    }
  });

  describe('the name of a base or drive', { concurrency: true }, () => {
    const good = [
      'a',
      '-',
      '.',
      '..',
      'with space',
      'a/b',
      'Ünïcode',
      '名前',
      '🙂',
      'a%b',
      'a?b',
      'a#b',
      'items',
    ];
    for (const name of [...good, 'n'.repeat(255), 'é'.repeat(127), '_', '\\', 'a+b', '%2F', '__proto__']) {
      test(`the name of a base or drive may be ${JSON.stringify(name.slice(0, 20))} of ${Buffer.byteLength(name)} bytes`, async () => {
        const { api } = service;
        const base = freshBase(api, name);
        expectStatus(await base.put({ key: 'k', name }), 207);
        expectJson(await base.get('k'), 200, { key: 'k', name });
        const drive = freshDrive(api, name);
        const reply = await drive.put('f', name);
        expectStatus(reply, 201);
        assert.equal(reply.json<{ drive_name: string }>().drive_name, name);
        assert.equal((await drive.get('f')).text, name);
      });
    }

    const bad = ['n'.repeat(256), 'é'.repeat(128), 'a\u0000b', 'a\nb', '\u007f', '\u0085'];
    for (const name of bad) {
      test(`the name of a base or drive may not be ${JSON.stringify(name.slice(0, 20))} of ${Buffer.byteLength(name)} bytes`, async () => {
        const { api } = service;
        expectErrors(await freshBase(api, name).put({ key: 'k' }), 400, /name/);
        expectErrors(await freshDrive(api, name).put('f', 'x'), 400, /name/);
      });
    }

    test('the name is percent-decoded once', async () => {
      const { api } = service;
      const name = freshName('%41');
      const encoded = encodeURIComponent(name);
      expectStatus(
        await api.send('PUT', `${root()}/${encoded}/items`, { json: { items: [{ key: 'k' }] } }),
        207,
      );
      expectStatus(await api.send('GET', `${root()}/${encoded}/items/k`), 200);
      expectStatus(await api.send('GET', `${root()}/${name.replace('%41', 'A')}/items/k`), 404);
      expectStatus(await api.send('GET', `${root()}/${name}/items/k`), 404);
    });

    test('a malformed percent-encoding, or one that is not UTF-8, is answered with 400', async () => {
      for (const segment of ['%', '%zz', '%F', '%ff', '%C3%28', '%ED%A0%80']) {
        expectErrors(await service.api.send('GET', `${root()}/${segment}/items/k`), 400);
      }
    });

    test('a base and a drive of the same name are independent', async () => {
      const { api } = service;
      const name = freshName('both');
      const base = freshBase(api, name);
      const drive = freshDrive(api, name);
      await base.put({ key: 'k' });
      await drive.put('k', 'file');
      await drive.remove(['k']);
      expectJson(await base.get('k'), 200, { key: 'k' });
      expectJson(await drive.list(), 200, { names: [] });
    });

    test('a base or drive that was never written is empty', async () => {
      const { api } = service;
      expectJson(await freshBase(api).query({}), 200, { paging: { size: 0 }, items: [] });
      expectJson(await freshBase(api).get('k'), 404, { key: 'k' });
      expectJson(await freshDrive(api).list(), 200, { names: [] });
    });
  });
});
