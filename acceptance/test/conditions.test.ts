import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshBase } from '../src/names.js';
import { expectBadQuery, expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

const noMatch = { errors: ['The item does not match the condition'], codes: [{ code: 'condition_failed' }] };

describe('Update Item with a condition', { concurrency: true }, () => {
  const service = useService();

  async function withItem(item: { key: string; [name: string]: unknown } = { key: 'k', stock: 1 }) {
    const base = freshBase(service.api);
    expectStatus(await base.put(item), 207);
    return base;
  }

  test('the update happens if the item matches, and the answer is that of an update without a condition', async () => {
    const base = await withItem();
    const update = { if: { 'stock?gte': 1 }, increment: { stock: -1 } };
    expectJson(await base.update('k', update), 200, { key: 'k', increment: { stock: -1 } });
    expectJson(await base.update('k', update), 412, noMatch);
    expectJson(await base.get('k'), 200, { key: 'k', stock: 0 });
  });

  test('null is no condition, and every item matches an empty one', async () => {
    const base = await withItem();
    for (const condition of [null, {}, [], [{}], [{ stock: 7 }, {}]]) {
      expectStatus(await base.update('k', { if: condition, increment: { stock: 1 } }), 200);
    }
    expectJson(await base.get('k'), 200, { key: 'k', stock: 6 });
  });

  test('a missing or expired item is answered with 404, whatever the condition', async () => {
    const base = await withItem({ key: 'old', __expires: 1 });
    for (const key of ['none', 'old']) {
      expectErrors(await base.update(key, { if: { a: null }, set: { a: 1 } }), 404, /^Key not found$/);
    }
  });

  test('the condition sees the item before the update', async () => {
    const base = await withItem();
    expectStatus(await base.update('k', { if: { stock: 2 }, set: { stock: 2 } }), 412);
    expectStatus(await base.update('k', { if: { stock: 1 }, set: { stock: 2 } }), 200);
  });

  test('an item matches exactly if a query with the same conditions returns it', async () => {
    const item = { key: 'k', n: 7, text: 'Straße', list: ['a', 1], none: null, deep: { a: [{ b: 1.5 }] } };
    const base = await withItem(item);
    const conditions: unknown[] = [
      { n: 7 },
      { n: '7' },
      [{ n: 8 }, { 'n?lt': 8 }],
      [{ n: 8 }, { 'n?lt': 7 }],
      { n: 7, text: 'x' },
      { 'text?pfx': 'Str', 'text?contains': 'ß' },
      { 'text?not_contains': 'ß' },
      { none: null, absent: null },
      { 'none?ne': null },
      { 'absent?ne': 1 },
      { 'n?r': [7, 7.0] },
      { 'n?!=': 7 },
      { 'list?contains': 'a' },
      { 'list.1': 1 },
      { deep: { a: [{ b: 1.5 }] } },
      { 'deep.a.0.b?gte': 1.5 },
      { key: 'k' },
      { key: 'j' },
      { 'key?pfx': 'k', n: 7 },
      { 'key?r': ['a', 'j'] },
      [
        { 'key?gt': 'a', n: 1 },
        { 'key?gt': 'a', n: 7 },
      ],
    ];
    for (const condition of conditions) {
      const found = (await base.query({ query: condition })).json<{ items: unknown[] }>().items.length;
      const { status } = await base.update('k', { if: condition, set: { touched: true } });
      assert.equal(status, found === 1 ? 200 : 412, JSON.stringify(condition));
    }
  });

  test('what is a bad query for Query Items is a bad condition, and nothing is changed', async () => {
    const base = await withItem();
    const bad: unknown[] = [
      1,
      'stock',
      true,
      [1],
      [null],
      { 'stock?like': 1 },
      { 'stock?': 1 },
      { 'stock?r': [1] },
      { 'stock?pfx': 1 },
      { '': 1 },
      { 'a..b': 1 },
      { 'key?ne': 'k' },
      { key: 1 },
      [{ key: 'k' }, { stock: 1 }],
      Array.from({ length: 1001 }, () => ({ stock: 1 })),
    ];
    for (const condition of bad) {
      const reply = await base.update('k', { if: condition, increment: { stock: 1 } });
      expectBadQuery(reply);
    }
    expectErrors(await base.update('k', { if: 7, set: { a: 1 } }), 400, /^if: must be an object/);
    expectJson(await base.get('k'), 200, { key: 'k', stock: 1 });
  });

  test('a condition alone is no update', async () => {
    const base = await withItem();
    expectErrors(await base.update('k', { if: { stock: 1 } }), 400, /^body: names no operation/);
  });

  test('an attribute that is named `if` is an attribute like others', async () => {
    const base = await withItem();
    expectStatus(await base.update('k', { set: { if: 1 } }), 200);
    expectStatus(await base.update('k', { if: { if: 1 }, set: { if: 2 } }), 200);
    expectJson(await base.get('k'), 200, { key: 'k', stock: 1, if: 2 });
  });

  test('numbers of a condition are compared exactly', async () => {
    const base = freshBase(service.api);
    await base.sendText('PUT', '/items', '{"items":[{"key":"k","n":9007199254740993}]}');
    const update = (n: string) => base.sendText('PATCH', '/items/k', `{"if":{"n":${n}},"set":{"a":1}}`);
    expectStatus(await update('9007199254740992'), 412);
    expectStatus(await update('9007199254740993.0'), 200);
    expectStatus(await update(`9007199254740993.${'0'.repeat(900)}`), 200);
  });

  test('of 64 updates that each want what is there once, one happens', async () => {
    const base = await withItem({ key: 'k', stock: 1, sold: [] });
    const buy = (n: number) =>
      base.update('k', { if: { 'stock?gt': 0 }, increment: { stock: -1 }, append: { sold: [n] } });
    const replies = await Promise.all(Array.from({ length: 64 }, (_, n) => buy(n)));
    const winners = replies.flatMap(({ status }, n) => (status === 200 ? [n] : []));
    assert.equal(winners.length, 1);
    assert.equal(replies.filter(({ status }) => status === 412).length, 63);
    expectJson(await base.get('k'), 200, { key: 'k', stock: 0, sold: winners });
  });

  test('conditional updates of a large item count exactly, too', async () => {
    const base = await withItem({ key: 'k', n: 0, text: 'x'.repeat(100_000) });
    for (let round = 0; round < 3; round++) {
      const replies = await Promise.all(
        Array.from({ length: 8 }, () => base.update('k', { if: { n: round }, set: { n: round + 1 } })),
      );
      assert.equal(replies.filter(({ status }) => status === 200).length, 1);
      assert.equal(replies.filter(({ status }) => status === 412).length, 7);
    }
  });
});
