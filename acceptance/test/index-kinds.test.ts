import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Base, freshBase } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';
import { withoutUses } from './support/without-uses.js';

interface Listed {
  readonly indexes: readonly { name: string; state: string; collisions?: string[]; entries: number }[];
}

describe('unique indexes, indexes of lists, and queries of several objects', { concurrency: true }, () => {
  const service = useService();
  const send = (method: string, base: Base, path: string, json?: unknown) =>
    service.api.send(method, `${base.root}${path}`, json === undefined ? {} : { json });
  const list = async (base: Base) =>
    withoutUses((await send('GET', base, '/indexes')).json<Listed>().indexes);

  async function declare(base: Base, name: string, body: object): Promise<void> {
    expectStatus(await send('PUT', base, `/indexes/${name}`, body), 202);
    while ((await list(base)).some(({ state }) => state === 'building')) await wait(10);
  }

  async function asked(base: Base, query: object) {
    const answer = await base.query(query);
    expectStatus(answer, 200);
    const timing = String(answer.headers['server-timing']);
    const [, index] = /index;desc="(.*?)"/.exec(timing) ?? [];
    const keys = answer.json<{ items: { key: string }[] }>().items.map(({ key }) => key);
    return { index, keys, text: answer.text };
  }

  const refused = /another item has the same city and name, which the index one does not allow$/;

  test('a unique index refuses every write that would make two items equal', async () => {
    const base = freshBase(service.api);
    await declare(base, 'one', { fields: ['city', 'name'], unique: true });
    expectStatus(
      await base.put({ key: 'a', city: 'Oslo', name: 'x' }, { key: 'b', city: 'Oslo', name: 'y' }),
      207,
    );
    expectErrors(await base.put({ key: 'c' }, { key: 'd', city: 'Oslo', name: 'x' }), 409, /^items\[1\]: /);
    expectStatus(await send('GET', base, '/items/c'), 404);
    expectErrors(await base.insert({ key: 'c', city: 'Oslo', name: 'x' }), 409, refused);
    expectErrors(await base.update('b', { set: { name: 'x' } }), 409, refused);
    const operations = [{ put: { key: 'c' } }, { put: { key: 'd', city: 'Oslo', name: 'y' } }];
    const transaction = await send('POST', base, '/transactions', { operations });
    expectErrors(transaction, 409, /^operations\[1\]: another item has the same city and name/);
    const codes = transaction.json<{ codes: object[] }>().codes;
    assert.deepEqual(codes, [{ code: 'not_unique', path: 'operations[1]' }]);
    const all = await send('POST', base, '/query/update', { query: {}, all: true, set: { name: 'x' } });
    expectStatus(all, 200);
    const { updated, failed } = all.json<{
      updated: number;
      failed: { key: string; codes: { code: string }[] }[];
    }>();
    assert.deepEqual(
      [updated, failed.map(({ key, codes: of }) => [key, of[0]?.code])],
      [1, [['b', 'not_unique']]],
    );
    const type = 'application/x-ndjson';
    const body = '{"key":"c","city":"Rome","name":"x"}\n{"key":"d","city":"Oslo","name":"y"}\n{"key":"e"}\n';
    for (const method of ['PUT', 'POST']) {
      const imported = await service.api.send(method, `${base.root}/items`, { body, type });
      assert.match(imported.text, /"line":2,"errors":\["another item has the same city and name/, method);
    }
    assert.deepEqual((await asked(base, { order: ['key'] })).keys, ['a', 'b', 'c', 'e']);
    expectStatus(
      await base.put({ key: 'a', city: 'Oslo', name: 'y' }, { key: 'b', city: 'Oslo', name: 'x' }),
      207,
    );
    expectStatus(await base.put({ key: 'gone', city: 'x', name: 'x', __expires: 1 }), 207);
    expectStatus(await base.put({ key: 'there', city: 'x', name: 'x' }), 207);
  });

  test('a unique index over items that are equal fails, says which they are, and can be declared again', async () => {
    const base = freshBase(service.api);
    expectStatus(
      await base.put(...Array.from({ length: 25 }, (_, n) => ({ key: `k${10 + n}`, n: n % 24 }))),
      207,
    );
    await declare(base, 'n', { fields: ['n'], unique: true });
    const expected = { name: 'n', fields: ['n'], unique: true, state: 'failed', collisions: ['k10', 'k34'] };
    assert.deepEqual(await list(base), [{ ...expected, entries: 0, exact: true }]);
    expectStatus(await base.put({ key: 'k34', n: 24 }), 207);
    await declare(base, 'n', { fields: ['n'], unique: true });
    assert.equal((await list(base))[0]?.state, 'ready');
    expectErrors(await send('PUT', base, '/indexes/n', { fields: ['n'] }), 409, /of another kind$/);
  });

  test('an index of lists serves ?has and ?contains, and changes no answer', async () => {
    const base = freshBase(service.api);
    const tags = (n: number) =>
      n === 7
        ? 'red wine'
        : n === 8
          ? Array.from({ length: 1200 }, (_, of) => of)
          : [`t${n % 5}`, n % 3, n % 2 ? 'odd' : 'odd'];
    for (const from of [0, 20, 40])
      expectStatus(
        await base.put(
          ...Array.from({ length: 20 }, (_, n) => ({ key: `k${from + n}`, tags: tags(from + n) })),
        ),
        207,
      );
    const queries = [
      { query: { 'tags?has': 't2' }, order: ['key'] },
      { query: { 'tags?has': 1 }, order: ['-key'], limit: 7, count: true },
      { query: { 'tags?contains': 'red' }, order: ['key'], count: true },
      { query: { 'tags?contains': 't3', 'tags?has': 2 }, order: ['key'], offset: 1 },
      { query: [{ 'tags?has': 't1' }, { 'tags?has': 0 }, { 'tags?has': 1199 }], order: ['key'], count: true },
    ];
    const before = await Promise.all(queries.map((query) => asked(base, query)));
    await declare(base, 'tags', { fields: ['tags'], each: true });
    for (const [n, query] of queries.entries()) {
      const { index, text } = await asked(base, query);
      assert.equal(text, before[n]?.text, JSON.stringify(query));
      assert.equal(index, 'tags', JSON.stringify(query));
    }
  });

  test('a query of several objects is served when each of them is, and gives each item once', async () => {
    const base = freshBase(service.api);
    for (const from of [0, 20, 40, 60, 80])
      expectStatus(
        await base.put(
          ...Array.from({ length: 20 }, (_, n) => ({ key: `k${from + n}`, a: from + n, b: (from + n) % 9 })),
        ),
        207,
      );
    await declare(base, 'a', { fields: ['a'] });
    const query = { query: [{ 'a?lt': 9 }, { b: 3 }], order: ['-b', 'a'], limit: 12, count: true };
    const plain = await asked(base, query);
    await declare(base, 'b', { fields: ['b'] });
    const served = await asked(base, query);
    assert.deepEqual([plain.index, served.index], ['none', 'a%2C%20b']);
    assert.equal(served.text, plain.text);
    assert.equal(new Set(served.keys).size, 12);
    const ranges = { query: [{ 'a?lt': 9 }, { 'a?r': [5, 20] }, { a: 90 }] };
    expectJson(await send('POST', base, '/query/count', ranges), 200, { count: 22 });
  });

  test('a query says that the index that would serve it is being built', async () => {
    const base = freshBase(service.api);
    const lines = Array.from({ length: 4000 }, (_, n) => `{"key":"k${n}","n":${n}}\n`).join('');
    expectStatus(
      await service.api.send('PUT', `${base.root}/items`, { body: lines, type: 'application/x-ndjson' }),
      200,
    );
    const timings: string[] = [];
    expectStatus(await send('PUT', base, '/indexes/n', { fields: ['n'] }), 202);
    do {
      const answer = await base.query({ order: ['-n'], limit: 2 });
      timings.push(String(answer.headers['server-timing']));
    } while ((await list(base))[0]?.state === 'building');
    const isSaid = (timing: string) => timing.endsWith('index;desc="none", building;desc="n"');
    assert.ok(
      timings.every((timing) => isSaid(timing) || timing.endsWith('index;desc="n"')),
      timings.join(),
    );
  });

  test('a broken declaration is answered with its rule', async () => {
    const base = freshBase(service.api);
    const cases: [object, string][] = [
      [{ fields: ['a'], unique: 1 }, 'unique: must be true or false'],
      [{ fields: ['a'], each: 'yes' }, 'each: must be true or false'],
      [{ fields: ['a', 'b'], each: true }, 'each: is for one field, and there are 2'],
      [{ fields: ['a'], each: true, unique: true }, 'each: must not be true together with unique'],
    ];
    for (const [body, message] of cases)
      assert.deepEqual(expectErrors(await send('PUT', base, '/indexes/x', body), 400), [message]);
  });
});
