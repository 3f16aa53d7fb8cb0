import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshBase } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

const stored = {
  key: 'k',
  n: 1,
  text: 'x',
  flag: true,
  nothing: null,
  list: [1, { a: 1 }, [2]],
  empty: [],
  profile: { age: 7, tags: ['a'], address: { city: 'Rome' } },
};

describe('Update Item', { concurrency: true }, () => {
  const service = useService();

  async function withItem(item: { key: string } = stored) {
    const base = freshBase(service.api);
    expectStatus(await base.put(item), 207);
    return base;
  }

  type Row = readonly [what: string, update: unknown, changed: Readonly<Record<string, unknown>>];
  const good: readonly Row[] = [
    ['set changes a present attribute', { set: { n: 'two' } }, { n: 'two' }],
    ['set creates an absent attribute', { set: { fresh: { a: [1] } } }, { fresh: { a: [1] } }],
    ['set to null', { set: { n: null } }, { n: null }],
    ['set of a nested attribute', { set: { 'profile.age': 8 } }, { profile: { ...stored.profile, age: 8 } }],
    [
      'set of a nested absent attribute',
      { set: { 'profile.address.zip': '1' } },
      { profile: { ...stored.profile, address: { city: 'Rome', zip: '1' } } },
    ],
    ['set of an element of a list', { set: { 'list.0': 'one' } }, { list: ['one', { a: 1 }, [2]] }],
    ['set within an element of a list', { set: { 'list.1.b': 2 } }, { list: [1, { a: 1, b: 2 }, [2]] }],
    ['set within a list of lists', { set: { 'list.2.0': 3 } }, { list: [1, { a: 1 }, [3]] }],
    ['increment', { increment: { n: 5 } }, { n: 6 }],
    ['increment by a negative number', { increment: { n: -3 } }, { n: -2 }],
    ['increment of an absent attribute counts from 0', { increment: { fresh: 4 } }, { fresh: 4 }],
    [
      'increment of a nested attribute',
      { increment: { 'profile.age': 1 } },
      { profile: { ...stored.profile, age: 8 } },
    ],
    ['increment of an element of a list', { increment: { 'list.0': 1 } }, { list: [2, { a: 1 }, [2]] }],
    ['append', { append: { list: [3, 4] } }, { list: [1, { a: 1 }, [2], 3, 4] }],
    ['append of a list within a list', { append: { list: [[3]] } }, { list: [1, { a: 1 }, [2], [3]] }],
    ['append of an empty list', { append: { list: [] } }, {}],
    ['append to an absent attribute creates the list', { append: { fresh: [1] } }, { fresh: [1] }],
    [
      'append to a nested list',
      { append: { 'profile.tags': ['b'] } },
      { profile: { ...stored.profile, tags: ['a', 'b'] } },
    ],
    [
      'prepend keeps the order of its list',
      { prepend: { list: [3, 4] } },
      { list: [3, 4, 1, { a: 1 }, [2]] },
    ],
    ['prepend to an absent attribute creates the list', { prepend: { fresh: [1, 2] } }, { fresh: [1, 2] }],
    ['prepend to an empty list', { prepend: { empty: [1] } }, { empty: [1] }],
    ['delete of an element of a list', { delete: ['list.1'] }, { list: [1, [2]] }],
    [
      'delete of elements: the indexes are those of the list before',
      { delete: ['list.0', 'list.1'] },
      { list: [[2]] },
    ],
    [
      'delete of an element beside a change of another',
      { set: { 'list.2': 'two' }, delete: ['list.0'] },
      { list: [{ a: 1 }, 'two'] },
    ],
    [
      'delete of an absent attribute is not an error',
      { delete: ['absent', 'profile.absent', 'none.a.b'] },
      {},
    ],
    [
      'several members at once',
      { set: { text: 'y' }, increment: { n: 1 }, append: { empty: [1] }, prepend: { list: [0] }, delete: [] },
      { text: 'y', n: 2, empty: [1], list: [0, 1, { a: 1 }, [2]] },
    ],
    [
      'siblings in one object',
      { set: { 'profile.age': 1, 'profile.name': 'A' }, append: { 'profile.tags': ['b'] } },
      { profile: { age: 1, tags: ['a', 'b'], address: { city: 'Rome' }, name: 'A' } },
    ],
  ];
  for (const [what, update, changed] of good) {
    test(`an update with valid operations changes the item: ${what}`, async () => {
      const base = await withItem();
      const reply = await base.update('k', update);
      expectJson(reply, 200, { key: 'k', ...(update as object) });
      expectJson(await base.get('k'), 200, { ...stored, ...changed });
    });
  }

  test('delete removes attributes, nested ones too', async () => {
    const base = await withItem();
    const update = { delete: ['n', 'text', 'profile.address', 'list', 'flag', 'nothing', 'empty'] };
    expectJson(await base.update('k', update), 200, { key: 'k', ...update });
    expectJson(await base.get('k'), 200, { key: 'k', profile: { age: 7, tags: ['a'] } });
  });

  test('the answer repeats the members of the request', async () => {
    const base = await withItem();
    const text = '{"set": {"b":1, "a":2.50}, "increment": {}, "delete": [], "append":{"empty":["\\u0041"]}}';
    const reply = await base.sendText('PATCH', '/items/k', text);
    expectStatus(reply, 200);
    assert.equal(
      reply.text,
      '{"key":"k","set":{"b":1,"a":2.50},"increment":{},"append":{"empty":["A"]},"delete":[]}',
    );
  });

  test('optional members may be null or empty if another member has an operation', async () => {
    const base = await withItem();
    const members = { set: { n: 2 }, increment: null, append: {}, prepend: null, delete: null };
    expectStatus(await base.update('k', members), 200);
    expectStatus(
      await base.update('k', { set: {}, increment: { n: 1 }, append: {}, prepend: {}, delete: [] }),
      200,
    );
    expectJson(await base.get('k'), 200, { ...stored, n: 3 });
  });

  test('an update of a missing item is answered with 404 and does not create it', async () => {
    const base = freshBase(service.api);
    for (const update of [{ set: { a: 1 } }, { increment: { a: 1 } }, { delete: ['a'] }]) {
      expectJson(await base.update('absent', update), 404, {
        errors: ['Key not found'],
        codes: [{ code: 'item_not_found' }],
      });
    }
    expectJson(await base.get('absent'), 404, { key: 'absent' });
  });

  const bad: readonly [what: string, updates: readonly unknown[], message?: RegExp][] = [
    [
      'no operation',
      [{}, { set: {} }, { delete: [] }, { set: {}, increment: {}, append: {}, prepend: {}, delete: [] }],
    ],
    ['only null members', [{ set: null }, { set: null, increment: null, delete: null }]],
    [
      'a member that is not an object',
      [{ set: [] }, { set: 'x' }, { increment: 1 }, { append: [1] }, { prepend: true }],
      /set|increment|append|prepend/,
    ],
    [
      'a delete that is not a list of strings',
      [{ delete: 'n' }, { delete: { n: 1 } }, { delete: [1] }, { delete: [null] }, { delete: ['n', ['x']] }],
      /delete/,
    ],
    [
      'the path key',
      [
        { set: { key: 'l' } },
        { set: { key: 'k' } },
        { increment: { key: 1 } },
        { append: { key: [1] } },
        { prepend: { key: [] } },
        { delete: ['key'] },
      ],
      /key/,
    ],
    [
      'one path twice across members',
      [
        { set: { n: 1 }, increment: { n: 1 } },
        { append: { empty: [1] }, prepend: { empty: [1] } },
        { set: { n: 1 }, delete: ['n'] },
        { delete: ['n', 'n'] },
      ],
      /n|empty/,
    ],
    [
      'a path and its ancestor',
      [
        { set: { profile: {}, 'profile.age': 1 } },
        { set: { 'profile.age': 1 }, delete: ['profile'] },
        { increment: { 'list.0': 1 }, append: { list: [1] } },
      ],
      /profile|list/,
    ],
    ['an empty path', [{ set: { '': 1 } }, { delete: [''] }, { increment: { '': 1 } }]],
    [
      'an empty segment of a path',
      [{ set: { 'profile.': 1 } }, { set: { '.profile': 1 } }, { delete: ['profile..age'] }],
    ],
    [
      'a set below a missing value or one that is not an object',
      [
        { set: { 'absent.a': 1 } },
        { set: { 'n.a': 1 } },
        { set: { 'text.a': 1 } },
        { set: { 'nothing.a': 1 } },
        { set: { 'profile.absent.a': 1 } },
        { set: { 'list.a': 1 } },
      ],
      /absent|n|text|nothing|list/,
    ],
    [
      'an increment, append or prepend below a missing value or one that is not an object',
      [{ increment: { 'absent.a': 1 } }, { append: { 'absent.a': [1] } }, { prepend: { 'n.a': [1] } }],
      /absent|n/,
    ],
    [
      'an increment of a missing list element',
      [{ increment: { 'list.3': 1 } }, { append: { 'empty.0': [1] } }],
      /list|empty/,
    ],
    [
      'a set of a missing list element',
      [
        { set: { 'list.3': 1 } },
        { set: { 'empty.0': 1 } },
        { set: { 'list.-1': 1 } },
        { set: { 'list.1.5.x': 1 } },
      ],
      /list|empty/,
    ],
    [
      'an increment by a value that is not a number',
      [
        { increment: { n: '1' } },
        { increment: { n: null } },
        { increment: { n: [] } },
        { increment: { n: true } },
      ],
      /n/,
    ],
    [
      'an increment of a value that is not a number',
      [
        { increment: { text: 1 } },
        { increment: { nothing: 1 } },
        { increment: { list: 1 } },
        { increment: { flag: 1 } },
        { increment: { profile: 1 } },
      ],
      /text|nothing|list|flag|profile/,
    ],
    [
      'an append or prepend of a value that is not a list',
      [
        { append: { list: 1 } },
        { append: { list: 'x' } },
        { append: { list: {} } },
        { prepend: { list: null } },
      ],
      /list/,
    ],
    [
      'an append or prepend to a value that is not a list',
      [
        { append: { n: [1] } },
        { append: { text: [1] } },
        { prepend: { profile: [1] } },
        { prepend: { nothing: [1] } },
      ],
      /n|text|profile|nothing/,
    ],
    ['a value that no item may have', [{ set: { a: { '': 1 } } }, { append: { list: [{ '': 1 }] } }]],
  ];
  for (const [what, updates, message] of bad) {
    test(`an update with ${what} is answered with 400 and changes nothing`, async () => {
      const base = await withItem();
      for (const update of updates) {
        expectErrors(await base.update('k', update), 400, message);
        // A valid operation in the same request is not done either.
        const { set, ...others } = update as { set?: unknown };
        if (typeof set === 'object' && set !== null && !Array.isArray(set) && Object.keys(set).length > 0) {
          expectErrors(await base.update('k', { ...others, set: { good: 1, ...set } }), 400, message);
        }
      }
      expectJson(await base.get('k'), 200, stored);
    });
  }

  test('the changed item may not be larger than an item may be', async () => {
    const base = await withItem({ key: 'k' });
    const half = 'x'.repeat(205 * 1024);
    expectStatus(await base.update('k', { set: { a: half } }), 200);
    expectErrors(await base.update('k', { set: { b: half } }), 400);
    expectErrors(await base.update('k', { append: { list: [half] } }), 400);
    expectJson(await base.get('k'), 200, { key: 'k', a: half });
  });

  test('the changed item may not be nested deeper than an item may be', async () => {
    const base = await withItem({ key: 'k' });
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expectStatus(await base.sendText('PATCH', '/items/k', `{"set":{"a":{"b":${nested(98)}}}}`), 200);
    expectErrors(await base.sendText('PATCH', '/items/k', `{"set":{"a.b":${nested(99)}}}`), 400);
    expectErrors(await base.sendText('PATCH', '/items/k', `{"append":{"a.b":[${nested(98)}]}}`), 400);
    assert.equal((await base.get('k')).text, `{"key":"k","a":{"b":${nested(98)}}}`);
  });

  test('a changed attribute keeps its position, and a new one is the last', async () => {
    const base = freshBase(service.api);
    await base.sendText('PUT', '/items', '{"items":[{"z":1,"key":"k","10":2,"a":3}]}');
    await base.sendText('PATCH', '/items/k', '{"set":{"a":"x","9":0},"increment":{"z":1}}');
    assert.equal((await base.get('k')).text, '{"z":2,"key":"k","10":2,"a":"x","9":0}');
  });

  test('no update of an item is lost, however many run at the same time', async () => {
    const base = await withItem({ key: 'k' });
    const count = 100;
    const replies = await Promise.all(
      Array.from({ length: count }, (_, n) => {
        return base.update('k', { increment: { n: 1 }, append: { seen: [n] }, set: { [`own${n}`]: n } });
      }),
    );
    for (const reply of replies) expectStatus(reply, 200);
    const item = (await base.get('k')).json<{ n: number; seen: number[] } & Record<string, unknown>>();
    assert.equal(item.n, count);
    assert.deepEqual(
      item.seen.toSorted((a, b) => a - b),
      Array.from({ length: count }, (_, n) => n),
    );
    for (let n = 0; n < count; n++) assert.equal(item[`own${n}`], n);
  });
});
