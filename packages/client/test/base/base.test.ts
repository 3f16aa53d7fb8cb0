import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Base,
  Basedrive,
  type BasedriveError,
  type BasedriveOptions,
  type Operation,
  type Operations,
  util,
} from '../../src/in-node.js';
import { freshName, key, useService } from '../support/service.js';

describe('a base of a running service', { concurrency: true }, () => {
  const service = useService();
  const open = <T = unknown>(options: BasedriveOptions = {}): Base<T> =>
    Basedrive(key, { url: service.url, ...options }).Base<T>(freshName());

  test('put returns the stored item with the given key, with its own key, or with a generated key', async () => {
    const base = open();
    assert.deepEqual(await base.put({ name: 'a', deep: [{ n: null }] }, 'k'), {
      key: 'k',
      name: 'a',
      deep: [{ n: null }],
    });
    assert.deepEqual(await base.put({ key: 'own', n: 1 }), { key: 'own', n: 1 });
    assert.deepEqual(await base.put({ key: 'own', n: 1 }, 'given'), { key: 'given', n: 1 });
    assert.deepEqual(await base.put({ n: 2 }, null), {
      key: (await base.fetch({ n: 2 })).items[0]?.key,
      n: 2,
    });
    const made = await base.put({ key: undefined, n: 3 });
    assert.match(made.key, /^[a-z0-9]{12}$/);
    assert.deepEqual(await base.get(made.key), { key: made.key, n: 3 });
    assert.match((await base.insert({ n: 4 })).key, /^[a-z0-9]{12}$/);
    await base.put({ other: true }, 'k');
    assert.deepEqual(await base.get('k'), { key: 'k', other: true }, 'put replaces');
  });

  test('a value that is not an object is stored as `{key, value}`', async () => {
    const base = open();
    for (const value of ['text', 7, true, false, 0, '', null, [1, 'two', { three: 3 }]]) {
      assert.deepEqual(await base.put(value, 'k'), { key: 'k', value });
      assert.deepEqual(await base.get('k'), { key: 'k', value });
    }
    const { processed } = await base.putMany(['a', [1]]);
    assert.deepEqual(
      processed.items.map(({ value }) => value),
      ['a', [1]],
    );
    await assert.rejects(base.put(undefined, 'k'), { code: 'invalid' });
  });

  test('attributes named like members of a prototype are ordinary attributes', async () => {
    const base = open();
    const data = JSON.parse('{"__proto__":{"a":1},"constructor":2,"deep":{"__proto__":3}}') as unknown;
    await base.put(data, 'k');
    assert.equal(
      JSON.stringify(await base.get('k')),
      '{"__proto__":{"a":1},"constructor":2,"deep":{"__proto__":3},"key":"k"}',
    );
    await base.update(JSON.parse('{"deep.__proto__":4,"__proto__":{"b":1}}'), 'k');
    assert.equal(
      JSON.stringify(await base.get('k')),
      '{"__proto__":{"b":1},"constructor":2,"deep":{"__proto__":4},"key":"k"}',
    );
  });

  test('get of a missing item returns null, and delete always returns null', async () => {
    const base = open();
    assert.equal(await base.get('absent'), null);
    assert.equal(await base.delete('absent'), null);
    await base.put({}, 'k');
    assert.equal(await base.delete('k'), null);
    assert.equal(await base.get('k'), null);
  });

  test('every call encodes the key, and spaces at its ends belong to it', async () => {
    const base = open();
    for (const odd of ['a/b', ' a b ', '100%', '?#&=', '%2F', 'ä', '🙂', '../a', 'a+b', '"', '\n', '...']) {
      await base.put({ n: 1 }, odd);
      assert.deepEqual(await base.get(odd), { key: odd, n: 1 });
      await base.update({ n: util.increment() }, odd);
      assert.deepEqual((await base.fetch({ key: odd })).items, [{ key: odd, n: 2 }]);
      await base.delete(odd);
      assert.equal(await base.get(odd), null);
    }
  });

  test('a key that no path can hold is refused before anything is sent', async () => {
    const base = open({ url: 'http://127.0.0.1:1' });
    for (const bad of ['', '.', '..', '\ud800', null as never, 7 as never]) {
      await assert.rejects(base.get(bad), { code: 'invalid' });
      await assert.rejects(base.delete(bad), { code: 'invalid' });
      await assert.rejects(base.update({ a: 1 }, bad), { code: 'invalid' });
    }
    await assert.rejects(base.put({}, ''), { code: 'invalid', message: 'Key is empty' });
  });

  test('insert rejects with the message of npm deta when the key exists', async () => {
    const base = open();
    assert.deepEqual(await base.insert({ n: 1 }, 'k'), { key: 'k', n: 1 });
    await assert.rejects(base.insert({ n: 2 }, 'k'), (error: BasedriveError) => {
      assert.deepEqual(
        [error.message, error.code, error.status, error.errors],
        ['Item with key k already exists', 'conflict', 409, ['Key already exists']],
      );
      assert.match(String(error.requestId), /\S/);
      return true;
    });
    await assert.rejects(base.insert({ key: 'k' }), /Item with key k already exists/);
    assert.deepEqual(await base.get('k'), { key: 'k', n: 1 });
  });

  test('putMany stores 1 to 25 items and refuses any other number', async () => {
    const base = open();
    const items = (count: number) => Array.from({ length: count }, (_, n) => ({ key: `k${n}`, n }));
    assert.deepEqual(await base.putMany(items(25)), { processed: { items: items(25) } });
    await assert.rejects(base.putMany(items(26)), {
      code: 'invalid',
      message: "We can't put more than 25 items at a time",
    });
    await assert.rejects(base.putMany([]), { code: 'invalid', message: "Items can't be empty" });
    await assert.rejects(base.putMany({} as never), { code: 'invalid', message: 'Items must be an array' });
    await assert.rejects(base.putMany([{ key: 'same' }, { key: 'same' }]), { code: 'refused', status: 400 });
  });

  test('update sets attributes and applies every action of util', async () => {
    const base = open();
    await base.put({ name: 'a', age: 1, gone: 1, list: [2], home: { city: 'Rome', rooms: 1 } }, 'k');
    const updates = {
      name: 'b',
      'home.city': 'Oslo',
      age: util.increment(),
      'home.rooms': base.util.increment(-2),
      fresh: util.increment(1.5),
      list: util.append(3),
      made: util.prepend(['x', 'y']),
      gone: util.trim(),
      left: undefined,
    };
    assert.equal(await base.update(updates, 'k'), null);
    assert.deepEqual(await base.get('k'), {
      key: 'k',
      name: 'b',
      age: 2,
      list: [2, 3],
      home: { city: 'Oslo', rooms: -1 },
      fresh: 1.5,
      made: ['x', 'y'],
    });
    await base.update({ list: util.prepend([0, 1]) }, 'k');
    assert.deepEqual((await base.get('k'))?.list, [0, 1, 2, 3]);
    await assert.rejects(base.update({ a: 1 }, 'absent'), {
      code: 'not_found',
      message: 'Key not found',
      status: 404,
    });
    await assert.rejects(base.update({ key: 'other' }, 'k'), { code: 'refused', message: /key/ });
    await assert.rejects(base.update({}, 'k'), { code: 'refused', status: 400 });
  });

  test('fetch returns the items that match, page by page', async () => {
    const base = open<{ age: number; name: string; tags?: string[] }>();
    await base.putMany([
      { key: 'a', age: 10, name: 'Ann', tags: ['x', 'y'] },
      { key: 'b', age: 20, name: 'Bob', tags: ['y'] },
      { key: 'c', age: 30, name: 'Bea' },
    ]);
    const keys = async (...query: Parameters<typeof base.fetch>) => {
      const { items, count } = await base.fetch(...query);
      assert.equal(count, items.length);
      return items.map((item) => item.key).join('');
    };
    assert.equal(await keys(), 'abc');
    assert.equal(await keys([]), 'abc');
    assert.equal(await keys({}), 'abc');
    assert.equal(await keys({ 'age?gt': 10, 'age?lt': 30 }), 'b');
    assert.equal(await keys([{ age: 10 }, { name: 'Bea' }]), 'ac');
    assert.equal(await keys({ 'tags?contains': 'y' }), 'ab');
    assert.equal(await keys({ 'age?in': [10, 30], 'name?ipfx': 'BE' }), 'c');
    assert.equal(await keys({ 'tags?exists': true, 'tags?has': 'x' }), 'a');
    assert.equal(await keys({ 'key?gte': 'b' }, { desc: true }), 'cb');
    assert.equal(await keys({}, { limit: 1, last: 'a' }), 'b');
    assert.equal((await base.fetch({}, { limit: 2 })).last, 'b');
    assert.equal((await base.fetch({}, { limit: 3 })).last, undefined);
    await assert.rejects(base.fetch({ 'age?like': 1 } as never), (error: BasedriveError) => {
      assert.deepEqual([error.code, error.errors[0]], ['refused', 'Bad query']);
      return true;
    });
    await assert.rejects(base.fetch({}, { limit: 0 }), { code: 'refused', message: /limit/ });
  });

  test('fetch and items order by attributes, pass over items, count them and select attributes', async () => {
    const base = open<{ age: number; home: { city: string; zip: number } }>();
    await base.putMany(
      Array.from({ length: 20 }, (_, n) => ({
        key: `k${10 + n}`,
        age: n % 4,
        home: { city: 'Oslo', zip: n },
      })),
    );
    const first = await base.fetch(
      { 'age?gte': 2 },
      { order: ['-age', 'key'], limit: 3, offset: 1, count: true },
    );
    assert.deepEqual(
      first.items.map(({ key }) => key),
      ['k17', 'k21', 'k25'],
    );
    assert.deepEqual([first.count, first.total, typeof first.last], [3, 10, 'string']);
    const { last } = first;
    const next = await base.fetch({ 'age?gte': 2 }, { order: ['-age', 'key'], limit: 2, offset: 1, last });
    assert.deepEqual(
      next.items.map(({ key }) => key),
      ['k29', 'k12'],
    );
    assert.equal('total' in next, false);
    const parts = await base.fetch({}, { select: ['home.zip'], limit: 1, desc: true });
    assert.deepEqual(parts.items, [{ key: 'k29', home: { zip: 19 } }]);
    const zips: (number | undefined)[] = [];
    const options = { order: ['-home.zip'], select: ['home.zip'], pageSize: 3, offset: 2 } as const;
    for await (const { home } of base.items({}, options)) zips.push(home?.zip);
    assert.deepEqual(
      zips,
      Array.from({ length: 18 }, (_, n) => 17 - n),
    );
    await assert.rejects(base.fetch({}, { order: ['age'], last: 'k10' }), {
      code: 'refused',
      message: /^last: /,
    });
  });

  test('items iterates over all pages, in both directions and from any key', async () => {
    const base = open();
    const keys = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));
    // A page also ends after 1 MiB of items.
    await base.putAll(keys.map((own) => ({ key: own, text: 'x'.repeat(40_000) })));
    const walk = async (...query: Parameters<typeof base.items>) => {
      const seen: string[] = [];
      for await (const item of base.items(...query)) seen.push(item.key);
      return seen;
    };
    assert.deepEqual(await walk(), keys);
    assert.deepEqual(await walk({}, { pageSize: 7 }), keys);
    assert.deepEqual(await walk({}, { desc: true, pageSize: 50 }), keys.toReversed());
    assert.deepEqual(await walk({ 'key?pfx': '5' }, { last: '55' }), keys.slice(56));
    assert.deepEqual(await walk({ text: 'absent' }), []);
    for await (const item of base.items()) {
      assert.equal(item.key, '00');
      break;
    }
  });

  test('expireIn and expireAt set the second at which an item expires', async () => {
    const base = open();
    const at = Math.floor(Date.now() / 1000) + 1000;
    const expires = async (own: string) => (await base.get(own))?.__expires as number;
    const before = Math.floor(Date.now() / 1000);
    await base.put({}, 'in', { expireIn: 500 });
    const after = Math.floor(Date.now() / 1000);
    assert.ok((await expires('in')) >= before + 500 && (await expires('in')) <= after + 500);
    await base.put({}, 'at', { expireAt: new Date(at * 1000 + 999) });
    assert.equal(await expires('at'), at);
    await base.insert({}, 'number', { expireAt: at });
    assert.equal(await expires('number'), at);
    await base.putMany([{ key: 'many' }], { expireAt: at });
    assert.equal(await expires('many'), at);
    await base.putAll([{ key: 'all' }], { expireAt: at });
    assert.equal(await expires('all'), at);
    await base.update({ n: 2 }, 'in', { expireAt: at });
    assert.equal(await expires('in'), at);
    await base.update({}, 'in', { expireIn: 0 });
    assert.equal(await base.get('in'), null);
    await assert.rejects(base.put({}, 'k', { expireIn: 1, expireAt: at }), /can't set both/);
    await assert.rejects(base.put({}, 'k', { expireIn: '1' as never }), /expireIn/);
    await assert.rejects(base.put({}, 'k', { expireAt: new Date('x') }), /expireAt/);
  });

  test('large integers are rounded as JSON.parse rounds them, and exact with the option bigint', async () => {
    const exact = open<{ n: number | bigint }>({ bigint: true });
    await exact.put({ n: 9007199254740993n }, 'k');
    assert.deepEqual(await exact.get('k'), { key: 'k', n: 9007199254740993n });
    await exact.update({ n: util.increment(2n) }, 'k');
    assert.deepEqual((await exact.fetch({ 'n?gt': 9007199254740994n })).items, [
      { key: 'k', n: 9007199254740995n },
    ]);
    const plain = open();
    await plain.put({ n: 9007199254740993n }, 'k');
    assert.deepEqual(await plain.get('k'), { key: 'k', n: 9007199254740992 });
    await assert.rejects(plain.put({ n: 12_345_678_901_234_568 }), { code: 'refused', message: /n: / });
  });

  test('a number that JSON has no word for is refused by its attribute path, and nothing is sent', async () => {
    const base = Basedrive(key, { url: 'http://127.0.0.1:1' }).Base(freshName());
    const refused = (call: Promise<unknown>, message: string) =>
      assert.rejects(call, { name: 'BasedriveError', code: 'invalid', status: 0, message });
    const rule = 'cannot be stored, because JSON has no such number';
    await refused(base.put({ age: Number.NaN }), `age: NaN ${rule}`);
    await refused(base.put(Number.NaN), `value: NaN ${rule}`);
    await refused(
      base.put({ a: null, home: { sizes: [1, { x: Infinity }] } }),
      `home.sizes.1.x: Infinity ${rule}`,
    );
    await refused(base.put({ id: 1n, age: -Infinity }), `age: -Infinity ${rule}`);
    await refused(base.insert({ age: Number.NaN }, 'k'), `age: NaN ${rule}`);
    await refused(base.putMany([{ age: 1 }, { age: Number.NaN }]), `items.1.age: NaN ${rule}`);
    await refused(base.update({ 'home.size': Number.NaN }, 'k'), `home.size: NaN ${rule}`);
    await refused(base.update({ age: util.increment(Infinity) }, 'k'), `age: Infinity ${rule}`);
    await refused(base.update({ list: util.append([1, Number.NaN]) }, 'k'), `list.1: NaN ${rule}`);
    await refused(base.fetch({ 'age?gt': Number.NaN }), `age?gt: NaN ${rule}`);
    await refused(base.fetch({}, { limit: Number.NaN }), `limit: NaN ${rule}`);
    await refused(base.put({ at: new Date(Number.NaN) }), 'at: Invalid Date cannot be stored');
  });

  test('putAll reports an item with NaN and stores the others', async () => {
    const base = open();
    const { stored, failed } = await base.putAll([{ n: 1 }, { n: Number.NaN }, { n: null }]);
    assert.equal(stored, 2);
    assert.deepEqual(
      failed.map(({ error }) => error.message),
      ['n: NaN cannot be stored, because JSON has no such number'],
    );
  });

  test('the message of a refused query says why it is bad', async () => {
    await assert.rejects(open().fetch({ 'age?like': 1 }), (error: BasedriveError) => {
      const [first, reason] = error.errors;
      assert.equal(first, 'Bad query');
      assert.ok(reason);
      assert.equal(error.message, `Bad query; ${reason}`);
      return true;
    });
  });

  test('a Date that the types did not see is stored as the string that JSON makes of it', async () => {
    const base = open();
    const at = new Date('2026-01-02T03:04:05.678Z');
    assert.deepEqual(await base.put({ at, list: [at] }, 'k'), {
      key: 'k',
      at: '2026-01-02T03:04:05.678Z',
      list: ['2026-01-02T03:04:05.678Z'],
    });
    assert.deepEqual(await base.put(at, 'date'), { key: 'date', value: '2026-01-02T03:04:05.678Z' });
  });

  test('a wrong project key is unauthorized', async () => {
    const base = Basedrive('demo_wrong', { url: service.url }).Base('b');
    await assert.rejects(base.get('k'), { code: 'unauthorized', status: 401, message: 'Unauthorized' });
  });

  test('an update with a condition happens only if the item matches', async () => {
    const base = open<{ stock: number }>();
    await base.put({ stock: 1 }, 'k');
    const buy = () => base.update({ stock: util.increment(-1) }, 'k', { if: { 'stock?gte': 1 } });
    assert.equal(await buy(), null);
    await assert.rejects(buy(), {
      code: 'condition_failed',
      status: 412,
      message: 'The item does not match the condition',
      operation: undefined,
    });
    assert.deepEqual(await base.get('k'), { key: 'k', stock: 0 });
    await base.update({ stock: 5 }, 'k', { if: [{ stock: 7 }, { stock: 0 }], expireIn: 100 });
    assert.equal((await base.get('k'))?.stock, 5);
  });

  test('an update gives back the item that it is asked for, and changes the one of `upsert` if there is none', async () => {
    const base = open<{ n: number; by?: string }>();
    const hit = (options: { by?: string } = {}) =>
      base.update({ n: util.increment() }, 'k', { upsert: { n: 0, ...options }, return: 'new' });
    await assert.rejects(base.update({ n: 1 }, 'k', { return: 'new' }), { code: 'not_found' });
    assert.equal(await base.update({ n: util.increment() }, 'k', { upsert: { n: 5 }, return: 'old' }), null);
    assert.deepEqual(await hit({ by: 'x' }), { key: 'k', n: 7 });
    assert.deepEqual(await base.update({ by: 'y' }, 'k', { return: 'old' }), { key: 'k', n: 7 });
    assert.equal(await base.update({ by: 'z' }, 'k', { upsert: { n: 0 } }), null);
    const results = await base.transaction((t) => [
      t.update({ n: util.increment() }, 'k', { return: 'new' }),
      t.put({ n: 1 }, 'k', { return: 'old' }),
      t.insert({ n: 2 }, 'other'),
      t.delete('k', { return: 'old' }),
      t.delete('k', { return: 'old' }),
      t.update({ n: util.increment() }, 'k', { upsert: { n: 40 }, return: 'new' }),
      t.update({ n: util.increment() }, 'k'),
    ]);
    assert.deepEqual(results, [
      { key: 'k', n: 8, by: 'z' },
      { key: 'k', n: 8, by: 'z' },
      { key: 'other', n: 2 },
      { key: 'k', n: 1 },
      null,
      { key: 'k', n: 41 },
      null,
    ]);
  });

  test('a transaction does all operations and gives the stored items, or names the first that fails', async () => {
    const base = open<{ n: number; tags?: string[] }>();
    const [put, inserted, ...others] = await base.transaction((t) => [
      t.put({ n: 1 }),
      t.insert({ n: 2 }, 'b', { expireIn: 1000 }),
      t.update({ n: util.increment(), tags: util.append('x') }, 'b', { if: { n: 2 } }),
      t.check('b', { n: 3 }),
      t.check('none', null),
      t.delete('none'),
    ]);
    assert.match(put.key, /^[a-z0-9]{12}$/);
    assert.deepEqual(await base.get(put.key), put);
    assert.equal(inserted.n, 2);
    assert.deepEqual(others, [null, null, null, null]);
    const stored = await base.get('b');
    assert.deepEqual({ n: stored?.n, tags: stored?.tags }, { n: 3, tags: ['x'] });

    type Make = (t: Operations<{ n: number; tags?: string[] }>) => Operation;
    const failures: [Make, string, number, string, string?][] = [
      [(t) => t.insert({ n: 1 }, 'b'), 'conflict', 409, 'Key already exists', 'item_exists'],
      [(t) => t.update({ n: 1 }, 'none'), 'not_found', 404, 'Key not found', 'item_not_found'],
      [
        (t) => t.delete('b', { if: { n: 1 } }),
        'condition_failed',
        412,
        'The item does not match the condition',
      ],
      [(t) => t.check('b', null), 'condition_failed', 412, 'The item does not match the condition'],
    ];
    for (const [make, code, status, message, codeOfService = code] of failures) {
      const codes = [{ code: codeOfService, path: 'operations[1]' }];
      await assert.rejects(
        base.transaction((t) => [t.update({ n: 100 }, 'b'), make(t)]),
        { code, status, operation: 1, message: `operations[1]: ${message}`, codes },
      );
      assert.equal((await base.get('b'))?.n, 3);
    }
    await assert.rejects(
      base.transaction(() => []),
      { code: 'refused', operation: undefined },
    );
    await assert.rejects(
      base.transaction((t) => [t.put({ n: Number.NaN })]),
      { code: 'invalid', message: /^operations\.0\.put\.n: NaN cannot be stored/ },
    );
  });

  test('a condition whose operand is undefined is refused, and not left out', async () => {
    const base = open<{ n: number }>();
    await base.put({ n: 3 }, 'b');
    const query = { n: undefined } as never;
    for (const call of [
      () => base.update({ n: 0 }, 'b', { if: query }),
      () => base.transaction((t) => [t.delete('b', { if: [{ n: 3 }, query] })]),
      () => base.transaction((t) => [t.check('b', query)]),
    ]) {
      await assert.rejects(call(), { code: 'invalid', message: 'if: the operand of n is undefined' });
    }
    assert.equal((await base.get('b'))?.n, 3);
  });
});
