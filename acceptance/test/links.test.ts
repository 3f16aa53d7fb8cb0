import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { freshDrive, freshName } from '../src/names.js';
import { launchTarget } from '../src/target.js';
import { expectErrors, expectStatus } from './support/expect.js';
import { createKey, deleteKey } from './support/keys.js';
import { linksOf, type MadeLink } from './support/links.js';
import { useService } from './support/service.js';

/** docs/http.md#links */
describe('links', { concurrency: true }, () => {
  const service = useService();
  const { create, linkOf, readLink, writeLink, use, store, expectInvalid } = linksOf(service);

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
      const { url, expires } = made.json<{ links: MadeLink[] }>().links[0] as MadeLink;
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

  test('have the host of the request, or that of the proxy in front', async () => {
    const { api } = service;
    const drive = freshDrive(api);
    const json = { name: 'f', method: 'GET', expires_in: 60 };
    const options = { json, headers: { Host: 'data.example:8443' } };
    const reply = await api.send('POST', `${drive.root}/links`, options);
    const { url } = reply.json<{ links: MadeLink[] }>().links[0] as MadeLink;
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
    const { url } = reply.json<{ links: MadeLink[] }>().links[0] as MadeLink;
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
      const [link] = ((await made.json()) as { links: MadeLink[] }).links;
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
