import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readPutBody } from '../../src/base/item-body.js';
import { matches } from '../../src/base/query/match.js';
import { readQueryBody } from '../../src/base/query/read.js';
import { applyUpdate } from '../../src/base/update.js';
import { readUpdateBody } from '../../src/base/update-body.js';
import { RequestError } from '../../src/request-error.js';

/**
 * Bodies within every limit that make careless code quadratic, or overflow its stack. What is linear takes
 * milliseconds here; what is quadratic would take hours: it is not measured, it would not end.
 */
const many = 150_000;

const refused = (read: () => unknown, message: RegExp) =>
  assert.throws(
    read,
    (cause) => cause instanceof RequestError && cause.status === 400 && message.test(cause.message),
  );

const update = (stored: string, body: string) =>
  applyUpdate(Buffer.from(stored), readUpdateBody(Buffer.from(body))).json.toString();

describe('hostile bodies', () => {
  test('a number of millions of digits', () => {
    const digits = `1${'0'.repeat(15_000_000)}1`;
    refused(
      () => readPutBody(Buffer.from(`{"items":[{"key":"k","a":${digits}}]}`), 25),
      /15000002 significant digits/,
    );
    refused(
      () => readPutBody(Buffer.from(`{"items":[{"key":"k","a":0.${digits}}]}`), 25),
      /significant digits/,
    );
  });

  test('a small number written with hundreds of thousands of zeros', () => {
    const one = `1.${'0'.repeat(400_000)}`;
    const stored = `{"key":"k","a":${one}}`;
    assert.equal(readPutBody(Buffer.from(`{"items":[${stored}]}`), 25)[0]?.json.toString(), stored);
    assert.equal(update(stored, `{"increment":{"a":${one}}}`), '{"key":"k","a":2}');
  });

  test('a long operand is understood once, and not for every item', () => {
    const one = `1.${'0'.repeat(10_000_000)}`;
    const row = '{"key":"k","a":1,"b":{"c":[1]}}';
    for (const condition of [`"a":${one}`, `"a?lte":${one}`, `"a?r":[${one},${one}]`, `"b":{"c":[${one}]}`]) {
      const query = readQueryBody(Buffer.from(`{"query":{${condition}}}`));
      for (let n = 0; n < 1000; n++) assert.equal(matches(row, query), true);
    }
  });

  test('a path of millions of segments reaches nothing', () => {
    const path = `a${'.a'.repeat(3_000_000)}`;
    const row = '{"key":"k","a":{"a":1}}';
    const holds = (operator: string) =>
      matches(row, readQueryBody(Buffer.from(`{"query":{"${path}${operator}":1}}`)));
    assert.equal(holds(''), false);
    assert.equal(holds('?ne'), true);
    assert.equal(update(row, `{"delete":["${path}"]}`), row);
    refused(() => update(row, `{"set":{"${path}":1}}`), /is not an object/);
    refused(() => readQueryBody(Buffer.from(`{"query":{"${path}.":1}}`)), /empty segment/);
  });

  test('the deepest attribute of an item has a path', () => {
    const deep = `{"key":"k",${'"a":{'.repeat(99)}"b":1${'}'.repeat(99)}}`;
    const path = `${'a.'.repeat(99)}b`;
    assert.equal(readPutBody(Buffer.from(`{"items":[${deep}]}`), 25).length, 1);
    assert.equal(matches(deep, readQueryBody(Buffer.from(`{"query":{"${path}":1}}`))), true);
    assert.equal(update(deep, `{"increment":{"${path}":1}}`), deep.replace('"b":1', '"b":2'));
  });

  test('an update of hundreds of thousands of paths', () => {
    const list = `[${'1,'.repeat(many - 1)}1]`;
    const paths = Array.from({ length: many }, (_, n) => `"a.${n}"`);
    const stored = `{"key":"k","a":${list}}`;
    assert.equal(update(stored, `{"delete":[${paths}]}`), '{"key":"k","a":[]}');
    assert.equal(update(stored, `{"delete":[${paths.slice(1)}]}`), '{"key":"k","a":[1]}');
    const increments = paths.map((path) => `${path}:1`);
    assert.equal(update(stored, `{"increment":{${increments}}}`), stored.replaceAll('1', '2'));
  });
});
