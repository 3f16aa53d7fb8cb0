import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Api, createApi } from '../src/api.js';
import { isolatedKeyOf, isolatedKeys, isolatedProjects } from '../src/isolated-projects.js';
import { type Base, type Drive, freshBase, freshDrive, openUpload } from '../src/names.js';
import { createRandom, type Random } from '../src/random.js';
import { type ServerProcess, startServer } from '../src/server-process.js';
import { givenTarget } from '../src/target.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';

/** Names that would collide if they were split, joined, case-folded, normalized or decoded once too often. */
const names = [
  'a',
  'a/',
  'a/b',
  'ab',
  '/a',
  '..',
  '../a',
  '../ab/a',
  'a%2Fb',
  'a%00',
  'a+b',
  'a b',
  'A',
  '.',
  'keys',
  'base/a/a',
  'items',
  'files',
  '\u00e9',
  'e\u0301',
  '\ufb01',
  'fi',
  'K',
  '\u212a',
  '\uffff',
  '\u{10000}',
  '\u{10ffff}',
  'a\u00a0',
  'a\u200b',
  'a\ufeff',
  '__proto__',
  'constructor',
];

interface Place {
  readonly project: string;
  readonly base: Base;
  readonly drive: Drive;
  readonly items: Map<string, string>;
  readonly files: Map<string, string>;
}

describe('the isolation of projects, bases and drives', () => {
  let server: ServerProcess | undefined;
  const apis = new Map<string, Api>();
  const places: Place[] = [];

  before(async () => {
    const given = givenTarget();
    if (given === undefined) {
      const keys = isolatedKeys.flatMap((key) => ['--key', key]);
      server = await startServer(['--memory', '--log-level', 'error', ...keys]);
    }
    const url = given?.url ?? (server as ServerProcess).url;
    for (const project of isolatedProjects) {
      const target = { url, key: isolatedKeyOf(project), project, otherKey: '', close: async () => {} };
      const api = createApi(target);
      apis.set(project, api);
      for (const name of names) {
        places.push({
          project,
          base: freshBase(api, name),
          drive: freshDrive(api, name),
          items: new Map(),
          files: new Map(),
        });
      }
    }
  });
  after(async () => {
    for (const api of apis.values()) api.close();
    await server?.stop();
  });

  test('everything is stored where it was written, complete, and nowhere else', async () => {
    const random = createRandom(6);
    for (let n = 0; n < 1500; n++) await change(random, `${n}`);
    for (let at = 0; at < places.length; at += 16) {
      await Promise.all(places.slice(at, at + 16).map((place, n) => assertHoldsItsOwn(place, at + n)));
    }
    assert.ok(places.some(({ items, files }) => items.size > 1 && files.size > 1));
  });

  /** Does one random write at a random place; its value is unique. */
  async function change(random: Random, value: string): Promise<void> {
    const { base, drive, items, files } = random.pick(places);
    const name = random.pick(names);
    const fileName = name.replace(/\/+$/, '.');
    switch (random.int(6)) {
      case 0:
        expectStatus(await base.remove(name), 200);
        items.delete(name);
        return;
      case 1:
        expectStatus(await drive.remove([fileName]), 200);
        files.delete(fileName);
        return;
      case 2:
      case 3:
        expectStatus(await base.put({ key: name, value }), 207);
        items.set(name, value);
        return;
      default:
        expectStatus(await drive.put(fileName, value), 201);
        files.set(fileName, value);
    }
  }

  async function assertHoldsItsOwn({ base, drive, items, files }: Place, at: number): Promise<void> {
    const page = (await base.query({})).json<{ items: { key: string; value: string }[] }>();
    assert.deepEqual(
      page.items.map(({ key, value }) => [key, value]),
      inOrder(items),
    );
    expectJson(await drive.list(), 200, { names: inOrder(files).map(([name]) => name) });
    for (const [key, value] of items) expectJson(await base.get(key), 200, { key, value });
    for (const [name, value] of files) assert.equal((await drive.get(name)).text, value);
    for (const key of someNames(at)) if (!items.has(key)) expectJson(await base.get(key), 404, { key });
    for (const prefix of someNames(at)) {
      const own = inOrder(files).flatMap(([name]) => (name.startsWith(prefix) ? [name] : []));
      expectJson(await drive.list({ prefix }), 200, { names: own });
    }
  }

  /** A quarter of the names, another one in each place of a project, and in places of one name in several projects. */
  function someNames(at: number): string[] {
    const turn = at + Math.floor(at / names.length);
    return names.filter((_, n) => n % 4 === turn % 4);
  }

  function inOrder(map: ReadonlyMap<string, string>): [string, string][] {
    return [...map].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  }

  test('no key gives access to another project with any operation, and all refusals are the same', async () => {
    const json = (value: unknown) => ({ json: value });
    const calls: readonly [method: string, path: string, options?: { json: unknown }][] = [
      ['GET', '/items/a'],
      ['DELETE', '/items/a'],
      ['PATCH', '/items/a', json({ set: { value: 'x' } })],
      ['PUT', '/items', json({ items: [{ key: 'a' }] })],
      ['POST', '/items', json({ item: { key: 'a' } })],
      ['POST', '/query', json({})],
      ['GET', '/files'],
      ['POST', '/files?name=a'],
      ['DELETE', '/files', json({ names: ['a'] })],
      ['GET', '/files/download?name=a'],
      ['POST', '/uploads?name=a'],
      ['POST', `/uploads/${'0'.repeat(32)}/parts?name=a&part=1`],
      ['PATCH', `/uploads/${'0'.repeat(32)}?name=a`],
      ['DELETE', `/uploads/${'0'.repeat(32)}?name=a`],
    ];
    for (const owner of isolatedProjects) {
      const api = apis.get(owner) as Api;
      for (const other of isolatedProjects) {
        if (other === owner) continue;
        const [method, path, options] =
          calls[(isolatedProjects.indexOf(owner) * 3 + isolatedProjects.indexOf(other)) % calls.length]!;
        const reply = await api.send(method, `/v1/${owner}/a${path}`, {
          ...options,
          key: isolatedKeyOf(other),
        });
        assert.deepEqual(expectErrors(reply, 401), ['Unauthorized']);
      }
    }
    const api = apis.get('a') as Api;
    for (const [method, path, options] of calls) {
      const keys = [
        isolatedKeyOf('ab'),
        `a_secret-of-ab`,
        `ab_secret-of-a`,
        `${isolatedKeyOf('a')} x`,
        isolatedKeyOf('A'),
        `${isolatedKeyOf('a')}, ${isolatedKeyOf('ab')}`,
      ];
      for (const key of [...keys, null]) {
        const reply = await api.send(method, `/v1/a/a${path}`, { ...options, key });
        assert.deepEqual(expectErrors(reply, 401), ['Unauthorized'], `${method} ${path} ${key}`);
      }
    }
  });

  test('a path that would change if it were decoded twice or normalized leads to no other project', async () => {
    const api = apis.get('a') as Api;
    await freshBase(apis.get('ab') as Api, 'secret').put({ key: 'k', secret: true });
    for (const path of [
      '/v1/a/../ab/secret/items/k',
      '/v1/a/%2e%2e/ab/secret/items/k',
      '/v1/a/..%2Fab%2Fsecret/items/k',
      '/v1/a%2F..%2Fab/secret/items/k',
      '/v1/%61b/secret/items/k',
      '/v1/a%62/secret/items/k',
      '/v1//ab/secret/items/k',
      '/v1/a/x/items/..%2F..%2F..%2Fab%2Fsecret%2Fitems%2Fk',
      '//v1/ab/secret/items/k',
      '/v1/ab/secret/items/k?project=a',
      'http://elsewhere/v1/ab/secret/items/k',
    ]) {
      const reply = await api.send('GET', path);
      assert.ok([400, 401, 404].includes(reply.status), `${path}: ${reply.status}`);
      assert.ok(!reply.text.includes('secret":true'), path);
    }
  });

  test('an upload is known only in its own drive', async () => {
    const own = freshDrive(apis.get('a') as Api, 'd');
    const id = await openUpload(own, 'f');
    await own.part(id, 'f', 1, Buffer.from('own'));
    for (const other of [freshDrive(apis.get('ab') as Api, 'd'), freshDrive(apis.get('a') as Api, 'D')]) {
      expectErrors(await other.part(id, 'f', 1, Buffer.from('other')), 404);
      expectErrors(await other.end(id, 'f'), 404);
      expectErrors(await other.abort(id, 'f'), 404);
    }
    expectStatus(await own.end(id, 'f'), 200);
    assert.equal((await own.get('f')).text, 'own');
  });

  test('composed and decomposed letters are different names everywhere', async () => {
    const [nfc, nfd] = ['\u00e9', 'e\u0301'];
    const api = apis.get('ab') as Api;
    for (const first of [nfc, nfd]) {
      await freshBase(api, `forms-${first}`).put(
        { key: nfc, in: first },
        { key: nfd, in: first, set: { [nfd]: 1 } },
      );
      await freshDrive(api, `forms-${first}`).put(nfd, first);
    }
    for (const first of [nfc, nfd]) {
      const base = freshBase(api, `forms-${first}`);
      expectJson(await base.get(nfc), 200, { key: nfc, in: first });
      expectJson(await base.query({ query: [{ [`set.${nfc}`]: 1 }] }), 200, {
        paging: { size: 0 },
        items: [],
      });
      const drive = freshDrive(api, `forms-${first}`);
      expectJson(await drive.list(), 200, { names: [nfd] });
      expectStatus(await drive.get(nfc), 404);
      assert.equal((await drive.get(nfd)).text, first);
    }
  });
});
