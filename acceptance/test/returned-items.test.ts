import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshBase } from '../src/names.js';
import { expectBadQuery, expectErrors, expectJson, expectStatus } from './support/expect.js';
import { createKey } from './support/keys.js';
import { useService } from './support/service.js';

const pastSeconds = 1;

describe('updates that return and create', { concurrency: true }, () => {
  const service = useService();
  const fresh = () => freshBase(service.api);

  test('an update gives back the item as it is after it, or as it was before, digit by digit', async () => {
    const base = fresh();
    await base.sendText('PUT', '/items', '{"items":[{"key":"a","n":1.50,"id":9007199254740993,"z":1e2}]}');
    const after = await base.sendText('PATCH', '/items/a', '{"increment":{"n":1},"return":"new"}');
    assert.equal(
      after.text,
      '{"key":"a","increment":{"n":1},"item":{"key":"a","n":2.5,"id":9007199254740993,"z":1e2}}',
    );
    const before = await base.sendText('PATCH', '/items/a', '{"set":{"n":1.0},"return":"old"}');
    assert.equal(
      before.text,
      '{"key":"a","set":{"n":1.0},"item":{"key":"a","n":2.5,"id":9007199254740993,"z":1e2}}',
    );
    expectJson(await base.update('a', { set: { n: 3 }, return: null }), 200, { key: 'a', set: { n: 3 } });
  });

  test('an update changes the item of `upsert` if there is none', async () => {
    const base = fresh();
    const hit = { upsert: { n: 0, by: 'x' }, increment: { n: 1 } };
    expectJson(await base.update('a', hit), 200, { key: 'a', increment: { n: 1 } });
    expectJson(await base.get('a'), 200, { key: 'a', n: 1, by: 'x' });
    expectJson(await base.update('a', { ...hit, upsert: { n: 100 }, return: 'new' }), 200, {
      key: 'a',
      increment: { n: 1 },
      item: { key: 'a', n: 2, by: 'x' },
    });
    expectJson(await base.update('b', { ...hit, return: 'old' }), 200, {
      key: 'b',
      increment: { n: 1 },
      item: null,
    });
    expectJson(await base.update('c', { upsert: { key: 'c', n: 5 }, return: 'new' }), 200, {
      key: 'c',
      item: { key: 'c', n: 5 },
    });
    expectJson(await base.update('c', { upsert: { n: 9 }, return: 'new' }), 200, {
      key: 'c',
      item: { key: 'c', n: 5 },
    });
    expectErrors(await base.update('d', { upsert: null, set: { n: 1 } }), 404, /^Key not found$/);
    expectErrors(await base.update('d', { upsert: null }), 400, /names no operation/);
  });

  test('of many updates of one item at once, each gives back the item of its own step', async () => {
    const base = fresh();
    const hit = (n: number) =>
      base.update('hits', { upsert: { n: 0 }, increment: { n: 1 }, return: n % 2 === 0 ? 'new' : 'old' });
    const replies = await Promise.all(Array.from({ length: 64 }, (_, n) => hit(n)));
    const numbers = replies.map((reply, n) => {
      expectStatus(reply, 200);
      const { item } = reply.json<{ item: { n: number } | null }>();
      return (item?.n ?? 0) + (n % 2);
    });
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      Array.from({ length: 64 }, (_, n) => n + 1),
    );
  });

  test('an expired item counts as none', async () => {
    const base = fresh();
    await base.put({ key: 'a', n: 7, __expires: pastSeconds });
    expectJson(await base.update('a', { upsert: { n: 0 }, increment: { n: 1 }, return: 'old' }), 200, {
      key: 'a',
      increment: { n: 1 },
      item: null,
    });
    expectJson(await base.get('a'), 200, { key: 'a', n: 1 });
  });

  test('`if` is asked only of an item that exists', async () => {
    const base = fresh();
    const limited = { if: { 'n?lt': 2 }, upsert: { n: 0 }, increment: { n: 1 }, return: 'new' };
    expectStatus(await base.update('a', limited), 200);
    expectStatus(await base.update('a', limited), 200);
    expectErrors(await base.update('a', limited), 412);
    expectJson(await base.get('a'), 200, { key: 'a', n: 2 });
    expectBadQuery(await base.update('none', { ...limited, if: { 'n?like': 1 } }));
  });

  test('bad members are answered with 400 that names them, and nothing is changed', async () => {
    const base = fresh();
    await base.put({ key: 'a', n: 1 });
    const set = { n: 2 };
    for (const given of ['newest', 1, true, ['new'], {}, '']) {
      expectErrors(await base.update('a', { set, return: given }), 400, /^return: must be new or old$/);
    }
    for (const given of [1, 'x', [], true]) {
      expectErrors(await base.update('a', { set, upsert: given }), 400, /^upsert: must be an object$/);
    }
    expectErrors(await base.update('a', { set, upsert: { key: 'b' } }), 400, /^upsert\.key: /);
    expectErrors(await base.update('a', { set, upsert: { key: 1 } }), 400, /^upsert\.key: /);
    expectErrors(await base.update('a', { set, upsert: { __expires: 'soon' } }), 400, /^upsert\.__expires: /);
    expectErrors(await base.update('a', { set, upsert: { o: { '': 1 } } }), 400, /^upsert\.o/);
    const large = { text: 'x'.repeat(401 * 1024) };
    expectErrors(await base.update('a', { set, upsert: large }), 400, /^upsert: has \d+ bytes/);
    const digits = '{"set":{"n":2},"upsert":{"n":12345678901234567890}}';
    expectErrors(await base.sendText('PATCH', '/items/a', digits), 400, /^(body: )?upsert\.n: /);
    expectErrors(await base.update('b', { set: { 'x.y': 1 }, upsert: {} }), 400, /^set\.x\.y: /);
    expectStatus(await base.get('b'), 404);
    expectJson(await base.get('a'), 200, { key: 'a', n: 1 });
  });

  test('the results of a transaction carry items, each of its moment', async () => {
    const base = fresh();
    await base.put({ key: 'a', n: 1 });
    const reply = await base.transact(
      { update: { key: 'a', increment: { n: 1 }, return: 'old' } },
      { update: { key: 'a', increment: { n: 1 }, return: 'new' } },
      { put: { key: 'a', item: 'mine' }, return: 'old' },
      { put: { key: 'p' }, return: 'old' },
      { insert: { key: 'i', n: 1 }, return: 'old' },
      { delete: { key: 'a', return: 'old' } },
      { delete: { key: 'a', return: 'old' } },
      { update: { key: 'a', upsert: { n: 10 }, increment: { n: 1 }, return: 'new' } },
      { delete: { key: 'none' } },
    );
    expectJson(reply, 200, {
      results: [
        { key: 'a', increment: { n: 1 }, item: { key: 'a', n: 1 } },
        { key: 'a', increment: { n: 1 }, item: { key: 'a', n: 3 } },
        { key: 'a', item: { key: 'a', n: 3 } },
        { key: 'p', item: null },
        { key: 'i', item: null },
        { key: 'a', item: { key: 'a', item: 'mine' } },
        { key: 'a', item: null },
        { key: 'a', increment: { n: 1 }, item: { key: 'a', n: 11 } },
        { key: 'none' },
      ],
    });
    expectJson(await base.get('a'), 200, { key: 'a', n: 11 });
  });

  test('a transaction says where `return` and `upsert` do not belong', async () => {
    const base = fresh();
    const refused: [operation: object, message: RegExp][] = [
      [{ put: { key: 'a' }, return: 'new' }, /^operations\[0\]: return: must be old$/],
      [{ delete: { key: 'a', return: 'new' } }, /^operations\[0\]: delete\.return: must be old$/],
      [{ update: { key: 'a', set: { n: 1 }, return: 1 } }, /^operations\[0\]: update\.return: must be/],
      [{ update: { key: 'a', set: { n: 1 }, upsert: 1 } }, /^operations\[0\]: update\.upsert: must be/],
      [{ update: { key: 'a', set: { n: 1 } }, return: 'new' }, /^operations\[0\]: return: belongs into/],
      [{ check: { key: 'a', if: null }, return: 'old' }, /^operations\[0\]: return: a check/],
      [{ check: { key: 'a', if: null, return: 'old' } }, /^operations\[0\]: check\.return: there is no such/],
      [{ delete: { key: 'a', upsert: {} } }, /^operations\[0\]: delete\.upsert: there is no such/],
    ];
    for (const [operation, message] of refused) {
      expectErrors(await base.transact(operation), 400, message);
    }
    expectStatus(await base.get('a'), 404);
  });

  test('a transaction gives back at most 16 MiB', async () => {
    const base = fresh();
    await base.put({ key: 'a', text: 'x'.repeat(390 * 1024) }, { key: 'b', text: 'x'.repeat(390 * 1024) });
    const operations = Array.from({ length: 50 }, (_, n) => ({
      update: { key: n % 2 === 0 ? 'a' : 'b', increment: { n: 1 }, return: 'new' },
    }));
    expectErrors(
      await base.transact(...operations),
      400,
      /^operations: the items that they return have more/,
    );
    const { n } = (await base.get('a')).json<{ n?: number }>();
    assert.equal(n, undefined);
    expectStatus(await base.transact(...operations.slice(0, 30)), 200);
  });

  test('a key with a prefix returns and creates only what begins with it', async () => {
    const base = fresh();
    const { key } = await createKey(service.api, { access: 'write', prefix: 'in/' });
    const send = (path: string, method: string, json: unknown) =>
      service.api.send(method, base.root + path, { json, key });
    const update = { upsert: { n: 0 }, increment: { n: 1 }, return: 'new' };
    expectErrors(await send('/items/out', 'PATCH', update), 403);
    expectJson(await send('/items/in%2Fa', 'PATCH', update), 200, {
      key: 'in/a',
      increment: { n: 1 },
      item: { key: 'in/a', n: 1 },
    });
    const removal = { operations: [{ delete: { key: 'out', return: 'old' } }] };
    expectErrors(await send('/transactions', 'POST', removal), 403);
    const { key: reading } = await createKey(service.api, { access: 'read' });
    const json = { set: { n: 1 }, return: 'old' };
    expectErrors(await service.api.send('PATCH', `${base.root}/items/in%2Fa`, { json, key: reading }), 403);
  });
});
