import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshDrive } from '../src/names.js';
import { expectStatus } from './support/expect.js';
import { invalidLink, linksOf } from './support/links.js';
import { openRaw } from './support/raw-connection.js';
import { useService } from './support/service.js';

/** docs/http.md#links */
describe('links cannot be changed', { concurrency: true }, () => {
  const service = useService();
  const { linkOf, readLink, writeLink, pathOf, store, expectInvalid } = linksOf(service);

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
      if (status === 403) assert.deepEqual(JSON.parse(text), invalidLink);
    }
    expectStatus(await service.api.send('GET', path, { key: null }), 200);
  });

  test('in any of their parts, nor put together from others', async () => {
    const { api, target } = service;
    const drive = freshDrive(api);
    const other = freshDrive(api);
    for (const one of [drive, other]) for (const name of ['a', 'b', 'x/a']) await store(one, name, 'secret');
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
    for (const query of ['?name=b', '?method=POST', '?name=a&name=b', '?expires=1', '?', '?all=true', '?%']) {
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
      assert.equal((await api.send('GET', path, { key: null, headers: { [header]: 'POST' } })).text, 'right');
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
      const connection = await openRaw(service.target);
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
