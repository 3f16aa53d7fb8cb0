import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Base, freshBase } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

const noMatch = 'The item does not match the condition';
const kib = 1024;
/** An item of this size is changed outside of the engine's transaction. */
const largeBytes = 100 * kib;

describe('transactions', { concurrency: true }, () => {
  const service = useService();

  async function withItems(...items: unknown[]): Promise<Base> {
    const base = freshBase(service.api);
    if (items.length > 0) expectStatus(await base.put(...items), 207);
    return base;
  }

  async function keysOf(base: Base): Promise<string[]> {
    return (await base.query({})).json<{ items: { key: string }[] }>().items.map(({ key }) => key);
  }

  describe('what an operation does and answers', () => {
    test('each operation answers what it answers by itself, in the order of the request', async () => {
      const base = await withItems(
        { key: 'updated', n: 1 },
        { key: 'deleted', n: 1 },
        { key: 'checked', n: 1 },
      );
      const reply = await base.transact(
        { put: { key: 'put', a: [1] } },
        { insert: { key: 'inserted', a: 2 } },
        { update: { key: 'updated', set: { a: 3 }, increment: { n: 1 } } },
        { delete: { key: 'deleted' } },
        { delete: { key: 'never there' } },
        { check: { key: 'checked', if: { n: 1 } } },
        { check: { key: 'not there', if: null } },
      );
      expectJson(reply, 200, {
        results: [
          { key: 'put', a: [1] },
          { key: 'inserted', a: 2 },
          { key: 'updated', set: { a: 3 }, increment: { n: 1 } },
          { key: 'deleted' },
          { key: 'never there' },
          { key: 'checked' },
          { key: 'not there' },
        ],
      });
      const { items } = (await base.query({})).json<{ items: unknown[] }>();
      assert.deepEqual(items, [
        { key: 'checked', n: 1 },
        { key: 'inserted', a: 2 },
        { key: 'put', a: [1] },
        { key: 'updated', n: 2, a: 3 },
      ]);
    });

    test('items without a key get one', async () => {
      const base = await withItems();
      const { results } = (await base.transact({ put: { n: 1 } }, { insert: { n: 2 } })).json<{
        results: { key: string; n: number }[];
      }>();
      for (const item of results) {
        assert.match(item.key, /^[a-z0-9]{12}$/);
        expectJson(await base.get(item.key), 200, item);
      }
    });

    test('numbers and the order of attributes come back as they were sent', async () => {
      const base = await withItems();
      const item = '{"z":1.50,"key":"k","a":9007199254740993,"1":-0}';
      const reply = await base.sendText('POST', '/transactions', `{"operations": [ {"put": ${item}} ]}`);
      assert.equal(reply.text, `{"results":[${item}]}`);
      assert.equal((await base.get('k')).text, item);
    });

    test('each sees what those before it did', async () => {
      const base = await withItems({ key: 'a', n: 1 });
      const reply = await base.transact(
        { check: { key: 'b', if: null } },
        { insert: { key: 'b', n: 10 } },
        { check: { key: 'b', if: { n: 10 } } },
        { update: { key: 'b', if: { n: 10 }, increment: { n: 1 } } },
        { update: { key: 'b', if: { n: 11 }, append: { log: ['x'] } } },
        { check: { key: 'b', if: { n: 11, 'log.0': 'x' } } },
        { delete: { key: 'b', if: { n: 11 } } },
        { check: { key: 'b', if: null } },
        { insert: { key: 'b', n: 20 } },
        { put: { key: 'b', n: 30 } },
        { update: { key: 'b', increment: { n: 1 } } },
        { delete: { key: 'a' } },
      );
      expectStatus(reply, 200);
      expectJson(await base.get('b'), 200, { key: 'b', n: 31 });
      assert.deepEqual(await keysOf(base), ['b']);
    });

    test('one key a hundred times', async () => {
      const base = await withItems({ key: 'k', n: 0 });
      const increments = Array.from({ length: 99 }, (_, n) => ({
        update: { key: 'k', if: { n }, increment: { n: 1 } },
      }));
      expectStatus(await base.transact(...increments, { check: { key: 'k', if: { n: 99 } } }), 200);
      expectJson(await base.get('k'), 200, { key: 'k', n: 99 });
    });

    test('a hundred operations on a hundred keys', async () => {
      const base = await withItems();
      const puts = Array.from({ length: 100 }, (_, n) => ({ put: { key: `k${n}`, n } }));
      expectStatus(await base.transact(...puts), 200);
      assert.equal((await keysOf(base)).length, 100);
      const updates = puts.map(({ put: { key, n } }) => ({
        update: { key, if: { n }, increment: { n: 1 } },
      }));
      expectStatus(await base.transact(...updates), 200);
      expectErrors(await base.transact(...updates), 412, new RegExp(`^operations\\[0\\]: ${noMatch}$`));
    });

    test('an expired item is no item', async () => {
      const base = await withItems({ key: 'a', __expires: 1 }, { key: 'b', __expires: 1 });
      expectErrors(await base.transact({ update: { key: 'a', set: { n: 1 } } }), 404);
      expectErrors(await base.transact({ check: { key: 'a', if: {} } }), 412);
      expectStatus(
        await base.transact({ check: { key: 'a', if: null } }, { insert: { key: 'a', n: 1 } }),
        200,
      );
      expectStatus(await base.transact({ delete: { key: 'b' } }), 200);
      expectJson(await base.get('a'), 200, { key: 'a', n: 1 });
    });

    test('a put may set an expiry, from which on the item is gone', async () => {
      const base = await withItems();
      const expired = { put: { key: 'a', __expires: 1 } };
      expectStatus(await base.transact(expired, { check: { key: 'a', if: null } }), 200);
      expectStatus(await base.get('a'), 404);
      expectStatus(await base.transact(expired, { insert: { key: 'a' } }), 200);
      expectJson(await base.get('a'), 200, { key: 'a' });
    });

    test('a base of any name has transactions, and an item may have the key transactions', async () => {
      const base = freshBase(service.api, 'transactions');
      expectStatus(await base.transact({ put: { key: 'transactions', n: 1 } }), 200);
      expectJson(await base.get('transactions'), 200, { key: 'transactions', n: 1 });
      expectStatus(await base.transact({ delete: { key: 'transactions' } }), 200);
    });
  });

  describe('the first that fails is the answer, and nothing is changed', () => {
    const change = { update: { key: 'a', increment: { n: 1 } } };
    const failures: readonly (readonly [what: string, operation: object, status: number, message: RegExp])[] =
      [
        ['insert of a key that exists', { insert: { key: 'b' } }, 409, /^Key already exists$/],
        ['insert of a key that was put before', { insert: { key: 'new' } }, 409, /^Key already exists$/],
        ['update of a missing item', { update: { key: 'none', set: { n: 1 } } }, 404, /^Key not found$/],
        [
          'conditional update of a missing item',
          { update: { key: 'none', if: { n: null }, set: { n: 1 } } },
          404,
          /^Key not found$/,
        ],
        [
          'update of an item that does not match',
          { update: { key: 'b', if: { n: 1 }, set: { n: 1 } } },
          412,
          /./,
        ],
        [
          'update that cannot be applied',
          { update: { key: 'b', append: { n: [1] } } },
          400,
          /^update\.append\.n: /,
        ],
        [
          'update that breaks a rule of items',
          { update: { key: 'b', set: { __expires: 'x' } } },
          400,
          /__expires/,
        ],
        ['delete of an item that does not match', { delete: { key: 'b', if: { n: 1 } } }, 412, /./],
        ['conditional delete of a missing item', { delete: { key: 'none', if: { n: null } } }, 412, /./],
        ['conditional delete of a missing item, any', { delete: { key: 'none', if: {} } }, 412, /./],
        ['check of an item that does not match', { check: { key: 'b', if: { n: 1 } } }, 412, /./],
        ['check of a missing item', { check: { key: 'none', if: {} } }, 412, /./],
        ['check for a key that exists', { check: { key: 'b', if: null } }, 412, /./],
        ['check for a key that was put before', { check: { key: 'new', if: null } }, 412, /./],
        ['check of an item as it was before', { check: { key: 'a', if: { n: 1 } } }, 412, /./],
      ];
    for (const size of ['small', 'large']) {
      for (const [what, operation, status, message] of failures) {
        test(`${what}, among ${size} items`, async () => {
          const text = size === 'small' ? '' : 'x'.repeat(largeBytes);
          const base = await withItems({ key: 'a', n: 1, text }, { key: 'b', n: 2, text });
          const reply = await base.transact(change, { put: { key: 'new' } }, operation, {
            insert: { key: 'b' },
          });
          const [first = '', ...others] = expectErrors(reply, status);
          assert.ok(first.startsWith('operations[2]: '), first);
          assert.match(
            first.slice('operations[2]: '.length),
            status === 412 ? new RegExp(`^${noMatch}$`) : message,
          );
          assert.deepEqual(others, []);
          assert.deepEqual(await keysOf(base), ['a', 'b']);
          expectJson(await base.get('a'), 200, { key: 'a', n: 1, text });
        });
      }
    }
  });

  test('the path of a member at fault leads to it from the body', async () => {
    const base = await withItems({ key: 'a', n: 1 });
    const wrong: readonly (readonly [operation: object, path: string])[] = [
      [{ update: { key: 'a', append: { n: [1] } } }, 'update.append.n'],
      [{ update: { key: 'a', set: { 'n.x': 1 } } }, 'update.set.n.x'],
      [{ update: { key: 'none', upsert: { n: 'x' }, increment: { n: 1 } } }, 'update.increment.n'],
      [{ update: { key: 'a', increment: { n: 'x' } } }, 'update.increment.n'],
      [{ update: { key: 'a', delete: ['n', 1] } }, 'update.delete[1]'],
      [{ update: { key: 'a', set: 1 } }, 'update.set'],
      [{ update: { key: 'a', expires_in: 'x' } }, 'update.expires_in'],
      [{ update: { key: 'a', set: { n: 1 }, return: 'x' } }, 'update.return'],
      [{ update: { key: 'a', upsert: { key: 'b' } } }, 'update.upsert.key'],
      [{ update: { key: 'a' } }, 'update'],
      [{ update: { key: 5 } }, 'update.key'],
      [{ update: { key: 'a', when: {} } }, 'update.when'],
      [{ delete: { key: 'a', return: 'new' } }, 'delete.return'],
      [{ put: { key: 'a' }, return: 'new' }, 'return'],
      [{ put: { key: 'a' }, expires_in: 'x' }, 'expires_in'],
    ];
    for (const [operation, path] of wrong) {
      const reply = await base.transact({ put: { key: 'b' } }, operation);
      expectErrors(reply, 400);
      const { codes } = reply.json() as { codes: readonly { path?: string }[] };
      assert.deepEqual(
        codes.map((one) => one.path),
        [`operations[1].${path}`],
      );
    }
    const bad = await base.transact({ update: { key: 'a', if: { 'set?zz': 1 }, set: { n: 1 } } });
    const { codes } = bad.json() as { codes: readonly { path?: string }[] };
    assert.equal(codes[1]?.path, 'operations[0].set?zz');
  });

  describe('bad bodies', () => {
    const bad: readonly (readonly [what: string, body: unknown, message: RegExp])[] = [
      ['no object', [], /^body: must be a JSON object$/],
      ['no operations', {}, /^operations: must be a list of operations$/],
      ['operations that are no list', { operations: { put: {} } }, /^operations: must be a list/],
      ['null for operations', { operations: null }, /^operations: must be a list/],
      ['0 operations', { operations: [] }, /^operations: must hold 1 to 100 operations, has 0$/],
      [
        '101 operations',
        { operations: Array.from({ length: 101 }, () => ({ delete: { key: 'k' } })) },
        /^operations: must hold 1 to 100 operations, has more$/,
      ],
      ['another member', { operations: [{ put: {} }], atomic: false }, /^atomic: there is no such member/],
      ['an operation that is no object', { operations: ['put'] }, /^operations\[0\]: must be an object$/],
      ['an operation of no kind', { operations: [{}] }, /^operations\[0\]: must have one of put, insert, /],
      ['an operation of null', { operations: [{ put: null }] }, /^operations\[0\]: must have one of put, /],
      [
        'an unknown kind',
        { operations: [{ patch: {} }] },
        /^operations\[0\]: patch: there is no such member/,
      ],
      [
        'two kinds',
        { operations: [{ put: {}, delete: { key: 'k' } }] },
        /^operations\[0\]: .* has put and delete$/,
      ],
      ['a put of no object', { operations: [{ put: [] }] }, /^operations\[0\]: put: must be an object$/],
      [
        'a put of a bad key',
        { operations: [{ put: { key: 7 } }] },
        /^operations\[0\]: put\.key: must be a string$/,
      ],
      [
        'an insert of an empty name',
        { operations: [{ insert: { a: { '': 1 } } }] },
        /^operations\[0\]: insert\.a/,
      ],
      [
        'an update of no object',
        { operations: [{ update: 'k' }] },
        /^operations\[0\]: update: must be an object$/,
      ],
      [
        'an update without a key',
        { operations: [{ update: { set: { a: 1 } } }] },
        /^operations\[0\]: update\.key: /,
      ],
      [
        'an update that does nothing',
        { operations: [{ update: { key: 'k' } }] },
        /^operations\[0\]: update: names no/,
      ],
      [
        'an update of a wrong type',
        { operations: [{ update: { key: 'k', increment: { n: 'x' } } }] },
        /^operations\[0\]: update\.increment\.n: must be a number$/,
      ],
      [
        'an update with another member',
        { operations: [{ update: { key: 'k', set: { a: 1 }, iff: {} } }] },
        /^operations\[0\]: update\.iff: there is no such member/,
      ],
      [
        'a delete of a string',
        { operations: [{ delete: 'k' }] },
        /^operations\[0\]: delete: must be an object$/,
      ],
      [
        'a delete without a key',
        { operations: [{ delete: {} }] },
        /^operations\[0\]: delete\.key: must be a string$/,
      ],
      [
        'a delete of an empty key',
        { operations: [{ delete: { key: '' } }] },
        /^operations\[0\]: delete\.key: must not/,
      ],
      [
        'a delete with another member',
        { operations: [{ delete: { key: 'k', set: {} } }] },
        /^operations\[0\]: delete\.set: there is no such member/,
      ],
      [
        'a check without if',
        { operations: [{ check: { key: 'k' } }] },
        /^operations\[0\]: check\.if: is missing/,
      ],
      [
        'a check of a bad key',
        { operations: [{ check: { key: 1, if: {} } }] },
        /^operations\[0\]: check\.key: /,
      ],
      [
        'a condition that is no query',
        { operations: [{ check: { key: 'k', if: 1 } }] },
        /^operations\[0\]: Bad query$/,
      ],
      [
        'a bad condition',
        { operations: [{ check: { key: 'k', if: { 'a?': 1 } } }] },
        /^operations\[0\]: a\?: /,
      ],
      [
        'conditions beyond their number',
        {
          operations: [1, 2].map(() => ({
            check: { key: 'k', if: Array.from({ length: 501 }, () => ({ a: 1 })) },
          })),
        },
        /^operations\[1\]: check\.if: the operations have more than 1000 conditions together$/,
      ],
      [
        'values beyond their number',
        {
          operations: [1, 2].map(() => ({ update: { key: 'k', set: { a: Array(150_000).fill(0) } } })),
        },
        /^operations\[1\]: update: the updates, deletes and checks have more than 204800 JSON values together$/,
      ],
    ];
    for (const [what, body, message] of bad) {
      test(what, async () => {
        const base = await withItems({ key: 'k', n: 1 });
        const list = (body as { operations?: unknown }).operations;
        expectErrors(await base.sendText('POST', '/transactions', JSON.stringify(body)), 400, message);
        if (Array.isArray(list) && list.length > 0 && list.length < 100) {
          const later = { ...(body as object), operations: [{ put: { key: 'stored' } }, ...list] };
          expectErrors(await base.sendText('POST', '/transactions', JSON.stringify(later)), 400);
        }
        assert.deepEqual(await keysOf(base), ['k']);
      });
    }

    test('JSON that is malformed, a number and a depth beyond the rules', async () => {
      const base = await withItems();
      const send = (text: string) => base.sendText('POST', '/transactions', text);
      expectErrors(await send('{"operations":[{"put":{}}'), 400, /^body: malformed JSON/);
      expectErrors(
        await send('{"operations":[{"put":{}},{"put":{"a":{"n":12345678901234567}}}]}'),
        400,
        /^operations\[1\]: put\.a\.n: a number of 17 significant digits/,
      );
      const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
      expectErrors(
        await send(`{"operations":[{"put":{"a":${deep}}}]}`),
        400,
        /^operations\[0\]: put: nested more/,
      );
      assert.deepEqual(await keysOf(base), []);
    });

    test('another content type, and a method that is not there', async () => {
      const base = await withItems();
      const path = `${base.root}/transactions`;
      expectErrors(await service.api.send('POST', path, { body: '{}', type: 'text/plain' }), 415);
      const wrong = await service.api.send('GET', path);
      expectErrors(wrong, 405);
      assert.equal(wrong.headers.allow, 'POST, OPTIONS');
      expectErrors(await service.api.send('POST', path, { json: {}, key: null }), 401);
    });
  });

  describe('large items', () => {
    test('an item that becomes larger than an item may be is refused with its place', async () => {
      const base = await withItems({ key: 'k', text: 'x'.repeat(200 * kib) }, { key: 'small' });
      const reply = await base.transact(
        { update: { key: 'small', set: { a: 1 } } },
        { update: { key: 'k', set: { more: 'y'.repeat(250 * kib) } } },
      );
      expectErrors(reply, 400, /^operations\[1\]: item: has \d+ bytes as JSON, at most 409600$/);
      expectJson(await base.get('small'), 200, { key: 'small' });
    });

    test('many updates of large items are done, all or none', async () => {
      const base = await withItems();
      const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
      for (const key of keys) await base.put({ key, n: 0, text: 'x'.repeat(largeBytes) });
      const updates = keys.map((key) => ({ update: { key, if: { n: 0 }, increment: { n: 1 } } }));
      expectErrors(
        await base.transact(...updates, { check: { key: 'k0', if: null } }),
        412,
        /^operations\[20\]/,
      );
      expectStatus(await base.transact(...updates), 200);
      expectErrors(await base.transact(...updates), 412, /^operations\[0\]: /);
      for (const key of keys) assert.equal((await base.get(key)).json<{ n: number }>().n, 1);
    });

    test('stored items of more than 16 MiB together are refused', async () => {
      const base = await withItems();
      const keys = Array.from({ length: 42 }, (_, n) => `k${n}`);
      for (const key of keys) expectStatus(await base.put({ key, text: 'x'.repeat(400 * kib - 100) }), 207);
      const checks = keys.map((key) => ({ check: { key, if: {} } }));
      expectErrors(await base.transact(...checks), 400, /^operations: .* more than 16777216 bytes together$/);
      expectStatus(await base.transact(...checks.slice(0, 40)), 200);
      // What is not read does not count.
      expectStatus(await base.transact(...keys.map((key) => ({ delete: { key } }))), 200);
    });

    test('large transactions that race with small updates lose none of either', async () => {
      const text = 'x'.repeat(largeBytes);
      const base = await withItems({ key: 'a', n: 0, text }, { key: 'b', n: 0, text }, { key: 'c', n: 0 });
      const add = (key: string) => ({ update: { key, increment: { n: 1 } } });
      const replies = await Promise.all(
        Array.from({ length: 60 }, (_, n) =>
          n % 2 === 0
            ? base.transact(add('a'), add('b'), add('c'))
            : base.update(n % 4 === 1 ? 'a' : 'c', add('').update),
        ),
      );
      for (const reply of replies) expectStatus(reply, 200);
      const counts = await Promise.all(
        ['a', 'b', 'c'].map(async (key) => (await base.get(key)).json<{ n: number }>().n),
      );
      assert.deepEqual(counts, [45, 30, 45]);
    });
  });
});
