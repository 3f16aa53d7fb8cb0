import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Base, freshBase } from '../src/names.js';
import { expectBadQuery, expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

const people = [
  { key: 'ada', name: 'Ada', age: 36, tags: ['math', 'engine'], home: { city: 'London', zip: '1' } },
  { key: 'alan', name: 'Alan', age: 41, tags: ['math', 'code'], home: { zip: '2', city: 'London' } },
  { key: 'bob', name: 'Bob', age: '36', active: true, home: null },
  { key: 'carl', name: 'Ça🙂', age: 36.5, active: false, tags: 'mathematics', list: [{ a: 1 }, [1, 2]] },
  { key: 'dora' },
];

describe('Query Items', { concurrency: true }, () => {
  const service = useService();

  async function withPeople(): Promise<Base> {
    const base = freshBase(service.api);
    expectStatus(await base.put(...people), 207);
    return base;
  }

  async function keysOf(base: Base, query: unknown): Promise<string[]> {
    const reply = await base.query({ query });
    expectStatus(reply, 200);
    const { items, paging } = reply.json<{ items: { key: string }[]; paging: { size: number } }>();
    assert.equal(paging.size, items.length);
    return items.map(({ key }) => key);
  }

  const all = people.map(({ key }) => key);
  const without = (...keys: string[]) => all.filter((key) => !keys.includes(key));

  const matching: readonly [what: string, query: unknown, keys: readonly string[]][] = [
    ['no query', undefined, all],
    ['null', null, all],
    ['[]', [], all],
    ['[{}]', [{}], all],
    ['{}', {}, all],
    ['a single object counts as a list of one', { name: 'Ada' }, ['ada']],
    ['conditions of one object are ANDed', [{ name: 'Ada', age: 36 }], ['ada']],
    ['conditions of one object are ANDed, none', [{ name: 'Ada', age: 41 }], []],
    ['objects are ORed', [{ name: 'Ada' }, { age: 41 }], ['ada', 'alan']],
    [
      'objects are ORed, an item is returned once',
      [{ name: 'Ada' }, { age: 36 }, { 'age?lt': 100 }],
      ['ada', 'alan', 'carl'],
    ],
    ['an empty object among others matches all', [{ name: 'Ada' }, {}], all],
    ['a path reaches nested attributes', [{ 'home.city': 'London' }], ['ada', 'alan']],
    ['a path reaches elements of a list', [{ 'tags.1': 'code' }], ['alan']],
    ['a path reaches through lists', [{ 'list.0.a': 1 }], ['carl']],

    ['equal: number', [{ age: 36 }], ['ada']],
    ['equal: a string is not a number', [{ age: '36' }], ['bob']],
    ['equal: boolean', [{ active: true }], ['bob']],
    ['equal: false is not absent', [{ active: false }], ['carl']],
    ['equal: null matches null and a missing attribute', [{ home: null }], ['bob', 'carl', 'dora']],
    ['equal: null within a list is only null', [{ tags: [null] }], []],
    ['equal: null, nested', [{ 'home.city': null }], ['bob', 'carl', 'dora']],
    ['equal: object, the order of attributes is ignored', [{ home: { zip: '1', city: 'London' } }], ['ada']],
    ['equal: object, another attribute more', [{ home: { city: 'London' } }], []],
    ['equal: list', [{ tags: ['math', 'engine'] }], ['ada']],
    ['equal: list, its order is not ignored', [{ tags: ['engine', 'math'] }], []],
    ['equal: nested lists and objects', [{ list: [{ a: 1.0 }, [1, 2]] }], ['carl']],
    ['equal: Unicode', [{ name: 'Ça🙂' }], ['carl']],

    ['?ne', [{ 'age?ne': 36 }], without('ada')],
    ['?!=', [{ 'age?!=': 36 }], without('ada')],
    ['?ne of an absent attribute matches', [{ 'absent?ne': 1 }], all],
    ['?ne null: the attribute has a value', [{ 'home?ne': null }], ['ada', 'alan']],
    ['?!= null: the attribute has a value', [{ 'active?!=': null }], ['bob', 'carl']],
    ['?lt numbers', [{ 'age?lt': 41 }], ['ada', 'carl']],
    ['?< numbers', [{ 'age?<': 41 }], ['ada', 'carl']],
    ['?gt numbers', [{ 'age?gt': 36 }], ['alan', 'carl']],
    ['?> numbers', [{ 'age?>': 36 }], ['alan', 'carl']],
    ['?lte numbers', [{ 'age?lte': 36.5 }], ['ada', 'carl']],
    ['?<= numbers', [{ 'age?<=': 36.5 }], ['ada', 'carl']],
    ['?gte numbers', [{ 'age?gte': 36.5 }], ['alan', 'carl']],
    ['?>= numbers', [{ 'age?>=': 36.5 }], ['alan', 'carl']],
    ['?lt compares strings with strings', [{ 'age?lt': '4' }], ['bob']],
    ['?gt strings', [{ 'name?gt': 'Alan' }], ['bob', 'carl']],
    ['two conditions on one attribute', [{ 'age?gt': 36, 'age?lt': 41 }], ['carl']],
    ['?r of numbers, both ends included', [{ 'age?r': [36, 36.5] }], ['ada', 'carl']],
    ['?r of strings, both ends included', [{ 'name?r': ['Ada', 'Bob'] }], ['ada', 'alan', 'bob']],
    ['?r with reversed ends', [{ 'age?r': [41, 36] }], []],
    ['?pfx', [{ 'name?pfx': 'A' }], ['ada', 'alan']],
    ['?pfx of the whole string', [{ 'name?pfx': 'Ada' }], ['ada']],
    ['an empty ?pfx matches only strings', [{ 'age?pfx': '' }], ['bob']],
    ['?contains a substring', [{ 'name?contains': 'da' }], ['ada']],
    [
      '?contains an element of a list, or a substring',
      [{ 'tags?contains': 'math' }],
      ['ada', 'alan', 'carl'],
    ],
    ['?contains a part of an element does not match', [{ 'tags?contains': 'engin' }], []],
    ['?not_contains', [{ 'tags?not_contains': 'math' }], ['bob', 'dora']],
    ['?!contains', [{ 'tags?!contains': 'math' }], ['bob', 'dora']],
    [
      'an absent attribute has no value',
      [{ 'absent?lt': 1 }, { 'absent?gt': 1 }, { 'absent?contains': 'x' }],
      [],
    ],

    ['key equal', [{ key: 'alan' }], ['alan']],
    ['key equal, with another condition', [{ key: 'alan', age: 36 }], []],
    ['key ?pfx', [{ 'key?pfx': 'a' }], ['ada', 'alan']],
    ['key ?r', [{ 'key?r': ['alan', 'carl'] }], ['alan', 'bob', 'carl']],
    ['key ?r with reversed ends', [{ 'key?r': ['carl', 'alan'] }], []],
    ['key ?lt', [{ 'key?lt': 'bob' }], ['ada', 'alan']],
    ['key ?lte', [{ 'key?lte': 'bob' }], ['ada', 'alan', 'bob']],
    ['key ?gt', [{ 'key?gt': 'bob' }], ['carl', 'dora']],
    ['key ?gte', [{ 'key?gte': 'bob' }], ['bob', 'carl', 'dora']],
    ['key ?<, ?>', [{ 'key?<': 'b', age: 36 }], ['ada']],
    [
      'one key condition in every object',
      [
        { 'key?pfx': 'a', age: 36 },
        { 'key?pfx': 'a', age: 41 },
      ],
      ['ada', 'alan'],
    ],
    [
      'one key condition in two spellings',
      [
        { 'key?gte': 'b', active: true },
        { 'key?>=': 'b', active: false },
      ],
      ['bob', 'carl'],
    ],
    ['a key range after all keys', [{ 'key?pfx': 'zz' }], []],
  ];
  for (const [what, query, keys] of matching) {
    test(`a query returns exactly the matching items: ${what}`, async () => {
      assert.deepEqual(await keysOf(await withPeople(), query), keys);
    });
  }

  const operands = [1, 1.5, 'x', '', true, false, null, [], [1], {}, { a: 1 }];
  test('?ne and ?not_contains are the exact negations of equal and ?contains', async () => {
    const base = await withPeople();
    for (const path of ['age', 'name', 'tags', 'home', 'absent', 'home.city', 'active']) {
      for (const operand of [...operands, 36, '36', 'Ada', ['math', 'engine']]) {
        const equal = await keysOf(base, [{ [path]: operand }]);
        assert.deepEqual(await keysOf(base, [{ [`${path}?ne`]: operand }]), without(...equal));
      }
      for (const operand of ['', 'a', 'math', 'London']) {
        const found = await keysOf(base, [{ [`${path}?contains`]: operand }]);
        assert.deepEqual(await keysOf(base, [{ [`${path}?not_contains`]: operand }]), without(...found));
      }
    }
  });

  test('a comparison matches only two numbers or two strings', async () => {
    const base = freshBase(service.api);
    const values = [1, 'x', true, null, [1], { a: 1 }];
    await base.put(...values.map((v, n) => ({ key: `k${n}`, v })));
    for (const operator of ['lt', 'lte', 'gt', 'gte']) {
      assert.deepEqual(
        (await keysOf(base, [{ [`v?${operator}`]: 1 }])).filter((key) => key !== 'k0'),
        [],
      );
      assert.deepEqual(
        (await keysOf(base, [{ [`v?${operator}`]: 'x' }])).filter((key) => key !== 'k1'),
        [],
      );
    }
    assert.deepEqual(await keysOf(base, [{ 'v?r': [0, 9] }]), ['k0']);
    assert.deepEqual(await keysOf(base, [{ 'v?r': ['a', 'z'] }]), ['k1']);
  });

  test('strings and keys are in the order of their UTF-8 bytes', async () => {
    const base = freshBase(service.api);
    // In the order of UTF-16 code units, 🙂 would be before U+FFFD.
    const keys = ['\u{1f642}', '\ufffd', 'a', 'B', 'é', 'z', '~', 'aa', 'a\u0001', '10', '9'];
    await base.put(...keys.map((key) => ({ key, text: key })));
    const ordered = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(await keysOf(base, undefined), ordered);
    assert.deepEqual(await keysOf(base, [{ 'text?gt': '\ufffd' }]), ['\u{1f642}']);
    assert.deepEqual(await keysOf(base, [{ 'key?gt': '\ufffd' }]), ['\u{1f642}']);
    assert.deepEqual(await keysOf(base, [{ 'text?r': ['B', 'a'] }]), ['B', 'a']);
    const reply = await base.query({ sort: 'desc' });
    assert.deepEqual(
      reply.json<{ items: { key: string }[] }>().items.map(({ key }) => key),
      ordered.toReversed(),
    );
  });

  test('names of prototype properties are ordinary attribute names', async () => {
    const base = freshBase(service.api);
    await base.sendText(
      'PUT',
      '/items',
      '{"items":[{"key":"k","__proto__":{"a":1},"constructor":"c"},{"key":"l"}]}',
    );
    const find = async (condition: string) => {
      const reply = await base.sendText('POST', '/query', `{"query":[{${condition}}]}`);
      return reply.json<{ items: { key: string }[] }>().items.map(({ key }) => key);
    };
    assert.deepEqual(await find('"__proto__.a":1'), ['k']);
    assert.deepEqual(await find('"__proto__":{"a":1}'), ['k']);
    assert.deepEqual(await find('"constructor":"c"'), ['k']);
    assert.deepEqual(await find('"toString?ne":1'), ['k', 'l']);
    assert.deepEqual(await find('"toString":null'), ['k', 'l']);
    assert.deepEqual(await find('"toString?ne":null'), []);
  });

  test('the operator is the part after the last question mark', async () => {
    const base = freshBase(service.api);
    await base.put({ key: 'k', 'a?b': 5, '?': 1 });
    assert.deepEqual(await keysOf(base, [{ 'a?b?gt': 4 }]), ['k']);
    assert.deepEqual(await keysOf(base, [{ 'a?b?gt': 5 }]), []);
    assert.deepEqual(await keysOf(base, [{ '??gte': 1 }]), ['k']);
    expectBadQuery(await base.query({ query: { 'a?b': 5 } }));
  });

  const bad: readonly [what: string, queries: readonly unknown[]][] = [
    ['a query that is neither a list nor an object', ['x', 1, true, [1], ['x'], [null], [[]], [{}, null]]],
    [
      'an unknown operator',
      [{ 'a?like': 1 }, { 'a?LT': 1 }, { 'a?eq': 1 }, { 'a?=': 1 }, { 'a?lt ': 1 }, { 'key?like': 'x' }],
    ],
    ['an empty operator', [{ 'a?': 1 }, { 'key?': 'x' }]],
    ['an empty path', [{ '': 1 }, { '?lt': 1 }, { '.a': 1 }, { 'a.': 1 }, { 'a..b': 1 }, { 'a..b?lt': 1 }]],
    [
      'a comparison with a value that has no order',
      ['lt', 'gt', 'lte', 'gte'].flatMap((op) => [null, true, [], {}].map((v) => ({ [`a?${op}`]: v }))),
    ],
    ['?pfx with a value that is not a string', [{ 'a?pfx': 1 }, { 'a?pfx': null }, { 'a?pfx': ['x'] }]],
    [
      '?contains with a value that is not a string',
      [{ 'a?contains': 1 }, { 'a?contains': null }, { 'a?contains': [] }, { 'a?not_contains': 1 }],
    ],
    [
      '?r without exactly two ends of one type',
      [
        { 'a?r': 1 },
        { 'a?r': [] },
        { 'a?r': [1] },
        { 'a?r': [1, 2, 3] },
        { 'a?r': [1, 'x'] },
        { 'a?r': [null, null] },
        { 'a?r': [true, false] },
        { 'a?r': [[], []] },
        { 'a?r': {} },
      ],
    ],
    [
      'a key compared with a value that is not a string',
      [{ key: 1 }, { key: null }, { 'key?gt': 1 }, { 'key?pfx': 1 }, { 'key?r': [1, 2] }, { key: ['x'] }],
    ],
    [
      'an operator that is not for keys',
      [{ 'key?ne': 'x' }, { 'key?!=': 'x' }, { 'key?contains': 'x' }, { 'key?not_contains': 'x' }],
    ],
    [
      'two key conditions in one object',
      [
        { key: 'a', 'key?pfx': 'a' },
        { 'key?gt': 'a', 'key?lt': 'b' },
      ],
    ],
    [
      'a list of different key conditions',
      [
        [{ key: 'a' }, { key: 'b' }],
        [{ 'key?gt': 'a' }, { 'key?gte': 'a' }],
        [{ 'key?pfx': 'a' }, { key: 'a' }],
      ],
    ],
    [
      'a key condition that is missing in some objects',
      [
        [{ key: 'a' }, { name: 'x' }],
        [{ name: 'x' }, { key: 'a' }],
        [{ key: 'a' }, {}],
      ],
    ],
  ];
  for (const [what, queries] of bad) {
    test(`${what} is a bad query`, async () => {
      const base = freshBase(service.api);
      for (const query of queries) expectBadQuery(await base.query({ query }));
    });
  }

  test('`limit` is an integer of 1 or more, otherwise the answer is 400', async () => {
    const base = await withPeople();
    for (const limit of [0, -1, 1.5, '1', true, [], {}, '']) {
      const [first] = expectErrors(await base.query({ limit }), 400, /limit/);
      assert.notEqual(first, 'Bad query');
    }
    for (const limit of [null, undefined, 1000, 1_000_000_000]) {
      expectJson(await base.query({ limit }), 200, { paging: { size: 5 }, items: people });
    }
  });

  test('`last` is a string and `sort` is asc or desc, otherwise the answer is 400', async () => {
    const base = await withPeople();
    for (const last of [1, true, [], {}]) expectErrors(await base.query({ last }), 400, /last/);
    for (const sort of ['ASC', 'up', 1, true, [], {}]) expectErrors(await base.query({ sort }), 400, /sort/);
    for (const empty of [null, '']) {
      expectJson(await base.query({ last: empty, sort: empty }), 200, { paging: { size: 5 }, items: people });
    }
    expectJson(await base.query({ sort: 'asc' }), 200, { paging: { size: 5 }, items: people });
    expectJson(await base.query({ sort: 'desc' }), 200, { paging: { size: 5 }, items: people.toReversed() });
  });

  test('a query without a body or with an empty object returns all items', async () => {
    const base = await withPeople();
    const answer = { paging: { size: 5 }, items: people };
    expectJson(await service.api.send('POST', `${base.root}/query`), 200, answer);
    expectJson(await base.query({}), 200, answer);
    expectJson(await base.query({ query: null, limit: null, last: null, sort: null }), 200, answer);
  });
});
