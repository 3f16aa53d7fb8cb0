import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RequestError } from '../../../src/request-error.js';
import { matchesItem, readPut, readQuery, readUpdate, updatedItem } from '../../support/read-bodies.js';

/**
 * Bodies that make careless code quadratic, or overflow its stack. What is linear takes milliseconds here; what is
 * quadratic would take minutes: it is not measured, it would not end.
 */

const refused = (read: () => unknown, message: RegExp) =>
  assert.throws(
    read,
    (cause) => cause instanceof RequestError && cause.status === 400 && message.test(cause.message),
  );
const listed = (count: number, make: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => make(n)).join();

describe('hostile bodies', () => {
  test('a number may have 1000 characters, however many its text has', () => {
    const digits = `1${'0'.repeat(15_000_000)}1`;
    for (const number of [digits, `0.${digits}`, `1e${digits}`]) {
      refused(
        () => readPut(`{"items":[{"key":"k","a":${number}}]}`),
        /items\[0\]\.a: a number of more than 1000/,
      );
    }
    const longest = `1.${'0'.repeat(998)}`;
    const stored = `{"key":"k","a":${longest}}`;
    assert.equal(readPut(`{"items":[${stored}]}`)[0]?.json.toString(), stored);
    assert.equal(updatedItem(stored, `{"increment":{"a":${longest}}}`), '{"key":"k","a":2}');
    refused(() => readPut(`{"items":[{"key":"k","a":${longest}0}]}`), /1000 characters/);
    assert.equal(matchesItem(stored, readQuery('{"query":{"a":1,"a?gte":1.000000000000000000000}}')), true);
  });

  test('an item that was stored with a longer number can still be changed', () => {
    const stored = `{"key":"k","a":1.${'0'.repeat(100_000)}}`;
    assert.equal(updatedItem(stored, '{"increment":{"a":1}}'), '{"key":"k","a":2}');
  });

  test('a path may have 100 segments, and so reaches the deepest attribute of an item', () => {
    const deep = `{"key":"k",${'"a":{'.repeat(99)}"b":1${'}'.repeat(99)}}`;
    const path = `${'a.'.repeat(99)}b`;
    assert.equal(readPut(`{"items":[${deep}]}`).length, 1);
    assert.equal(matchesItem(deep, readQuery(`{"query":{"${path}":1}}`)), true);
    assert.equal(updatedItem(deep, `{"increment":{"${path}":1}}`), deep.replace('"b":1', '"b":2'));
    for (const long of [`a.${path}`, `a${'.a'.repeat(1_000_000)}`]) {
      refused(
        () => readQuery(`{"query":{"${long}":1}}`),
        /^Bad query; "a\.a.* the attribute path has more than 100/,
      );
      refused(
        () => readUpdate(`{"delete":["${long}"]}`),
        /^delete: the path "a\.a.* has more than 100 segments/,
      );
      refused(() => readUpdate(`{"set":{"${long}":1}}`), /^set: the path "a\.a.* has more than 100 segments/);
    }
  });

  test('an update may have 10,000 paths in all its members', () => {
    const many = 10_000;
    const stored = `{"key":"k","a":[${listed(many, () => '1')}]}`;
    const paths = Array.from({ length: many }, (_, n) => `"a.${n}"`);
    assert.equal(updatedItem(stored, `{"delete":[${paths}]}`), '{"key":"k","a":[]}');
    assert.equal(updatedItem(stored, `{"delete":[${paths.slice(1)}]}`), '{"key":"k","a":[1]}');
    const increments = paths.map((path) => `${path}:1`);
    assert.equal(updatedItem(stored, `{"increment":{${increments}}}`), stored.replaceAll('1', '2'));
    refused(
      () => readUpdate(`{"delete":[${paths}],"set":{"b":1}}`),
      /^delete: an update may have 10000 paths in all$/,
    );
  });

  test('a query may have 1000 conditions in all its objects, and 1000 objects', () => {
    const query = (objects: number, conditions: number) =>
      `{"query":[${listed(objects, (n) => `{${listed(conditions, (c) => `"a${c}":${n}`)}}`)}]}`;
    assert.equal(readQuery(query(1000, 1)).conditions, 1000);
    assert.equal(readQuery(query(10, 100)).conditions, 1000);
    refused(() => readQuery(query(1001, 1)), /^Bad query; query: has more than 1000 objects or conditions$/);
    refused(() => readQuery(query(11, 91)), /^Bad query; query: has more than 1000 objects or conditions$/);
    refused(() => readQuery(query(100_000, 0)), /has more than 1000 objects/);
  });

  test('a string operand may be as long as an item', () => {
    const operand = 'a'.repeat(400 * 1024);
    for (const operator of ['', '?ne', '?contains', '?not_contains', '?pfx', '?lt']) {
      readQuery(`{"query":{"a${operator}":"${operand}"}}`);
      refused(() => readQuery(`{"query":{"a${operator}":"${operand}a"}}`), /may have 409600 characters/);
    }
    refused(() => readQuery(`{"query":{"a?r":["a","${operand}a"]}}`), /may have 409600 characters/);
  });

  test('a long operand of ?contains is looked for in linear time', () => {
    const text = 'a'.repeat(400_000);
    for (const [operand, expected] of [
      [`b${'a'.repeat(20_000)}`, false],
      [`${'a'.repeat(20_000)}b`, false],
      [`${'a'.repeat(10_000)}b${'a'.repeat(10_000)}`, false],
      ['a'.repeat(400_000), true],
    ] as const) {
      const query = readQuery(`{"query":{"a?contains":"${operand}"}}`);
      for (let n = 0; n < 50; n++) assert.equal(matchesItem(`{"key":"k","a":"${text}"}`, query), expected);
    }
  });

  test('a thousand conditions on one attribute read it once', () => {
    const text = `"${'\\n'.repeat(190_000)}x"`;
    const conditions = listed(1000, (n) => `{"a?pfx":"${n}"}`);
    assert.equal(matchesItem(`{"key":"k","a":${text}}`, readQuery(`{"query":[${conditions}]}`)), false);
    const list = `[${listed(80_000, (n) => `"${n}"`)}]`;
    const elements = listed(1000, (n) => `{"a?contains":"x${n}"}`);
    assert.equal(matchesItem(`{"key":"k","a":${list}}`, readQuery(`{"query":[${elements}]}`)), false);
    const last = `[${elements},{"a?contains":"79999"}]`.replace('{"a?contains":"x0"},', '');
    assert.equal(matchesItem(`{"key":"k","a":${list}}`, readQuery(`{"query":${last}}`)), true);
  });

  test('a thousand paths are found in one pass over an item', () => {
    const item = `{"key":"k","a":{${listed(30_000, (n) => `"n${n}":${n}`)}}}`;
    const conditions = listed(1000, (n) => `{"a.n${29_000 + n}":-1}`);
    for (let n = 0; n < 10; n++) {
      assert.equal(matchesItem(item, readQuery(`{"query":[${conditions}]}`)), false);
    }
    const found = `[${conditions},{"a.n29999":29999}]`.replace('{"a.n29000":-1},', '');
    assert.equal(matchesItem(item, readQuery(`{"query":${found}}`)), true);
  });
});
