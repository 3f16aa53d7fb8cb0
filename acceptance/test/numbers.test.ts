import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshBase } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

/** Numbers that are stored and returned exactly as they were written (docs/http.md#numbers). */
const exact = [
  '0',
  '-0',
  '1',
  '-1',
  '1.0',
  '1.50',
  '0.1',
  '1e5',
  '1E5',
  '1e+5',
  '-1.5e-7',
  '100000000000000000000',
  '9007199254740993',
  '-9007199254740993',
  '9999999999999999',
  '-9999999999999999',
  '0.1234567890123456',
  '1234567890.123456',
  '0.0000001234567890123456',
  '1e308',
  '1.797693134862315e308',
  '5e-324',
  '0.30',
  '9007199254740993e2',
  '0e0',
  '0.000',
  '1000000000000000',
  '12345678901234560',
  '2.220446049250313e-16',
  // What programming languages print for a 64-bit float: 17 digits.
  '0.30000000000000004',
  '-0.12345678901234567',
  '1.7976931348623157e308',
  '2.2250738585072014e-308',
  '1.2345678901234568e+16',
  '12345678901234567e-5',
  '9007199254740993.1',
  '1.0000000000000001',
];

/** Numbers with too many digits, or outside the range of a 64-bit float (docs/http.md#numbers). */
const refused = [
  '12345678901234567',
  '-12345678901234567',
  '0.123456789012345678',
  '1.00000000000000001',
  '123456789012345678e-3',
  '10000000000000001',
  '1e309',
  '1e400',
  '-1e400',
  '1e-400',
  '1e999999999999',
  '1.8e308',
  '123456789012345678901234567890',
  '90071992547409931.1',
  '0.1234567890123456789',
  `1.${'0'.repeat(999)}`,
];

describe('numbers', { concurrency: true }, () => {
  const service = useService();
  const base = () => freshBase(service.api);
  const item = (number: string) => `{"key":"k","n":${number},"deep":{"list":[${number}]}}`;

  for (const number of exact) {
    test(`the number ${number} is returned as it was sent, by every operation`, async () => {
      const subject = base();
      const text = item(number);
      assert.equal(
        (await subject.sendText('PUT', '/items', `{"items":[${text}]}`)).text,
        `{"processed":{"items":[${text}]}}`,
      );
      assert.equal((await subject.get('k')).text, text);
      assert.equal((await subject.query({})).text, `{"paging":{"size":1},"items":[${text}]}`);
      assert.equal(
        (await subject.query({ query: { key: 'k' }, limit: 1 })).json<{ items: [] }>().items.length,
        1,
      );

      // It does not change in an update of other attributes.
      expectStatus(await subject.update('k', { set: { other: 1, 'deep.x': 'y' } }), 200);
      const updated = `{"key":"k","n":${number},"deep":{"list":[${number}],"x":"y"},"other":1}`;
      assert.equal((await subject.get('k')).text, updated);

      // An update may set it, and its answer repeats it.
      const set = `{"set":{"m":${number}},"append":{"deep.list":[${number}]}}`;
      const answer = await subject.sendText('PATCH', '/items/k', set);
      assert.equal(answer.text, `{"key":"k","set":{"m":${number}},"append":{"deep.list":[${number}]}}`);
      assert.equal(
        (await subject.get('k')).text,
        `{"key":"k","n":${number},"deep":{"list":[${number},${number}],"x":"y"},"other":1,"m":${number}}`,
      );

      await subject.remove('k');
      assert.equal((await subject.sendText('POST', '/items', `{"item":${text}}`)).text, text);
      assert.equal((await subject.get('k')).text, text);
    });

    test(`a query for ${number} finds that number`, async () => {
      const subject = base();
      await subject.sendText('PUT', '/items', `{"items":[${item(number)}]}`);
      for (const operator of ['', '?lte', '?gte', '?<=', '?>=']) {
        const reply = await subject.sendText('POST', '/query', `{"query":[{"n${operator}":${number}}]}`);
        assert.equal(reply.text, `{"paging":{"size":1},"items":[${item(number)}]}`, operator);
      }
      const none = await subject.sendText('POST', '/query', `{"query":[{"n?ne":${number}}]}`);
      expectJson(none, 200, { paging: { size: 0 }, items: [] });
    });
  }

  for (const number of refused) {
    test(`the number ${number} is answered with 400 in every place`, async () => {
      const subject = base();
      expectErrors(await subject.sendText('PUT', '/items', `{"items":[${item(number)}]}`), 400);
      expectErrors(await subject.sendText('POST', '/items', `{"item":${item(number)}}`), 400);
      await subject.put({ key: 'u', n: 1, l: [] });
      for (const update of [
        `{"set":{"n":${number}}}`,
        `{"increment":{"n":${number}}}`,
        `{"append":{"l":[${number}]}}`,
      ]) {
        expectErrors(await subject.sendText('PATCH', '/items/u', update), 400);
      }
      expectErrors(await subject.sendText('POST', '/query', `{"query":[{"n":${number}}]}`), 400);
      assert.equal(
        (await subject.query({})).text,
        '{"paging":{"size":1},"items":[{"key":"u","n":1,"l":[]}]}',
      );
    });
  }

  test('neighbouring integers above 2^53 are different numbers', async () => {
    const subject = base();
    const [low, high] = ['9007199254740992', '9007199254740993'];
    const items = `{"items":[{"key":"low","n":${low}},{"key":"high","n":${high}}]}`;
    await subject.sendText('PUT', '/items', items);
    const keys = async (condition: string) => {
      const reply = await subject.sendText('POST', '/query', `{"query":[{${condition}}]}`);
      expectStatus(reply, 200);
      return reply.json<{ items: { key: string }[] }>().items.map(({ key }) => key);
    };
    assert.deepEqual(await keys(`"n":${low}`), ['low']);
    assert.deepEqual(await keys(`"n":${high}`), ['high']);
    assert.deepEqual(await keys(`"n?gt":${low}`), ['high']);
    assert.deepEqual(await keys(`"n?lt":${high}`), ['low']);
    assert.deepEqual(await keys(`"n?r":[${high},${high}]`), ['high']);
  });

  test('two spellings of one value are equal', async () => {
    const subject = base();
    await subject.sendText(
      'PUT',
      '/items',
      '{"items":[{"key":"a","n":1.0},{"key":"b","n":-0},{"key":"c","n":1e2}]}',
    );
    for (const [number, key] of [
      ['1', 'a'],
      ['10e-1', 'a'],
      ['0', 'b'],
      ['0.0', 'b'],
      ['100', 'c'],
    ]) {
      const reply = await subject.sendText('POST', '/query', `{"query":[{"n":${number}}]}`);
      assert.equal(reply.json<{ items: { key: string }[] }>().items[0]?.key, key, number);
    }
  });

  const sums: readonly [present: string, operand: string, sum: string][] = [
    ['1', '1', '2'],
    ['1', '-1', '0'],
    ['0.1', '0.2', '0.3'],
    ['9007199254740992', '1', '9007199254740993'],
    ['9007199254740993', '2', '9007199254740995'],
    ['1.5', '-0.25', '1.25'],
    ['-5', '-5', '-10'],
    ['9999999999999998', '1', '9999999999999999'],
    ['0.1', '0.20000000000000004', '0.30000000000000004'],
    ['0.30000000000000004', '-0.1', '0.20000000000000004'],
    ['1.5e-7', '1e-9', '1.51e-7'],
  ];
  for (const [present, operand, sum] of sums) {
    test(`${present} incremented by ${operand} is exactly ${sum}`, async () => {
      const subject = base();
      await subject.sendText('PUT', '/items', `{"items":[{"key":"k","n":${present}}]}`);
      expectStatus(await subject.sendText('PATCH', '/items/k', `{"increment":{"n":${operand}}}`), 200);
      assert.equal((await subject.get('k')).text, `{"key":"k","n":${sum}}`);
    });
  }

  test('an increment to a number that is not allowed is answered with 400 and changes nothing', async () => {
    const subject = base();
    await subject.sendText('PUT', '/items', '{"items":[{"key":"k","n":9999999999999999,"m":1.7e308}]}');
    expectErrors(await subject.update('k', { increment: { n: 2 }, set: { other: 1 } }), 400, /n\b/);
    expectErrors(await subject.sendText('PATCH', '/items/k', '{"increment":{"n":0.01}}'), 400);
    expectErrors(await subject.sendText('PATCH', '/items/k', '{"increment":{"m":1.7e308}}'), 400);
    expectErrors(await subject.sendText('PATCH', '/items/k', '{"increment":{"m":1}}'), 400);
    assert.equal((await subject.get('k')).text, '{"key":"k","n":9999999999999999,"m":1.7e308}');
    // A number of 16 digits followed by zeros is allowed.
    expectStatus(await subject.update('k', { increment: { n: 1 } }), 200);
    expectJson(await subject.get('k'), 200, { key: 'k', n: 1e16, m: 1.7e308 });
  });
});
