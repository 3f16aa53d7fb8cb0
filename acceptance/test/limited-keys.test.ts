import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Reply } from '../src/api.js';
import { freshName } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { createKey, deleteKey, listedKeys } from './support/keys.js';
import { type Place, readOperations, requestsOf } from './support/operations.js';
import { useService } from './support/service.js';

// Every operation of the table of docs/http.md#all-operations is tried with every kind of key, in and out of its
// scope. A line that is added there is tried, too.

const operations = readOperations();
const ranks = { read: 1, write: 2, full: 3 };
const accesses = ['read', 'write', 'full'] as const;
/** Of everything that exists and that the keys with a prefix may not see. */
const hidden = 'hidden';
const within = 'seen/';

describe('limited keys', () => {
  const service = useService();
  const base = freshName('in');
  const other = freshName('other');

  const key = async (limits: object): Promise<string> =>
    (await createKey(service.api, { expires_in: 3600, ...limits })).key;
  const at = (name: string, item: string): Place => ({ project: service.target.project, name, item });
  const rootOf = (name: string) => `/v1/${service.target.project}/${name}`;

  /** Items and files with the prefix and without. */
  async function fill(name: string): Promise<void> {
    const { api } = service;
    const items = [`${within}a`, `${within}b`, `a-${hidden}`, `z-${hidden}`].map((item, n) => ({
      key: item,
      by: item.includes(hidden) ? hidden : 'seen',
      n,
    }));
    expectStatus(await api.send('PUT', `${rootOf(name)}/items`, { json: { items } }), 207);
    for (const { key: file, by } of items) {
      const path = `${rootOf(name)}/files?name=${encodeURIComponent(file)}`;
      expectStatus(await api.send('POST', path, { body: by }), 201);
      expectStatus(await api.send('POST', path.replace('/files', '/uploads')), 202);
    }
  }

  /** What the keys with a prefix must not change. */
  async function hiddenOf(name: string): Promise<unknown> {
    const { api } = service;
    const items = await api.send('GET', `${rootOf(name)}/items`);
    const files = await api.send('GET', `${rootOf(name)}/files?details=true`);
    const uploads = await api.send('GET', `${rootOf(name)}/uploads`);
    const isHidden = (value: unknown) => JSON.stringify(value).includes(hidden);
    return [
      items.text.split('\n').filter(isHidden),
      files.json<{ files: unknown[] }>().files.filter(isHidden),
      uploads.json<{ uploads: unknown[] }>().uploads.filter(isHidden),
    ];
  }

  before(async () => {
    await fill(base);
    await fill(other);
  });

  test('the table has every operation of the reference', () => {
    assert.ok(operations.length >= 32, `${operations.length} operations`);
    for (const operation of operations) assert.ok(requestsOf(operation, at(base, 'x')).length > 0);
  });

  for (const access of accesses) {
    describe(`a key with ${access} access`, () => {
      let everywhere: string;
      let here: string;
      let elsewhere: string;
      before(async () => {
        everywhere = await key({ access });
        here = await key({ access, bases: [base], drives: [base] });
        elsewhere = await key({ access, bases: [`${other}*`], drives: [`${other}*`] });
      });

      for (const operation of operations) {
        const isEnough = operation.access !== 'without limits' && ranks[access] >= ranks[operation.access];
        test(`${operation.text} is ${isEnough ? 'allowed' : 'refused'}`, async () => {
          // A base and a drive of its own: some operations delete all of it.
          const place = at(`${base}-none`, 'item');
          for (const { method, path, options } of requestsOf(operation, place)) {
            const reply = await service.api.send(method, path, { ...options, key: everywhere });
            expectAllowed(reply, isEnough);
          }
        });
        if (operation.place === 'project' || !isEnough) continue;
        test(`${operation.text} works in the scope, and nowhere else`, async () => {
          for (const { method, path, options } of requestsOf(operation, at(other, 'item'))) {
            if (operation.access === 'full' || operation.text.includes('/query/')) continue;
            expectAllowed(await service.api.send(method, path, { ...options, key: elsewhere }), true);
          }
          const before = await hiddenOf(other);
          const replies: Reply[] = [];
          for (const name of [other, freshName('never')]) {
            for (const { method, path, options } of requestsOf(operation, at(name, 'item'))) {
              replies.push(await service.api.send(method, path, { ...options, key: here }));
            }
          }
          // Whether the base exists or not: the same answer.
          for (const reply of replies) {
            expectErrors(reply, 403, /^Forbidden: the (base|drive|base or drive) is beyond the scope/);
            assert.deepEqual(comparable(reply), comparable(replies[0] as Reply));
          }
          assert.deepEqual(await hiddenOf(other), before);
        });
      }
    });
  }

  describe('a key with a prefix', () => {
    let prefixed: string;
    before(async () => {
      prefixed = await key({ access: 'full', prefix: within });
    });

    for (const operation of operations.filter(({ beyond }) => beyond === 'refused')) {
      test(`${operation.text} beyond it is refused, whether it exists or not`, async () => {
        const name = freshName('prefixed');
        await fill(name);
        const before = await hiddenOf(name);
        const requests = requestsOf(operation, at(name, `a-${hidden}`));
        const absent = requestsOf(operation, at(name, 'absent'));
        for (const [index, { method, path, options }] of requests.entries()) {
          const reply = await service.api.send(method, path, { ...options, key: prefixed });
          const none = await service.api.send(method, absent[index]?.path ?? '', {
            ...absent[index]?.options,
            key: prefixed,
          });
          assert.deepEqual(comparable(reply), comparable(none));
          if (options.type === 'application/x-ndjson') {
            const [line = '', sums = ''] = reply.text.split('\n');
            assert.match(JSON.parse(line).errors[0], /^Forbidden: /);
            assert.deepEqual(JSON.parse(sums), { stored: 0, failed: 1 });
          } else {
            expectErrors(reply, 403, /^Forbidden: .* must begin with the prefix/);
          }
        }
        assert.deepEqual(await hiddenOf(name), before);
      });

      test(`${operation.text} within it is allowed`, async () => {
        const name = freshName('prefixed');
        await fill(name);
        for (const { method, path, options } of requestsOf(operation, at(name, `${within}a`))) {
          expectAllowed(await service.api.send(method, path, { ...options, key: prefixed }), true);
        }
      });
    }

    for (const operation of operations.filter(({ beyond }) => beyond === 'never')) {
      test(`${operation.text} is refused`, async () => {
        const name = freshName('prefixed');
        for (const { method, path, options } of requestsOf(operation, at(name, `${within}a`))) {
          const reply = await service.api.send(method, path, { ...options, key: prefixed });
          expectErrors(reply, 403, /^Forbidden: the key has a prefix/);
        }
      });
    }

    for (const operation of operations.filter(({ beyond }) => beyond === 'narrowed')) {
      test(`${operation.text} neither shows nor touches what is beyond it`, async () => {
        const name = freshName('prefixed');
        await fill(name);
        const before = await hiddenOf(name);
        for (const item of [`a-${hidden}`, '', within, 's', 'z']) {
          for (const { method, path, options } of requestsOf(operation, at(name, item))) {
            const reply = await service.api.send(method, path, { ...options, key: prefixed });
            expectAllowed(reply, true);
            assert.ok(!reply.text.includes(hidden), reply.text);
          }
        }
        assert.deepEqual(await hiddenOf(name), before);
      });
    }

    test('numbers count only what is within it', async () => {
      const name = freshName('prefixed');
      await fill(name);
      const { api } = service;
      const root = rootOf(name);
      const send = (method: string, path: string, json?: object) =>
        api.send(method, root + path, { key: prefixed, ...(json && { json }) });
      expectJson(await send('POST', '/query/count', {}), 200, { count: 2 });
      const page = (await send('POST', '/query', { order: ['n'], count: true, limit: 1 })).json<{
        paging: { total: number };
      }>();
      assert.equal(page.paging.total, 2);
      const stats = (await send('GET', '/stats')).json<{
        base: { items: number };
        drive: { files: number };
      }>();
      assert.equal(stats.base.items, 2);
      assert.equal(stats.drive.files, 2);
      const dryRun = { all: true, dry_run: true };
      expectJson(await send('POST', '/query/delete', dryRun), 200, { matched: 2 });
      expectJson(await send('DELETE', '/items?all=true'), 200, { deleted: 2 });
      expectJson(await send('DELETE', '/files?all=true'), 200, { deleted: 2 });
    });

    test('queries that read an index show and count only what is within it', async () => {
      const name = freshName('indexed');
      await fill(name);
      const { api } = service;
      const index = `${rootOf(name)}/indexes`;
      expectStatus(await api.send('PUT', `${index}/by-n`, { json: { fields: ['n'] } }), 202);
      const states = async () =>
        (await api.send('GET', index))
          .json<{ indexes: { state: string }[] }>()
          .indexes.map(({ state }) => state);
      while ((await states()).some((state) => state !== 'ready')) await new Promise(setImmediate);
      const queries = [{}, { offset: 1 }, { count: true }, { limit: 1 }, { query: [{ 'n?gte': 0 }] }];
      for (const more of queries) {
        for (const order of [['n'], ['-n']]) {
          const send = (json: object) => api.send('POST', `${rootOf(name)}/query`, { json, key: prefixed });
          const reply = await send({ order, ...more });
          assert.ok(!reply.text.includes(hidden), reply.text);
          const { paging, items } = reply.json<{
            paging: { total?: number; last?: string };
            items: object[];
          }>();
          assert.equal(items.length, 'offset' in more || 'limit' in more ? 1 : 2);
          if ('count' in more) assert.equal(paging.total, 2);
          if (paging.last === undefined) continue;
          const next = await send({ order, last: paging.last });
          assert.ok(!next.text.includes(hidden), next.text);
        }
      }
      const all = { query: [{ 'n?gte': 0 }] };
      const send = (path: string, json: object) =>
        api.send('POST', `${rootOf(name)}/query/${path}`, { json, key: prefixed });
      expectJson(await send('count', all), 200, { count: 2 });
      const updated = await send('update', { ...all, set: { by: 'test' } });
      assert.equal(updated.json<{ updated: number }>().updated, 2);
      expectJson(await send('delete', all), 200, { deleted: 2 });
      const left = await api.send('POST', `${rootOf(name)}/query`, { json: { order: ['n'] } });
      assert.equal(left.json<{ items: object[] }>().items.length, 2);
      assert.match(String(left.headers['server-timing']), /index;desc="by-n"/);
    });

    test('no cursor leads out of it', async () => {
      const name = freshName('prefixed');
      await fill(name);
      const { api } = service;
      const root = rootOf(name);
      // The cursor of an ordered query that another key made begins before everything that this key may see.
      const all = await api.send('POST', `${root}/query`, { json: { order: ['-n'], limit: 1 } });
      const { last } = all.json<{ paging: { last: string } }>().paging;
      const queries: object[] = [
        { last: 'a' },
        { last: 'y', sort: 'desc' },
        { last: '~', sort: 'desc' },
        { last, order: ['-n'] },
      ];
      for (const query of queries) {
        const reply = await api.send('POST', `${root}/query`, { json: query, key: prefixed });
        const keys = reply.json<{ items: { key: string }[] }>().items.map((item) => item.key);
        assert.deepEqual([...keys].sort(), [`${within}a`, `${within}b`], JSON.stringify(query));
      }
      for (const after of ['a', `a-${hidden}`, 'y']) {
        for (const recursive of [true, false]) {
          const path = `${root}/files?last=${after}&recursive=${recursive}`;
          assert.ok(!(await api.send('GET', path, { key: prefixed })).text.includes(hidden));
        }
      }
    });

    test('an upload of a hidden file is unknown under every other name', async () => {
      const name = freshName('prefixed');
      await fill(name);
      const { api } = service;
      const listed = await api.send('GET', `${rootOf(name)}/uploads`);
      const { uploads } = listed.json<{ uploads: { upload_id: string; name: string }[] }>();
      const { upload_id } = uploads.find((upload) => upload.name.includes(hidden)) ?? assert.fail();
      const path = `${rootOf(name)}/uploads/${upload_id}`;
      const named = `?name=${encodeURIComponent(`${within}a`)}`;
      for (const [method, more] of [
        ['GET', named],
        ['PATCH', named],
        ['DELETE', named],
        ['POST', `/parts${named}&part=1`],
      ] as const) {
        expectErrors(await api.send(method, path + more, { key: prefixed }), 404, /^Upload not found$/);
      }
    });

    test('a base without anything within it is not listed', async () => {
      const name = freshName('beyond');
      const items = [{ key: `a-${hidden}` }];
      expectStatus(await service.api.send('PUT', `${rootOf(name)}/items`, { json: { items } }), 207);
      const path = `/v1/${service.target.project}/bases?prefix=${name}`;
      expectJson(await service.api.send('GET', path), 200, { bases: [name] });
      expectJson(await service.api.send('GET', path, { key: prefixed }), 200, { bases: [] });
    });
  });

  test('of a request that names several, one beyond the prefix is enough to refuse it whole', async () => {
    const name = freshName('mixed');
    await fill(name);
    const limited = await key({ access: 'write', prefix: within });
    const before = await hiddenOf(name);
    const both = [`${within}a`, `a-${hidden}`];
    const cases: [method: string, path: string, json: object][] = [
      ['PUT', '/items', { items: both.map((item) => ({ key: item, by: 'test' })) }],
      ['POST', '/transactions', { operations: both.map((item) => ({ delete: { key: item } })) }],
      ['DELETE', '/files', { names: both }],
      ['POST', '/files/move', { files: [{ from: both[0], to: 'out' }] }],
      ['POST', '/files/move', { files: [{ from: both[1], to: `${within}stolen` }] }],
      ['POST', '/files/copy', { files: [{ from: both[1], to: `${within}stolen` }] }],
      ['POST', '/files/copy', { files: [{ from: both[0], to: both[1] }], overwrite: true }],
    ];
    for (const [method, path, json] of cases) {
      expectErrors(
        await service.api.send(method, rootOf(name) + path, { json, key: limited }),
        403,
        /^Forbidden: /,
      );
    }
    assert.deepEqual(await hiddenOf(name), before);
    const left = await service.api.send('POST', `${rootOf(name)}/query`, { json: {}, key: limited });
    assert.deepEqual(
      left.json<{ items: object[] }>().items,
      [`${within}a`, `${within}b`].map((item, n) => ({ by: 'seen', key: item, n })),
    );
  });

  test('a generated key is beyond every prefix, also where it happens to begin with it', async () => {
    const name = freshName('generated');
    // One generated key of 36 begins with this letter.
    const limited = await key({ access: 'write', prefix: 'a' });
    const send = (method: string, path: string, options: object) =>
      service.api.send(method, rootOf(name) + path, { ...options, key: limited });
    const lines = 2000;
    const imported = await send('PUT', '/items', {
      body: '{"by":"test"}\n'.repeat(lines),
      headers: { 'Content-Type': 'application/x-ndjson' },
    });
    const sums = imported.text.trimEnd().split('\n').at(-1) as string;
    assert.deepEqual(JSON.parse(sums), { stored: 0, failed: lines });
    const item = { by: 'test' };
    const cases: [method: string, path: string, json: object][] = [
      ['PUT', '/items', { items: [item] }],
      ['POST', '/items', { item }],
      ['POST', '/transactions', { operations: [{ put: item }] }],
      ['POST', '/transactions', { operations: [{ insert: item }] }],
    ];
    for (const [method, path, json] of cases) {
      for (let n = 0; n < 100; n++) expectErrors(await send(method, path, { json }), 403, /^Forbidden: /);
    }
    const left = await service.api.send('POST', `${rootOf(name)}/query`, { json: {} });
    assert.deepEqual(left.json<{ items: object[] }>().items, []);
  });

  test('bases without drives reach no drive, and the other way round; * stands for a beginning', async () => {
    const { api } = service;
    const name = freshName('one');
    const onlyBase = await key({ access: 'write', bases: [`${name}*`] });
    const onlyDrive = await key({ access: 'write', drives: [name] });
    const get = (where: string, path: string, used: string) =>
      api.send('GET', rootOf(where) + path, { key: used });
    expectStatus(await get(name, '/items/x', onlyBase), 404);
    expectStatus(await get(`${name}-more`, '/items/x', onlyBase), 404);
    expectStatus(await get(name.slice(0, -1), '/items/x', onlyBase), 403);
    expectStatus(await get(name, '/files', onlyBase), 403);
    expectStatus(await get(name, '/files', onlyDrive), 200);
    expectStatus(await get(`${name}-more`, '/files', onlyDrive), 403);
    expectStatus(await get(name, '/items/x', onlyDrive), 403);
    await fill(name);
    const stats = (used: string) => get(name, '/stats', used);
    assert.deepEqual((await stats(onlyBase)).json<{ drive: object }>().drive, {
      files: 0,
      bytes: 0,
      exact: true,
    });
    assert.deepEqual((await stats(onlyDrive)).json<{ base: object }>().base, {
      items: 0,
      bytes: 0,
      exact: true,
    });
    const list = (kind: string, used: string) =>
      api.send('GET', `/v1/${api.target.project}/${kind}`, { key: used });
    expectJson(await list('bases', onlyBase), 200, { bases: [name] });
    expectJson(await list('drives', onlyBase), 200, { drives: [] });
    expectJson(await list('drives', onlyDrive), 200, { drives: [name] });
  });

  test('deleting everything by query needs full access, except in a dry run', async () => {
    const name = freshName('all');
    const write = await key({ access: 'write' });
    const send = (json: object) =>
      service.api.send('POST', `${rootOf(name)}/query/delete`, { json, key: write });
    expectErrors(await send({ all: true }), 403, /^Forbidden: the operation needs full access$/);
    expectErrors(await send({ all: true, query: [{ 'key?gte': '' }] }), 403, /^Forbidden: /);
    expectJson(await send({ all: true, dry_run: true }), 200, { matched: 0 });
    expectJson(await send({ query: [{ 'a?gt': 1 }] }), 200, { deleted: 0 });
  });

  test('a deleted key is refused with the same 401 as any wrong key', async () => {
    const { api } = service;
    const one = await createKey(api, { access: 'read' });
    await deleteKey(api, one);
    const path = `${rootOf(base)}/items/x`;
    const [deleted, wrong] = await Promise.all(
      [one.key, `${api.target.project}_wrong`].map((used) => api.send('GET', path, { key: used })),
    );
    expectJson(deleted as Reply, 401, { errors: ['Unauthorized'], codes: [{ code: 'unauthorized' }] });
    assert.deepEqual(comparable(deleted as Reply), comparable(wrong as Reply));
    expectErrors(
      await api.send('DELETE', `/v1/${api.target.project}/keys?id=${one.id}`),
      404,
      /^Key not found$/,
    );
  });

  test('the keys of another project are neither listed nor deleted', async () => {
    const { api } = service;
    const { otherKey } = api.target;
    const otherProject = otherKey.slice(0, otherKey.indexOf('_'));
    const one = await createKey(api, { access: 'read', expires_in: 3600 });
    const path = `/v1/${otherProject}/keys`;
    assert.ok(!(await api.send('GET', path, { key: otherKey })).text.includes(one.id));
    expectStatus(await api.send('DELETE', `${path}?id=${one.id}`, { key: otherKey }), 404);
    assert.ok((await listedKeys(api)).some(({ id }) => id === one.id));
  });

  test('every key may ask what it may do itself, and learns of no other', async () => {
    const limits = { access: 'write', bases: ['shop-*'], prefix: 't', requests_per_second: 1000 };
    const limited = await key(limits);
    const own = `/v1/${service.target.project}/keys?self=true`;
    const reply = await service.api.send('GET', own, { key: limited });
    assert.equal(reply.status, 200);
    const { id, created, expires, last_used, ...shown } = reply.json<Record<string, unknown>>();
    assert.deepEqual(shown, { ...limits, manages_keys: false });
    assert.equal(typeof id, 'string');
    assert.equal(typeof created, 'number');
    assert.ok(!reply.text.includes(limited));
    const unlimited = await service.api.send('GET', own);
    assert.equal(unlimited.json<{ manages_keys: boolean }>().manages_keys, true);
  });

  test('a key that makes links may ask for how long they work, and they may work no longer', async () => {
    const own = async (key: string) =>
      (await service.api.send('GET', `/v1/${service.target.project}/keys?self=true`, { key })).json<{
        max_link_seconds?: number;
      }>().max_link_seconds;
    const limited = await key({ access: 'full' });
    const longest = (await own(limited)) ?? assert.fail('not told');
    const make = (seconds: number) =>
      service.api.send('POST', `/v1/${service.target.project}/${freshName('d')}/links`, {
        key: limited,
        json: { name: 'a', method: 'GET', expires_in: seconds },
      });
    expectStatus(await make(longest), 201);
    expectErrors(await make(longest + 1), 400);
    assert.equal(await own(await key({ access: 'write' })), undefined);
  });

  test('a list of keys shows their limits and never a key', async () => {
    const { api } = service;
    const limits = {
      name: 'all of it',
      access: 'write',
      bases: ['a', 'b*'],
      drives: ['c'],
      prefix: 'x/',
      origins: ['https://shop.example'],
      requests_per_second: 1000,
    };
    const one = await createKey(api, { ...limits, expires_in: 1000 });
    const listed = await listedKeys(api);
    assert.ok(!JSON.stringify(listed).includes(one.key.split('_')[1] ?? ''));
    const { created, expires, last_used, ...others } =
      listed.find(({ id }) => id === one.id) ?? assert.fail();
    assert.deepEqual(others, { id: one.id, ...limits });
    assert.equal(expires - created, 1000);
    if (last_used !== undefined) assert.equal(last_used % 60, 0);
  });
});

/** An answer as far as it may not depend on what exists. */
function comparable({ status, headers, text }: Reply): unknown {
  const { date: _, 'x-request-id': __, ...others } = headers;
  return { status, others, text };
}

function expectAllowed(reply: Reply, isAllowed: boolean): void {
  if (!isAllowed) expectErrors(reply, 403, /^Forbidden: /);
  else assert.ok(reply.status !== 401 && reply.status !== 403 && reply.status < 500, reply.text);
}
