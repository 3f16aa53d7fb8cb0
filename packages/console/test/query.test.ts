import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mismatchOf } from '../src/bases/query/mismatch.js';
import { addCondition, inAnyCase, readQuery, removeCondition, writeQuery } from '../src/bases/query/model.js';
import { exampleFor, suggest } from '../src/bases/query/suggest.js';
import { readTyped, splitJoined, writeTyped } from '../src/bases/query/typed.js';
import { readRow } from '../src/bases/view/row.js';

test('every query comes back as it was, numbers digit by digit', () => {
  const query =
    '[{"age?gte":36.50,"home.city":"London","a?b?in":[1,null]},{"tags?has":{"10":1,"2":2.0},"x?<":1e3}]';
  assert.equal(writeQuery(readQuery(query) ?? []), query);
  assert.equal(writeQuery(readQuery(' { "a" : 1 } ') ?? []), '[{"a":1}]');
  assert.equal(readQuery('[1]'), undefined);
  assert.equal(readQuery('{'), undefined);
});

test('a typed condition is read, and what is written of it is read as the same', () => {
  const cases: Readonly<Record<string, string>> = {
    'age >= 36.50': '"age?gte":36.50',
    'age>=36': '"age?gte":36',
    'name = Ada Lovelace': '"name":"Ada Lovelace"',
    'name = "36"': '"name":"36"',
    'active is true': '"active":true',
    'nick != null': '"nick?ne":null',
    'name ~ ada': '"name?icontains":"ada"',
    'zip contains 10': '"zip?contains":"10"',
    'age between 1..5': '"age?r":[1,5]',
    'age in 1, 2.0, x': '"age?in":[1,2.0,"x"]',
    'nick exists': '"nick?exists":true',
    'nick exists false': '"nick?exists":false',
    'inside = 1': '"inside":1',
    '"two words" has {"a":1}': '"two words?has":{"a":1}',
    'key begins user-': '"key?pfx":"user-"',
  };
  for (const [typed, expected] of Object.entries(cases)) {
    const condition = readTyped(typed);
    assert.ok(!('problem' in condition), typed);
    assert.equal(writeQuery([[condition]]), `[{${expected}}]`);
    assert.deepEqual(readTyped(writeTyped(condition)), condition);
  }
  for (const typed of ['', 'age', 'age >=', 'age between 1']) assert.ok('problem' in readTyped(typed), typed);
});

test('conditions that are typed together are split where a known attribute follows', () => {
  const isKnown = (path: string) => ['age', 'name', 'and'].includes(path);
  const parts = (text: string) =>
    splitJoined(text, isKnown).map(({ joint, text: one }) => `${joint}: ${one}`);
  assert.deepEqual(parts('age > 30 and name ~ ada'), ['and: age > 30', 'and: name ~ ada']);
  assert.deepEqual(parts('OR age between 1 and 5 or  name = b'), ['or: age between 1 and 5', 'or: name = b']);
  assert.deepEqual(parts('and = 1 and and = 2'), ['and: and = 1', 'and: and = 2']);
  assert.deepEqual(parts('n > 1 and other = "x"'), ['and: n > 1', 'and: other = "x"']);
  for (const whole of [
    'name = war and peace',
    'name = war and peace is long',
    'name = "a and age = 3"',
    'age and name = b',
    'and what',
  ])
    assert.deepEqual(parts(whole), [`and: ${whole}`]);
});

test('a text that is compared with what holds numbers is pointed out', () => {
  const columns = [
    { name: 'age', width: 1, kind: 'number' as const },
    { name: 'name', width: 1, kind: 'string' as const },
  ];
  const pointsOut = (typed: string) => {
    const condition = readTyped(typed);
    return 'path' in condition && mismatchOf(condition, columns) !== undefined;
  };
  for (const typed of ['age > old', 'age = "36"', 'age between 1..x']) assert.ok(pointsOut(typed), typed);
  for (const typed of ['age > 3', 'age ~ 3', 'age in a, b', 'name > a', 'other > a'])
    assert.ok(!pointsOut(typed), typed);
});

test('only texts that are found in exact case become ones in any case', () => {
  assert.equal(
    inAnyCase('[{"a?contains":"x","key?pfx":"y"},{"b?pfx":"z","c":1.0}]'),
    '[{"a?icontains":"x","key?pfx":"y"},{"b?ipfx":"z","c":1.0}]',
  );
  for (const query of ['[{"a?icontains":"x"}]', '[{"key?pfx":"x"}]', '[{"tags?contains":1}]', '[]'])
    assert.equal(inAnyCase(query), undefined, query);
});

test('a group holds one condition of a path and operator', () => {
  const groups = readQuery('[{"a":1},{"b":2}]') ?? [];
  assert.equal(
    writeQuery(addCondition(groups, { path: 'b', operator: '', operand: '3' })),
    '[{"a":1},{"b":3}]',
  );
  assert.equal(writeQuery(removeCondition(groups, 0, 0)), '[{"b":2}]');
});

test('attributes, operators and values are offered one after the other', () => {
  const items = [readRow('{"key":"k","age":36,"city":"Rome"}'), readRow('{"key":"l","city":"Riga"}')];
  const rows = { sample: () => items };
  const columns = ['key', 'age', 'city'].map((name) => ({ name, width: 1, kind: 'string' as const }));
  const texts = (typed: string) => suggest(typed, columns, rows).map(({ text }) => text);
  assert.deepEqual(texts('c'), ['city']);
  assert.ok(texts('city ').includes('='));
  assert.deepEqual(texts('city = r'), ['"Rome"', '"Riga"']);
  assert.equal(suggest('city = r', columns, rows)[0]?.next, 'city = "Rome"');
  assert.ok(!texts('key ').includes('≠'));
});

test('words that name no attribute are searched in the attributes that hold texts', () => {
  const items = [readRow('{"key":"k","age":36,"two words":"x","city":"Rome"}')];
  const rows = { sample: () => items };
  const columns = ['key', 'age', 'two words', 'city'].map((name) => {
    return { name, width: 1, kind: name === 'age' ? ('number' as const) : ('string' as const) };
  });
  const nexts = (typed: string) => suggest(typed, columns, rows).map(({ next }) => next);
  for (const words of ['New York', 'zebra']) {
    const inEach = [`"two words" ~ ${words}`, `city ~ ${words}`, `key begins ${words}`];
    assert.deepEqual(nexts(words), [words, ...inEach], 'first the search in all texts');
  }
  assert.deepEqual(nexts('c'), ['city ']);
  assert.equal(exampleFor(columns, rows), 'age >= 36');
  assert.equal(exampleFor(columns.slice(2), rows), 'city = Rome');
  assert.equal(exampleFor([], rows), undefined);
});
