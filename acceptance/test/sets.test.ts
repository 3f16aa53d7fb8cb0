import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Base, freshBase } from '../src/names.js';
import { expectBadQuery, expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

const pastSeconds = 1;
const paths = ['count', 'delete', 'update'] as const;

describe('sets of items', { concurrency: true }, () => {
  const service = useService();
  const send = (base: Base, path: (typeof paths)[number], json: unknown) =>
    service.api.send('POST', `${base.root}/query/${path}`, { json });

  async function people(): Promise<Base> {
    const base = freshBase(service.api);
    expectStatus(
      await base.put(
        { key: 'ada', age: 36, city: 'London' },
        { key: 'alan', age: 41, city: 'London' },
        { key: 'bob', age: 20 },
        { key: 'eve', age: 'unknown' },
        { key: 'gone', age: 50, __expires: pastSeconds },
      ),
      207,
    );
    return base;
  }

  const keysOf = async (base: Base) =>
    (await base.query({})).json<{ items: { key: string }[] }>().items.map(({ key }) => key);

  test('the items that match are counted', async () => {
    const base = await people();
    expectJson(await send(base, 'count', { query: { 'age?gte': 30 } }), 200, { count: 2 });
    expectJson(await send(base, 'count', { query: [{ 'age?lt': 30 }, { city: 'London' }] }), 200, {
      count: 3,
    });
    expectJson(await send(base, 'count', { query: { 'key?pfx': 'a' } }), 200, { count: 2 });
    for (const all of [{}, { query: null }, { query: [] }, { query: {} }]) {
      expectJson(await send(base, 'count', all), 200, { count: 4 });
    }
    expectJson(await send(freshBase(service.api), 'count', {}), 200, { count: 0 });
  });

  test('the items that match are deleted', async () => {
    const base = await people();
    const query = { 'age?gte': 30 };
    expectJson(await send(base, 'delete', { query, dry_run: true }), 200, { matched: 2 });
    assert.equal((await keysOf(base)).length, 4);
    expectJson(await send(base, 'delete', { query, limit: 1 }), 200, { deleted: 1 });
    assert.deepEqual(await keysOf(base), ['alan', 'bob', 'eve']);
    expectJson(await send(base, 'delete', { query }), 200, { deleted: 1 });
    expectJson(await send(base, 'delete', { query }), 200, { deleted: 0 });
    expectJson(await send(base, 'delete', { all: true }), 200, { deleted: 2 });
    assert.deepEqual(await keysOf(base), []);
  });

  test('the items that match are updated, and those that cannot be are reported', async () => {
    const base = await people();
    expectJson(
      await send(base, 'update', { query: { city: 'London' }, set: { city: 'Paris' }, delete: ['nick'] }),
      200,
      { updated: 2, failed: [], failed_count: 0 },
    );
    expectJson(await base.get('ada'), 200, { key: 'ada', age: 36, city: 'Paris' });
    const increment = { age: 1 };
    expectJson(await send(base, 'update', { all: true, increment, dry_run: true }), 200, { matched: 4 });
    expectJson(await send(base, 'update', { all: true, increment }), 200, {
      updated: 3,
      failed: [
        {
          key: 'eve',
          errors: ['increment.age: the attribute is not a number'],
          codes: [{ code: 'attribute_mismatch', path: 'increment.age' }],
        },
      ],
      failed_count: 1,
    });
    expectJson(await base.get('bob'), 200, { key: 'bob', age: 21 });
    expectJson(await base.get('eve'), 200, { key: 'eve', age: 'unknown' });
    expectJson(
      await send(base, 'update', {
        query: { 'key?pfx': 'a' },
        append: { log: [1] },
        prepend: { first: [0] },
        limit: 1,
      }),
      200,
      { updated: 1, failed: [], failed_count: 0 },
    );
    expectJson(await base.get('ada'), 200, { key: 'ada', age: 37, city: 'Paris', log: [1], first: [0] });
    expectJson(await base.get('alan'), 200, { key: 'alan', age: 42, city: 'Paris' });
  });

  test('an item that would become too large is left as it is', async () => {
    const base = freshBase(service.api);
    await base.put({ key: 'a', text: 'x'.repeat(300 * 1024) }, { key: 'b' });
    const set = { more: 'y'.repeat(200 * 1024) };
    const reply = await send(base, 'update', { all: true, set });
    const { updated, failed } = reply.json<{
      updated: number;
      failed: { key: string; errors: string[] }[];
    }>();
    assert.equal(updated, 1);
    assert.deepEqual(
      failed.map(({ key }) => key),
      ['a'],
    );
    assert.match(failed[0]?.errors[0] ?? '', /^item: has \d+ bytes/);
  });

  test('many large items are updated in batches', async () => {
    const base = freshBase(service.api);
    for (let at = 0; at < 100; at += 25) {
      await base.put(...Array.from({ length: 25 }, (_, n) => ({ key: `k${at + n}` })));
    }
    const text = 'z'.repeat(300 * 1024);
    expectJson(await send(base, 'update', { all: true, set: { text } }), 200, {
      updated: 100,
      failed: [],
      failed_count: 0,
    });
    expectJson(await send(base, 'count', { query: { text } }), 200, { count: 100 });
    expectJson(await send(base, 'delete', { all: true }), 200, { deleted: 100 });
  });

  test('a query that matches every item needs `all`', async () => {
    const base = await people();
    for (const query of [
      undefined,
      null,
      [],
      {},
      [{}],
      [{ age: 36 }, {}],
      { 'key?pfx': '' },
      { 'key?gte': '' },
      // No key comes before them.
      { 'key?gte': '\u0001' },
      { 'key?gt': '\u0000' },
    ]) {
      for (const dry_run of [false, true]) {
        const set = { seen: true };
        expectErrors(await send(base, 'delete', { query, dry_run }), 400, /^all: /);
        expectErrors(await send(base, 'update', { query, dry_run, set }), 400, /^all: /);
        expectErrors(await send(base, 'delete', { query, dry_run, all: false }), 400, /^all: /);
      }
    }
    assert.equal((await keysOf(base)).length, 4);
  });

  test('bad members are answered with 400 that names them, and nothing is changed', async () => {
    const base = await people();
    const set = { seen: true };
    for (const path of ['delete', 'update'] as const) {
      for (const all of ['true', 1, [], {}]) {
        expectErrors(await send(base, path, { all, set }), 400, /^all: /);
        expectErrors(await send(base, path, { all: true, dry_run: all, set }), 400, /^dry_run: /);
      }
      for (const limit of [0, -1, 1.5, '1', [], true]) {
        expectErrors(await send(base, path, { all: true, limit, set }), 400, /^limit: /);
      }
    }
    for (const path of paths) {
      for (const query of [1, 'x', [1], { 'age?like': 1 }, { 'age?r': [1] }, { 'key?ne': 'a' }, { '': 1 }]) {
        expectBadQuery(await send(base, path, { query, set }));
      }
      expectErrors(await send(base, path, []), 400, /^body: /);
      const text = { body: '{}', type: 'text/plain' };
      expectErrors(await service.api.send('POST', `${base.root}/query/${path}`, text), 415);
      const stranger = { json: {}, key: null };
      expectStatus(await service.api.send('POST', `${base.root}/query/${path}`, stranger), 401);
      expectErrors(await service.api.send('GET', `${base.root}/query/${path}`), 405);
    }
    const query = { age: 36 };
    expectErrors(await send(base, 'update', { query }), 400, /^body: names no operation/);
    expectErrors(await send(base, 'update', { query, set: { key: 'x' } }), 400, /^set\.key: /);
    expectErrors(
      await send(base, 'update', { query, set, increment: { seen: 1 } }),
      400,
      /^increment\.seen: /,
    );
    expectErrors(await send(base, 'update', { query, set, if: { age: 36 } }), 400, /^if: /);
    expectJson(await base.get('ada'), 200, { key: 'ada', age: 36, city: 'London' });
  });

  test('concurrent deletes by query and puts leave every item that was put last', async () => {
    const base = freshBase(service.api);
    const put = (n: number) => base.put({ key: `k${n % 50}`, old: n % 3 === 0 });
    const writing = Array.from({ length: 300 }, (_, n) => put(n));
    const deletes = Array.from({ length: 10 }, () => send(base, 'delete', { query: { old: true } }));
    for (const reply of await Promise.all([...writing, ...deletes])) assert.ok(reply.status < 300);
    expectStatus(await send(base, 'delete', { query: { old: true } }), 200);
    expectJson(await send(base, 'count', { query: { 'old?ne': false } }), 200, { count: 0 });
  });
});
