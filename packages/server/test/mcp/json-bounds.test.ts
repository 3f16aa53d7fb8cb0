import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { boundsProblem, outlineOf } from '../../src/mcp/json-bounds.js';
import { openSession, startService } from '../support/mcp-session.js';

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const list = (values: number) => `[${'0,'.repeat(values - 1)}0]`;

describe('the bounds of JSON', () => {
  for (const [what, json, problem] of [
    ['as deep as allowed', nested(108), undefined],
    ['deeper', nested(109), 'nested more than 108 deep'],
    ['very deep objects', '{"a":'.repeat(100_000), 'nested more than 108 deep'],
    ['one after the other', `[${'[],'.repeat(1000)}[]]`, undefined],
    ['brackets in strings', JSON.stringify([nested(1000), `"${nested(1000)}\\`]), undefined],
    ['as many values as allowed, with the list', list(204_799), undefined],
    ['one more', list(204_800), 'more than 204800 JSON values'],
    ['empty lists and objects', `[${'[ ],{ },'.repeat(102_399)}0]`, undefined],
    ['a few more of them', `[${'[ ],{ },'.repeat(102_400)}0]`, 'more than 204800 JSON values'],
    ['names, which are no values', `[${'{"a":{"b":0}},'.repeat(60_000)}0]`, undefined],
    ['commas in strings', JSON.stringify([','.repeat(300_000)]), undefined],
  ] as const)
    test(`${what}: ${problem ?? 'right'}`, () => assert.equal(boundsProblem(outlineOf(json)), problem));

  test('have the id of a message', () => {
    const deep = nested(1000);
    for (const [json, id] of [
      [`{"jsonrpc":"2.0","id":7,"method":"x","params":${deep}}`, 7],
      [`{"params":{"id":1,"a":[{"id":2}],"b":${deep}},"id" : "x\\"y" }`, 'x"y'],
      [`{"params":"\\"id\\":5","method":"id","a":${deep},"id":9}`, 9],
      [`{"params":{"id":1},"b":${deep}}`, null],
      [`{"id":{},"b":${deep}}`, null],
      [`[{"id":1,"b":${deep}}]`, null],
      [`{"id":1.5,"b":${deep}}`, null],
      [`{"id":}`, null],
    ] as const)
      assert.equal(outlineOf(json).id, id, json.slice(0, 100));
  });
});

test('arguments that are too deep or have too many values are refused with the rule', async (context) => {
  const { url } = await startService(context);
  const { call, refusal, read } = await openSession(context, url);
  const item = (json: string): unknown => JSON.parse(`{"key":"k","a":${json}}`);
  await assert.rejects(
    call('put_items', { base: 'b', items: [item(nested(200))] }),
    /nested more than 108 deep/,
  );
  await assert.rejects(
    call('put_items', { base: 'b', items: [item(list(204_800))] }),
    /more than 204800 JSON values/,
  );
  assert.match(await refusal('put_items', { base: 'b', items: [item(nested(101))] }), /100/);
  const text = (json: string) => `{"a":${json}}`;
  const refused = async (...items: readonly string[]) => await refusal('put_items', { base: 'b', items });
  assert.match(await refused(text(nested(100_000))), /items\.0: nested more than 108 deep/);
  assert.match(
    await refused(...Array(3).fill(text(list(100_000)))),
    /items: more than 204800 JSON values together/,
  );
  assert.match(
    await refusal('update_item', { base: 'b', key: 'k', set: text(nested(100_000)) }),
    /set: nested more than 108 deep/,
  );
  assert.match(
    await refusal('update_item', { base: 'b', key: 'k', set: text(list(204_800)) }),
    /set: more than 204800 JSON values/,
  );
  await read('put_items', { base: 'b', items: [text(list(100_000)), text(list(100_000))] });
  assert.deepEqual(await read('count_items', { base: 'b' }), { count: 2 });
});
