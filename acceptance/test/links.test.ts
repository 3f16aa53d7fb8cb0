import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Reply, SendOptions } from '../src/api.js';
import { type Drive, freshDrive, freshName } from '../src/names.js';
import { launchTarget } from '../src/target.js';
import { expectErrors, expectJson, expectStatus, expectTooLargePage } from './support/expect.js';
import { fileNameOf, hostileNames, hostileTypes } from './support/hostile-files.js';
import { createKey, deleteKey } from './support/keys.js';
import { openRaw } from './support/raw-connection.js';
import { useService } from './support/service.js';

interface Made {
  readonly name: string;
  readonly url: string;
  readonly expires: number;
}

const invalid = { errors: ['Forbidden: the link is not valid, or no longer'] };
const day = 24 * 3600;

/** docs/http.md#links */
describe('links', { concurrency: true }, () => {
  const service = useService();

  const create = (drive: Drive, json: object, key?: string) =>
    service.api.send('POST', `${drive.root}/links`, { json, ...(key !== undefined && { key }) });
  async function linkOf(drive: Drive, json: object, key?: string): Promise<string> {
    const reply = await create(drive, { expires_in: day, ...json }, key);
    expectStatus(reply, 201);
    return (reply.json<{ links: Made[] }>().links[0] as Made).url;
  }
  const readLink = (drive: Drive, name: string, more: object = {}) =>
    linkOf(drive, { name, method: 'GET', ...more });
  const writeLink = (drive: Drive, name: string, more: object = {}) =>
    linkOf(drive, { name, method: 'POST', ...more });

  /** The path of a link, as a client sends it. */
  const pathOf = (url: string) => new URL(url).pathname;
  /** Sends a request without a key, byte for byte. */
  const use = (method: string, url: string, options: SendOptions = {}) =>
    service.api.send(method, pathOf(url), { key: null, ...options });
  const store = (drive: Drive, name: string, body: string, type = 'text/plain') =>
    service.api.send('POST', `${drive.root}/files?name=${encodeURIComponent(name)}`, { body, type });

  function expectInvalid(reply: Reply): void {
    expectJson(reply, 403, invalid);
    assert.equal(reply.headers['cache-control'], 'private, no-store');
  }

  describe('for downloads', { concurrency: true }, () => {
    test('are made for one name or for several, in their order', async () => {
      const drive = freshDrive(service.api);
      const names = ['b.txt', 'a/ä b.txt', 'absent'];
      const now = Math.floor(Date.now() / 1000);
      const reply = await create(drive, { names, method: 'GET', expires_in: 60 });
      expectStatus(reply, 201);
      const { links } = reply.json<{ links: Made[] }>();
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
          'content-security-policy': 'sandbox',
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
        assert.equal(headers['content-security-policy'], 'sandbox');
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

  describe('for uploads', { concurrency: true }, () => {
    test('store one file without a key, once', async () => {
      const { target } = service;
      const drive = freshDrive(service.api);
      const url = await writeLink(drive, 'in/a.txt');
      const stored = { name: 'in/a.txt', project_id: target.project, drive_name: drive.name };
      expectJson(await use('POST', url, { body: 'one', type: 'text/x-own' }), 201, stored);
      const reply = await drive.get('in/a.txt');
      assert.equal(reply.text, 'one');
      assert.equal(reply.headers['content-type'], 'text/x-own');
      expectErrors(await use('POST', url, { body: 'two' }), 409, /^The file exists already$/);
      assert.equal((await drive.get('in/a.txt')).text, 'one');
      for (const method of ['GET', 'HEAD']) expectStatus(await use(method, url), 403);
    });

    test('of many uploads at once, one stores the file', async () => {
      const drive = freshDrive(service.api);
      const url = await writeLink(drive, 'f');
      const bodies = Array.from({ length: 12 }, (_, n) => `${n}`.repeat(n % 2 === 0 ? 10 : 50_000));
      const replies = await Promise.all(bodies.map((body) => use('POST', url, { body })));
      const stored = replies.findIndex(({ status }) => status === 201);
      assert.deepEqual(
        replies.map(({ status }) => status),
        bodies.map((_, n) => (n === stored ? 201 : 409)),
      );
      assert.equal((await drive.get('f')).text, bodies[stored]);
    });

    test('replace the file if they say so, and obey conditions', async () => {
      const drive = freshDrive(service.api);
      const url = await writeLink(drive, 'f', { overwrite: true });
      for (const body of ['one', 'two']) expectStatus(await use('POST', url, { body }), 201);
      const only = (headers: Readonly<Record<string, string>>) =>
        use('POST', url, { body: 'three', headers });
      expectErrors(await only({ 'If-None-Match': '*' }), 412);
      expectErrors(await only({ 'If-Match': '"other"' }), 412);
      assert.equal((await drive.get('f')).text, 'two');
      expectStatus(await only({ 'If-Match': String((await drive.get('f')).headers.etag) }), 201);
    });

    test('bound the size, announced or not, to the byte', async () => {
      const drive = freshDrive(service.api);
      for (const max of [0, 10, 20_000, 300_000]) {
        const name = `f${max}`;
        const url = await writeLink(drive, name, { max_bytes: max });
        expectTooLargePage(await use('POST', url, { body: Buffer.alloc(max + 1) }));
        for (const sizes of [[max + 1], [max, 1], Array(20).fill(Math.ceil((max + 1) / 20) + 1)]) {
          expectStatus((await chunked(url, sizes)) as Reply, 413);
        }
        expectStatus(await drive.get(name), 404);
        expectStatus((await chunked(url, [max])) as Reply, 201);
        assert.equal((await drive.get(name)).body.length, max);
      }
    });

    test('have the limit of Put File if they say none', async () => {
      const drive = freshDrive(service.api);
      const url = await writeLink(drive, 'f');
      const limit = 10 * 1024 * 1024;
      expectTooLargePage(await use('POST', url, { body: Buffer.alloc(limit + 1) }));
      expectStatus(await use('POST', url, { body: Buffer.alloc(limit) }), 201);
    });

    test('leave nothing behind when the client stops early', async () => {
      const drive = freshDrive(service.api);
      for (const length of [5, 100_000]) {
        const url = await writeLink(drive, `f${length}`);
        const connection = await openRaw(service.target.url);
        connection.write(`POST ${pathOf(url)} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\nabc`);
        connection.end();
        await connection.closed;
        expectStatus(await drive.get(`f${length}`), 404);
        expectStatus(await use('POST', url, { body: 'x' }), 201);
      }
    });

    /** Sends a body in chunks of these sizes. */
    async function chunked(url: string, sizes: readonly number[]) {
      const connection = await openRaw(service.target.url);
      try {
        connection.write(`POST ${pathOf(url)} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
        for (const size of sizes.filter((one) => one > 0)) {
          connection.write(`${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`);
        }
        connection.write('0\r\n\r\n');
        return await connection.reply();
      } finally {
        connection.destroy();
      }
    }

    for (const [allowed, yes, no] of [
      [
        'image/png',
        ['image/png', 'IMAGE/PNG', 'image/png; a="b;c"'],
        ['image/jpeg', 'image/pngx', 'image/*'],
      ],
      ['image/*', ['image/png', 'image/svg+xml', 'Image/X'], ['text/html', 'imagex/png', 'image', 'image/']],
      ['Text/Plain', ['text/plain', 'text/plain;charset=utf-8'], ['text/html', 'text/*']],
    ] as const) {
      test(`bound the type: ${allowed}`, async () => {
        const drive = freshDrive(service.api);
        const name = 'f.html';
        const url = await writeLink(drive, name, { content_type: allowed, overwrite: true });
        for (const type of yes) {
          expectStatus(await use('POST', url, { body: 'x', type }), 201);
          assert.equal((await drive.get(name)).headers['content-type'], type);
        }
        const first = yes[0];
        const tricks = [
          `${first}, text/html`,
          `${first};, text/html`,
          `${first} text/html`,
          `${first};a="`,
          `;${first}`,
        ];
        for (const type of [...no, ...tricks, '*/*', '', 'text/html']) {
          expectErrors(await use('POST', url, { body: 'y', type }), 415, /^Content-Type: must be /);
        }
        assert.equal((await drive.get(name)).text, 'x');
      });
    }

    test('without a type, the name says it', async () => {
      const drive = freshDrive(service.api);
      const png = await writeLink(drive, 'f.png', { content_type: 'image/*' });
      expectStatus(await use('POST', png, { body: 'x' }), 201);
      assert.equal((await drive.get('f.png')).headers['content-type'], 'image/png');
      const html = await writeLink(drive, 'f.html', { content_type: 'image/*' });
      expectErrors(await use('POST', html, { body: 'x' }), 415);
    });

    test('work for every name', async () => {
      const drive = freshDrive(service.api);
      for (const name of hostileNames) {
        expectStatus(await use('POST', await writeLink(drive, name), { body: name }), 201);
        assert.equal((await drive.get(name)).text, name);
      }
    });
  });

  describe('are refused', { concurrency: true }, () => {
    for (const [json, message] of [
      [[], /^body: must be a JSON object/],
      [{}, /^method: must be GET or POST/],
      [{ method: 'HEAD', name: 'f', expires_in: 1 }, /^method: /],
      [{ method: 'GET', expires_in: 1 }, /^name: give either name or names/],
      [{ method: 'GET', name: 'f', names: ['f'], expires_in: 1 }, /^name: give either/],
      [{ method: 'GET', name: 1, expires_in: 1 }, /^name: must be a string/],
      [{ method: 'GET', name: '', expires_in: 1 }, /^name: must not be empty/],
      [{ method: 'GET', name: 'a/', expires_in: 1 }, /^name: must not end with/],
      [{ method: 'GET', names: [], expires_in: 1 }, /^names: must be a list of 1 to 1000/],
      [{ method: 'GET', names: Array(1001).fill('f'), expires_in: 1 }, /^names: must be a list/],
      [{ method: 'GET', names: ['f', 'a\n'], expires_in: 1 }, /^names\[1\]: .*control characters/],
      [{ method: 'GET', name: 'f' }, /^expires_in: must be a whole number from 1 to 604800/],
      [{ method: 'GET', name: 'f', expires_in: 0 }, /^expires_in: /],
      [{ method: 'GET', name: 'f', expires_in: 604_801 }, /^expires_in: /],
      [{ method: 'GET', name: 'f', expires_in: 1.5 }, /^expires_in: /],
      [{ method: 'GET', name: 'f', expires_in: '60' }, /^expires_in: /],
      [{ method: 'GET', name: 'f', expires_in: 60, disposition: 'form-data' }, /^disposition: /],
      [{ method: 'GET', name: 'f', expires_in: 60, max_bytes: 1 }, /^max_bytes: is not a member/],
      [{ method: 'GET', name: 'f', expires_in: 60, overwrite: true }, /^overwrite: is not a member/],
      [{ method: 'POST', name: 'f', expires_in: 60, disposition: 'inline' }, /^disposition: is not/],
      [{ method: 'POST', name: 'f', expires_in: 60, max_bytes: -1 }, /^max_bytes: must be a whole number/],
      [{ method: 'POST', name: 'f', expires_in: 60, max_bytes: 10_485_761 }, /^max_bytes: /],
      [{ method: 'POST', name: 'f', expires_in: 60, max_bytes: null }, /^max_bytes: /],
      [{ method: 'POST', name: 'f', expires_in: 60, content_type: '*/*' }, /^content_type: /],
      [{ method: 'POST', name: 'f', expires_in: 60, content_type: 'image/png;a=b' }, /^content_type: /],
      [{ method: 'POST', name: 'f', expires_in: 60, content_type: 'a/b\r\nX: y' }, /^content_type: /],
      [{ method: 'POST', name: 'f', expires_in: 60, overwrite: 1 }, /^overwrite: /],
    ] as const) {
      test(`to bodies like ${JSON.stringify(json).slice(0, 90)}`, async () => {
        expectErrors(await create(freshDrive(service.api), json), 400, message);
      });
    }

    test('to keys that may not make them', async () => {
      const { api, target } = service;
      const drive = freshDrive(api);
      const json = { name: 'f', method: 'GET', expires_in: 60 };
      for (const key of ['wrong', target.otherKey]) expectErrors(await create(drive, json, key), 401);
      for (const access of ['read', 'write']) {
        const { key } = await createKey(api, { access, expires_in: 3600 });
        expectErrors(await create(drive, json, key), 403, /^Forbidden: the operation needs full access/);
      }
      const scoped = await createKey(api, { drives: [drive.name], prefix: 'in/', expires_in: 3600 });
      expectErrors(await create(drive, json, scoped.key), 403, /prefix/);
      expectErrors(await create(drive, { ...json, name: undefined, names: ['in/a', 'f'] }, scoped.key), 403);
      expectErrors(await create(freshDrive(api), { ...json, name: 'in/a' }, scoped.key), 403, /scope/);
      expectStatus(await create(drive, { ...json, name: 'in/a' }, scoped.key), 201);
    });
  });

  describe('end', { concurrency: true }, () => {
    test('in their second', async () => {
      const drive = freshDrive(service.api);
      await store(drive, 'f', 'x');
      const made = await create(drive, { name: 'f', method: 'GET', expires_in: 5 });
      const { url, expires } = made.json<{ links: Made[] }>().links[0] as Made;
      expectStatus(await use('GET', url), 200);
      const upload = await writeLink(drive, 'g', { expires_in: 1 });
      await setTimeout(Math.max(0, expires * 1000 - Date.now()) + 50);
      expectInvalid(await use('GET', url));
      expectInvalid(await use('POST', upload, { body: 'x' }));
      expectStatus(await drive.get('g'), 404);
    });

    test('with the key that made them, and with no other', async () => {
      const { api } = service;
      const drive = freshDrive(api);
      await store(drive, 'in/f', 'x');
      const limits = { drives: [drive.name], prefix: 'in/', expires_in: 3600 };
      const [one, two] = [await createKey(api, limits), await createKey(api, limits)];
      const json = { name: 'in/f', method: 'GET' };
      const urls = [await linkOf(drive, json, one.key), await linkOf(drive, json, two.key)] as const;
      const upload = await linkOf(drive, { name: 'in/g', method: 'POST' }, one.key);
      for (const url of urls) expectStatus(await use('GET', url), 200);
      await deleteKey(api, one);
      // Every server has read its keys again by now, because the key itself is refused by all of them.
      expectInvalid(await use('GET', urls[0]));
      expectStatus(await use('HEAD', urls[0]), 403);
      expectInvalid(await use('POST', upload, { body: 'x' }));
      expectStatus(await use('GET', urls[1]), 200);
    });

    test('with the end of a key that expires', async () => {
      const { api } = service;
      const drive = freshDrive(api);
      await store(drive, 'f', 'x');
      const { key } = await createKey(api, { expires_in: 10 });
      const url = await linkOf(drive, { name: 'f', method: 'GET' }, key);
      expectStatus(await use('GET', url), 200);
      await setTimeout(10_100);
      expectInvalid(await use('GET', url));
    });
  });

  describe('cannot be changed', { concurrency: true }, () => {
    test('in any of their characters', async () => {
      const drive = freshDrive(service.api);
      await store(drive, 'in/ab.txt', 'x');
      const path = pathOf(await readLink(drive, 'in/ab.txt'));
      const replacements = ['A', 'B', 'a', '0', '_', '-', '.', '%41', '~', 'é'.normalize(), '='];
      const targets = new Set<string>();
      for (let at = '/links/'.length; at < path.length; at++) {
        const character = path[at] as string;
        const swapped =
          character === character.toUpperCase() ? character.toLowerCase() : character.toUpperCase();
        for (const other of [
          swapped,
          replacements[at % replacements.length] as string,
          '',
          character.repeat(2),
        ]) {
          const changed = encodeURI(path.slice(0, at) + other + path.slice(at + 1)).replaceAll('%25', '%');
          if (decodeURIComponent(changed) !== path) targets.add(changed);
        }
      }
      assert.ok(targets.size > 500, `${targets.size}`);
      for (const target of targets) {
        const { status, text } = await service.api.send('GET', target, { key: null });
        // Without the slash, it is another path.
        const isPath = target.split('/').length === 4 && !target.endsWith('/');
        assert.ok(status === 403 || (!isPath && status === 404), `${status} ${target}`);
        if (status === 403) assert.deepEqual(JSON.parse(text), invalid);
      }
      expectStatus(await service.api.send('GET', path, { key: null }), 200);
    });

    test('in any of their parts, nor put together from others', async () => {
      const { api, target } = service;
      const drive = freshDrive(api);
      const other = freshDrive(api);
      for (const one of [drive, other])
        for (const name of ['a', 'b', 'x/a']) await store(one, name, 'secret');
      const links = await Promise.all([
        readLink(drive, 'a'),
        readLink(drive, 'b'),
        readLink(other, 'a'),
        readLink(drive, 'x/a'),
        writeLink(drive, 'new', { max_bytes: 1 }),
        readLink(drive, 'a', { disposition: 'attachment' }),
        linkOf(drive, { name: 'a', method: 'GET', expires_in: 60 }),
      ]);
      const parts = links.map((url) => {
        const [, , token = '', file = ''] = pathOf(url).split('/');
        const [id = '', payload = '', signature = ''] = token.split('.');
        return { id, payload, signature, file };
      });
      const first = parts[0] as (typeof parts)[number];
      const forged = (change: object) => {
        const payload = JSON.parse(Buffer.from(first.payload, 'base64url').toString());
        return Buffer.from(JSON.stringify({ ...payload, ...change })).toString('base64url');
      };
      const tokens: string[] = [];
      for (const { payload, signature } of parts) {
        for (const from of parts) {
          if (from.payload !== payload) tokens.push(`${first.id}.${payload}.${from.signature}/${first.file}`);
        }
        tokens.push(
          `other.${payload}.${signature}/a`,
          `.${payload}.${signature}/a`,
          `${payload}.${signature}/a`,
        );
      }
      for (const change of [
        { method: 'POST' },
        { method: 'DELETE' },
        { project: 'other' },
        { drive: other.name },
        { name: 'b' },
        { expiresAtSeconds: 4_102_444_800 },
        { disposition: 'attachment' },
        { __proto__: null, extra: 1 },
      ]) {
        tokens.push(`${first.id}.${forged(change)}.${first.signature}/a`);
      }
      const { id, payload, signature } = first;
      const padded = `${payload}${'='.repeat((4 - (payload.length % 4)) % 4)}`;
      tokens.push(
        `${id}.${payload}.${signature}/b`,
        `${id}.${payload}.${signature}/A`,
        `${id}.${payload}.${signature}/a%00`,
        `${id}.${payload}.${signature}/a%20`,
        `${id}.${payload}.${signature}/a.`,
        `${id}.${payload}.${signature}/x%2Fa`,
        `${id}.${payload}.${signature}./a`,
        `${id}.${payload}.${signature}A/a`,
        `${id}.${payload}.${signature.slice(0, -1)}/a`,
        `${id}.${payload}../a`,
        `${id}.${payload}./a`,
        `${id}..${signature}/a`,
        `${id}.${padded}=.${signature}/a`,
        `${id}.${payload}.${payload}.${signature}/a`,
        `${id}.${payload},${signature}/a`,
        `${id}.${payload}.${Buffer.from(signature, 'base64url').toString('hex')}/a`,
        `${id}%00.${payload}.${signature}/a`,
        `${'i'.repeat(5000)}.${payload}.${signature}/a`,
        `${id}.${'p'.repeat(20_000)}.${signature}/a`,
        `__proto__.${payload}.${signature}/a`,
        `constructor.${payload}.${signature}/a`,
        `${target.key}.${payload}.${signature}/a`,
      );
      for (const token of tokens) {
        for (const method of ['GET', 'POST']) {
          const reply = await api.send(method, `/links/${token}`, {
            key: null,
            ...(method === 'POST' && { body: 'xx' }),
          });
          expectInvalid(reply);
        }
      }
      for (const path of [
        '/links',
        '/links/',
        `/links/${id}.${payload}.${signature}`,
        `/links//a`,
        `/links/x/a/b`,
      ]) {
        const { status } = await api.send('GET', path, { key: null });
        assert.ok([403, 404].includes(status), `${path} ${status}`);
      }
    });

    test('by what stands around them: query, host, key, method override', async () => {
      const { api, target } = service;
      const drive = freshDrive(api);
      await store(drive, 'a', 'right');
      await store(drive, 'b', 'wrong');
      const path = pathOf(await readLink(drive, 'a'));
      for (const query of [
        '?name=b',
        '?method=POST',
        '?name=a&name=b',
        '?expires=1',
        '?',
        '?all=true',
        '?%',
      ]) {
        assert.equal((await api.send('GET', path + query, { key: null })).text, 'right', query);
      }
      for (const key of [target.key, target.otherKey, 'wrong']) {
        assert.equal((await api.send('GET', path, { key })).text, 'right');
        expectInvalid(await api.send('GET', `${path}x`, { key }));
      }
      for (const header of [
        'X-HTTP-Method-Override',
        'X-Method-Override',
        'X-Original-URL',
        'X-Forwarded-Host',
      ]) {
        assert.equal(
          (await api.send('GET', path, { key: null, headers: { [header]: 'POST' } })).text,
          'right',
        );
      }
      for (const host of ['other.example', 'other.example:1', '[::1]']) {
        assert.equal((await api.send('GET', path, { key: null, headers: { Host: host } })).text, 'right');
      }
      expectStatus(await api.send('DELETE', path, { key: target.key }), 405);
    });

    test('on either way through the server', async () => {
      const drive = freshDrive(service.api);
      await store(drive, 'f', 'x');
      const path = pathOf(await readLink(drive, 'f'));
      // As the first request of a connection, and after one that Node's parser has read.
      for (const isFast of [true, false]) {
        const connection = await openRaw(service.target.url);
        if (!isFast) {
          connection.write('HEAD /health HTTP/1.1\r\nHost: x\r\n\r\n');
          await connection.reply('HEAD');
        }
        for (const [target, status] of [
          [path, 200],
          [`${path}x`, 403],
          [path.replace('.', '.A'), 403],
        ] as const) {
          connection.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
          assert.equal((await connection.reply()).status, status);
        }
        connection.destroy();
      }
    });
  });

  test('have the host of the request, or that of the proxy in front', async () => {
    const { api } = service;
    const drive = freshDrive(api);
    const json = { name: 'f', method: 'GET', expires_in: 60 };
    const options = { json, headers: { Host: 'data.example:8443' } };
    const reply = await api.send('POST', `${drive.root}/links`, options);
    const { url } = reply.json<{ links: Made[] }>().links[0] as Made;
    assert.match(url, /^https?:\/\/data\.example:8443\/links\//);
  });

  test('a base or drive named links or public has its items and files', async () => {
    for (const word of ['links', 'public']) {
      const drive = freshDrive(service.api, freshName(word));
      await store(drive, word, word);
      assert.equal((await use('GET', await readLink(drive, word))).text, word);
    }
  });
});

describe('links of a service behind a proxy', { concurrency: true }, () => {
  const service = useService(() => launchTarget('--public-url', 'https://example.com/data/'));

  test('begin with its address, whatever the request says', async () => {
    const { api } = service;
    const drive = freshDrive(api);
    const json = { name: 'a/f.txt', method: 'GET', expires_in: 60 };
    const options = { json, headers: { Host: 'inside.example', 'X-Forwarded-Host': 'evil.example' } };
    const reply = await api.send('POST', `${drive.root}/links`, options);
    const { url } = reply.json<{ links: Made[] }>().links[0] as Made;
    assert.match(url, /^https:\/\/example\.com\/data\/links\/[\w.-]+\/f\.txt$/);
    await drive.put('a/f.txt', 'x');
    const path = new URL(url).pathname.slice('/data'.length);
    expectStatus(await api.send('GET', path, { key: null }), 200);
  });

  test('are written neither to the log nor to errors', async () => {
    const target = await launchTarget('--log-level', 'info');
    try {
      const { url } = target;
      const made = await fetch(new URL(`/v1/${target.project}/d/links`, url), {
        method: 'POST',
        headers: { 'X-API-Key': target.key, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'file-name', method: 'GET', expires_in: 60 }),
      });
      const [link] = ((await made.json()) as { links: Made[] }).links;
      const answers = [await fetch(link?.url ?? ''), await fetch(`${link?.url}x`)];
      const [, , token = ''] = new URL(link?.url ?? '').pathname.split('/');
      for (const answer of answers) assert.ok(!(await answer.text()).includes(token.slice(0, 12)));
      await target.close();
      const log = target.log();
      assert.match(log, /"route":"\/links\/:token\/:file","status":403/);
      for (const secret of [...token.split('.').slice(1), 'file-name', target.key])
        assert.ok(!log.includes(secret));
    } finally {
      await target.close();
    }
  });
});
