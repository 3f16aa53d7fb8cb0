import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { scanInsertBody, scanPutBody } from '../../../src/base/items/canonical-items.js';
import type { Item } from '../../../src/base/items/item.js';
import { parseInsertBody, parsePutBody } from '../../../src/base/items/item-body.js';
import { runAtOnce } from '../../../src/lib/concurrency/time-slices.js';
import { canonicalJson, mutated, respelled } from '../../support/arbitrary-json.js';
import { messagesOf } from '../../support/messages.js';
import { readInsert, readPut } from '../../support/read-bodies.js';

const scanPut = (body: Buffer, maxItems: number) => runAtOnce(scanPutBody(body, maxItems));
const parsePut = (body: Buffer, maxItems: number) => runAtOnce(parsePutBody(body, maxItems, 0));
const parseInsert = (body: Buffer) => runAtOnce(parseInsertBody(body, 0));

function put(...items: string[]): Buffer {
  return Buffer.from(`{"items":[${items.join(',')}]}`);
}

const refusal = (...items: string[]) => messagesOf(() => readPut(put(...items), 25));
const json = (item: Item | undefined) => item?.json.toString();

/** Generated keys differ from one reading to the next. */
function comparable(item: Item) {
  const withoutKey = item.json.toString().replace(/^\{"key":"[a-z0-9]{12}"/, '{"key":"?"');
  const { isKeyGenerated, expiresAtSeconds, key } = item;
  return { json: withoutKey, isKeyGenerated, expiresAtSeconds, length: key.length };
}

describe('items of a body', () => {
  test('the scanner of canonical bodies agrees with the parser wherever it does not decline', () => {
    const key = fc.constantFrom(
      '',
      '',
      '',
      '"key":"k3",',
      '',
      '"key":"k1",',
      '"key":"k2",',
      '"key":"é😀",',
      '"key":1,',
      '"key":"",',
      '"key":"a\\nb",',
    );
    const expiry = fc.constantFrom(
      '',
      '',
      '"__expires":1900000000,',
      '"__expires":1.5,',
      '"__expires":null,',
      '"__expires":"1",',
    );
    const item = fc
      .tuple(key, expiry, canonicalJson.object)
      .map(([k, e, object]) => `{${k}${e}${object.slice(1)}`.replace(/,\}$/, '}'));
    const body = fc.array(item, { maxLength: 3 }).map((items) => put(...items));
    let agreed = 0;
    const agree = (bytes: Buffer) => {
      const fast = scanPut(bytes, 3);
      if (fast === undefined) return;
      agreed++;
      assert.deepEqual(fast.map(comparable), parsePut(bytes, 3).map(comparable));
    };
    fc.assert(fc.property(body, agree), { numRuns: 2000 });
    fc.assert(fc.property(mutated(body), agree), { numRuns: 5000 });
    assert.ok(agreed > 250, `the scanner took only ${agreed} bodies`);
    const insert = mutated(item.map((text) => Buffer.from(`{"item":${text}}`)));
    fc.assert(
      fc.property(insert, (bytes) => {
        const fast = scanInsertBody(bytes);
        if (fast !== undefined) assert.deepEqual(comparable(fast), comparable(parseInsert(bytes)));
      }),
      { numRuns: 2000 },
    );
  });

  test('the scanner takes what most clients write, and other spellings are stored the same', () => {
    fc.assert(
      fc.property(canonicalJson.object, (object) => {
        const item = `{"key":"k"${object === '{}' ? '' : ','}${object.slice(1)}`;
        fc.pre(!/,"(key|__expires)":/.test(item) && !/""\s*:/.test(item));
        assert.equal(json(scanPut(put(item), 25)?.[0]), item);
        assert.equal(json(readPut(Buffer.from(respelled(put(item).toString())), 25)[0]), item);
      }),
      { numRuns: 1000 },
    );
  });

  test('an item without a key gets one of 12 characters as its first attribute', () => {
    for (const body of ['{"item":{"a":1}}', ' {"item":{"a":1}}']) {
      const item = readInsert(Buffer.from(body));
      assert.match(item.key, /^[a-z0-9]{12}$/);
      assert.equal(item.isKeyGenerated, true);
      assert.equal(json(item), `{"key":"${item.key}","a":1}`);
    }
    const empty = readInsert(Buffer.from('{"item":{}}'));
    assert.equal(json(empty), `{"key":"${empty.key}"}`);
    const keys = new Set(Array.from({ length: 2000 }, () => readInsert(Buffer.from('{"item":{}}')).key));
    assert.equal(keys.size, 2000);
  });

  test('a key is a string of 1 to 1024 bytes without lone surrogates and U+0000', () => {
    const long = 'é'.repeat(512);
    assert.equal(readPut(put(`{"key":"${long}"}`), 25)[0]?.key, long);
    for (const key of ['/', '%', '?', '#', '&', ' ', '😀', '..', '__proto__', '\\"', '\\n']) {
      assert.equal(readPut(put(`{"key":"${key}"}`), 25)[0]?.key, JSON.parse(`"${key}"`));
    }
    assert.match(refusal(`{"key":"${long}x"}`)[0] ?? '', /^items\[0\]\.key: has 1025 bytes/);
    assert.match(refusal('{"key":""}')[0] ?? '', /^items\[0\]\.key: must not be empty/);
    assert.match(refusal('{"key":"a\\u0000b"}')[0] ?? '', /U\+0000/);
    assert.match(refusal('{"key":"\\ud800"}')[0] ?? '', /lone surrogate/);
    for (const key of ['1', 'null', 'true', '[]', '{}']) {
      assert.match(refusal(`{"key":${key}}`)[0] ?? '', /^items\[0\]\.key: must be a string/);
    }
  });

  test('a body has 1 to 25 items, or as many as the operator allows, and no key twice', () => {
    assert.match(refusal()[0] ?? '', /^items: must hold 1 to 25 items, has 0/);
    const many = Array.from({ length: 26 }, (_, n) => `{"key":"${n}"}`);
    assert.equal(readPut(put(...many.slice(1)), 25).length, 25);
    assert.match(refusal(...many)[0] ?? '', /has more/);
    assert.equal(readPut(put(...many), 26).length, 26);
    assert.match(
      refusal('{"key":"a"}', '{"key":"b"}', '{"key":"a"}')[0] ?? '',
      /^items\[2\]\.key: the same as that of items\[0\]/,
    );
  });

  test('a body is an object with a list of items, or with one item; other members are ignored', () => {
    const refused = (body: string) => messagesOf(() => readPut(Buffer.from(body), 25))[0] ?? '';
    assert.match(refused('[]'), /^body: must be a JSON object/);
    assert.match(refused('null'), /^body: must be a JSON object/);
    assert.match(refused('{}'), /^items: must be a list/);
    assert.match(refused('{"items":{}}'), /^items: must be a list/);
    assert.match(refused(''), /^body: malformed JSON/);
    assert.match(refused('{"items":[{"a":1}'), /^body: malformed JSON at its end/);
    for (const item of ['1', '"a"', 'null', '[]', 'true'])
      assert.match(refusal(item)[0] ?? '', /^items\[0\]: must be an object/);
    assert.match(
      messagesOf(() => readInsert(Buffer.from('{"item":[]}')))[0] ?? '',
      /^item: must be an object/,
    );
    assert.match(messagesOf(() => readInsert(Buffer.from('{}')))[0] ?? '', /^item: must be an object/);
    assert.equal(json(readPut(Buffer.from('{"x":1,"items":[{"key":"a"}],"y":2}'), 25)[0]), '{"key":"a"}');
  });

  test('every invalid item is reported', () => {
    assert.equal(refusal('{"key":1}', '{"key":"ok"}', '{"key":""}', '7').length, 3);
  });

  test('an item has at most 400 KiB as it is stored, with its key, however it was written', () => {
    const item = (bytes: number) => `{"key":"k","t":"${'x'.repeat(bytes - 18)}"}`;
    assert.equal(readPut(put(item(400 * 1024)), 25)[0]?.json.length, 400 * 1024);
    assert.match(refusal(item(400 * 1024 + 1))[0] ?? '', /^items\[0\]: has 409601 bytes/);
    const escaped = put(item(400 * 1024).replaceAll('xx', '\\u0078x'));
    assert.equal(readPut(escaped, 25)[0]?.json.length, 400 * 1024);
    assert.match(refusal(`{"t":"${'x'.repeat(400 * 1024 - 10)}"}`)[0] ?? '', /bytes as JSON/);
  });

  test('an item is nested at most 100 levels deep, and is the first level itself', () => {
    const nested = (depth: number) => `{"key":"k","v":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    assert.equal(json(readPut(put(nested(100)), 25)[0]), nested(100));
    for (const depth of [101, 105, 200, 100_000]) assert.match(refusal(nested(depth))[0] ?? '', /deep/);
  });

  test('an item has no more JSON values than fit into its bytes, and a body no more beside the items', () => {
    const values = (count: number) => `[${Array(count).fill(0).join(' ,')}]`;
    assert.equal(readPut(put(`{"key":"k","a":${values(204_000)}}`))[0]?.json.length, 408_017);
    assert.match(
      refusal(`{"a":${values(205_000)}}`)[0] ?? '',
      /^body: items\[0\]: more than 204800 JSON values/,
    );
    const beside = `{"x":${values(205_000)},"items":[{"key":"k"}]}`;
    assert.match(messagesOf(() => readPut(beside))[0] ?? '', /more than 204800 JSON values/);
    assert.match(
      messagesOf(() => readInsert(`{"item":{"a":${values(205_000)}}}`))[0] ?? '',
      /^body: item\.a: more than 204800/,
    );
  });

  test('of two members named items the last one counts', () => {
    const body = '{"items":[{"key":"a"},7],"items":[{"key":"b"},{"key":"c"}]}';
    assert.deepEqual(
      readPut(body).map(({ key }) => key),
      ['b', 'c'],
    );
    assert.match(messagesOf(() => readPut('{"items":[{"key":"a"}],"items":[]}'))[0] ?? '', /has 0/);
    assert.match(messagesOf(() => readPut('{"items":[{"key":"a"}],"items":1}'))[0] ?? '', /must be a list/);
    assert.match(messagesOf(() => readPut('[[{"key":"a"}]]'))[0] ?? '', /must be a JSON object/);
  });

  test('attribute names are not empty, at any depth', () => {
    assert.match(
      refusal('{"key":"k","":1}')[0] ?? '',
      /items\[0\]\[""\]: an attribute name must not be empty/,
    );
    assert.match(refusal('{"key":"k","a":[{"b":{"":1}}]}')[0] ?? '', /items\[0\]\.a\[0\]\.b\[""\]/);
  });

  test('the expiry is a number of whole seconds', () => {
    assert.equal(readPut(put('{"key":"k","__expires":1900000000}'), 25)[0]?.expiresAtSeconds, 1_900_000_000);
    assert.equal(readPut(put('{"key":"k","__expires":1.9e9}'), 25)[0]?.expiresAtSeconds, 1_900_000_000);
    assert.equal(readPut(put('{"key":"k","__expires":-5}'), 25)[0]?.expiresAtSeconds, -5);
    assert.equal(readPut(put('{"key":"k","a":{"__expires":"x"}}'), 25)[0]?.expiresAtSeconds, undefined);
    for (const value of ['1.5', '"1900000000"', 'null', 'true', '[]', '{}']) {
      assert.match(
        refusal(`{"key":"k","__expires":${value}}`)[0] ?? '',
        /^items\[0\]\.__expires: must be a number of whole seconds/,
      );
    }
  });
});
