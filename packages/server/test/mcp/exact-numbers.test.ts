import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonError } from '../../src/json/parse.js';
import { inexactNumbers, readExact, writeExact } from '../../src/mcp/exact-numbers.js';
import { openSession, request, startService, textOf } from '../support/mcp-session.js';

const item =
  '{"key":"n","big":9007199254740993,"price":1.50,"tiny":-1.0e-7,"many":0.12345678901234567,"deep":[[1.0]]}';

test('a number comes out with the digits that were stored', async (context) => {
  const { url } = await startService(context);
  await request(url, 'numbers/items', { method: 'PUT', body: `{"items":[${item}]}` });
  const { call } = await openSession(context, url, { options: [] });
  const got = await call('get_item', { base: 'numbers', key: 'n' });
  assert.equal(textOf(got), `{"item":${item}}`);
  const found = await call('query_items', { base: 'numbers', query: '{"big":9007199254740993}' });
  assert.equal(textOf(found), `{"items":[${item}]}`);
  const others = await call('query_items', { base: 'numbers', query: '{"big":9007199254740992}' });
  assert.equal(textOf(others), '{"items":[]}');
  assert.equal(textOf(await call('count_items', { base: 'numbers', query: '{"price":1.5}' })), '{"count":1}');
});

test('a number goes in with its digits if its item is text, and is refused if it may have lost some', async (context) => {
  const { url } = await startService(context);
  const { call, read, refusal } = await openSession(context, url);
  await read('put_items', { base: 'numbers', items: [item] });
  assert.equal(textOf(await call('get_item', { base: 'numbers', key: 'n' })), `{"item":${item}}`);
  await read('update_item', { base: 'numbers', key: 'n', increment: '{"big":-0.10}', set: '{"price":2.00}' });
  const changed = item.replace('9007199254740993', '9007199254740992.9').replace('1.50', '2.00');
  assert.equal(textOf(await call('get_item', { base: 'numbers', key: 'n' })), `{"item":${changed}}`);

  const lost = [{ key: 'l', list: [{ id: Number('9007199254740993') }] }];
  assert.match(
    await refusal('put_items', { base: 'numbers', items: lost }),
    /items\.0\.list\.0\.id: a number of more than 15 digits/,
  );
  assert.match(
    await refusal('query_items', { base: 'numbers', query: { price: 0.30000000000000004 } }),
    /query\.price: a number of more than 15 digits/,
  );
  assert.match(
    await refusal('put_items', { base: 'numbers', items: ['{"key":"l","id":12345678901234567}'] }),
    /items\[0\]\.id: .*17 significant digits.*status 400/,
  );
  assert.deepEqual(await read('count_items', { base: 'numbers' }), { count: 1 });
});

test('text that looks like a marked number stays what it is', () => {
  const marked = String((readExact('[1.0]') as unknown[])[0]);
  assert.ok(marked.endsWith('1.0') && marked.length > 30);
  const texts = [
    '"1.0"',
    '"\\"1.0\\""',
    '{"1.0":"9007199254740993"}',
    '["\\\\",1.0,"\\\\\\""]',
    'null',
    '-0',
  ];
  for (const text of texts) assert.equal(writeExact(readExact(text)), text);
  for (const text of ['01', '1.', '', '{', '[1.0,]']) assert.throws(() => readExact(text), JsonError, text);
});

test('names with escapes are what they are, whatever names were read before', async (context) => {
  const { url } = await startService(context);
  const { read, call } = await openSession(context, url);
  for (const first of ['\\', 'a\\', '\n']) {
    for (const name of [first, '\n', '\t', 'a\n', '__proto__']) {
      const given = `{"key":"k",${JSON.stringify(name)}:1.50}`;
      for (const text of [given, given.replaceAll('\\\\', '\\u005c')]) {
        assert.equal(writeExact(readExact(text)), given);
        await read('put_items', { base: 'names', items: [text] });
        assert.equal(textOf(await call('get_item', { base: 'names', key: 'k' })), `{"item":${given}}`);
        // In the message itself.
        const object = Object.fromEntries([
          ['key', 'k'],
          [name, 'x'],
        ]);
        await read('put_items', { base: 'names', items: [object] });
        const stored = textOf(await call('get_item', { base: 'names', key: 'k' }));
        assert.equal(stored, `{"item":{"key":"k",${JSON.stringify(name)}:"x"}}`);
      }
    }
  }
});

test('numbers of up to 15 digits are certain, whatever their exponent', () => {
  for (const certain of [0, -1, 0.1, 1e-300, 123456789012345, 0.000123456789012345, 1e15, 1.5e10]) {
    assert.deepEqual([...inexactNumbers(certain)], [], String(certain));
  }
  const uncertain = [
    2 ** 53,
    1e18,
    1e21,
    Number.POSITIVE_INFINITY,
    0.1 + 0.2,
    1.234567890123456,
    -9007199254740991,
  ];
  for (const number of uncertain) assert.deepEqual([...inexactNumbers({ a: [number] })], [['a', '0']]);
});
