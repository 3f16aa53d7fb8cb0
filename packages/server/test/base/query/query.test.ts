import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { RequestError } from '../../../src/request-error.js';
import { propertyRuns } from '../../support/property-runs.js';
import { matchesItem, readQuery } from '../../support/read-bodies.js';

const read = (value: unknown) => readQuery(typeof value === 'string' ? value : JSON.stringify(value));

function matching(query: unknown, item: object | string): boolean {
  const json = typeof item === 'string' ? item : JSON.stringify({ key: 'k', ...item });
  return matchesItem(json, read({ query }));
}

function messages(value: unknown): readonly string[] {
  try {
    read(value);
  } catch (cause) {
    assert.ok(cause instanceof RequestError, String(cause));
    assert.equal(cause.status, 400);
    return cause.problems.map(({ message }) => message);
  }
  assert.fail(`${JSON.stringify(value)} was accepted`);
}

describe('query', () => {
  test('an absent query, null, [], [{}] and an empty object ask for everything', () => {
    for (const body of ['', '{}', '{"query":null}', '{"query":[]}', '{"query":[{}]}', '{"query":{}}']) {
      assert.deepEqual(read(body), {
        range: {},
        filter: undefined,
        conditions: 0,
        required: [],
        limit: undefined,
        last: undefined,
        sort: 'asc',
        order: undefined,
        after: undefined,
        offset: 0,
        count: false,
        select: undefined,
      });
    }
    assert.equal(matching({ a: 1 }, { a: 1 }), true);
    assert.equal(matching([{ a: 2 }, {}], { a: 1 }), true);
  });

  test('objects are ORed, conditions ANDed', () => {
    assert.equal(matching([{ a: 1, b: 2 }], { a: 1, b: 2 }), true);
    assert.equal(matching([{ a: 1, b: 2 }], { a: 1, b: 3 }), false);
    assert.equal(matching([{ a: 1 }, { b: 3 }], { a: 2, b: 3 }), true);
    assert.equal(matching([{ a: 1 }, { b: 3 }], { a: 2, b: 4 }), false);
  });

  test('equal is deep and of one type', () => {
    assert.equal(matching({ a: { x: 1, y: [1, 2] } }, { a: { y: [1, 2], x: 1 } }), true);
    assert.equal(matching({ a: { x: 1 } }, { a: { x: 1, y: 2 } }), false);
    assert.equal(matching({ a: [1, 2] }, { a: [2, 1] }), false);
    assert.equal(matching({ a: 1 }, { a: '1' }), false);
    assert.equal(matching({ a: 1 }, {}), false);
    assert.equal(matching({ a: [1] }, { a: [1, 2] }), false);
    assert.equal(matching({ a: [1, 2] }, { a: [1] }), false);
    assert.equal(matching({ a: [] }, { a: [1] }), false);
    assert.equal(matching({ a: [1] }, { a: [] }), false);
    assert.equal(matching({ a: [] }, { a: [] }), true);
    assert.equal(matching({ a: {} }, { a: {} }), true);
    assert.equal(matching({ a: {} }, { a: { x: 1 } }), false);
    assert.equal(matching({ a: { x: 1 } }, { a: {} }), false);
    assert.equal(matching({ a: { 'é"\\\n': ['é"\\\n'] } }, { a: { 'é"\\\n': ['é"\\\n'] } }), true);
    assert.equal(matching({ a: true }, { a: true }), true);
    assert.equal(matching({ a: '' }, { a: '' }), true);
    assert.equal(matching({ a: {} }, { a: [] }), false);
    assert.equal(matching({ a: 'é"\\\n' }, { a: 'é"\\\n' }), true);
  });

  test('null as the whole operand of equal also matches a missing attribute', () => {
    assert.equal(matching({ a: null }, {}), true);
    assert.equal(matching({ a: null }, { a: null }), true);
    assert.equal(matching({ a: null }, { a: 0 }), false);
    assert.equal(matching({ 'a.b': null }, { a: 1 }), true);
    assert.equal(matching({ 'a.0': null }, { a: [] }), true);
  });

  test('ne with null asks for items that have the attribute with a value that is not null', () => {
    assert.equal(matching({ 'a?ne': null }, {}), false);
    assert.equal(matching({ 'a?ne': null }, { a: null }), false);
    assert.equal(matching({ 'a?ne': null }, { a: false }), true);
    assert.equal(matching({ 'a?!=': null }, { a: {} }), true);
    assert.equal(matching({ 'a.b?ne': null }, { a: 1 }), false);
  });

  test('within lists and objects null is only null', () => {
    assert.equal(matching({ a: [null] }, { a: [null] }), true);
    assert.equal(matching({ a: [null] }, { a: [] }), false);
    assert.equal(matching({ a: { b: null } }, { a: { b: null } }), true);
    assert.equal(matching({ a: { b: null } }, { a: {} }), false);
    assert.equal(matching({ 'a?ne': [null] }, {}), true);
  });

  test('numbers are compared exactly', () => {
    const item = '{"key":"k","n":9007199254740993,"f":1.0,"l":[1e2]}';
    const holds = (query: string) => matchesItem(item, readQuery(`{"query":${query}}`));
    assert.equal(holds('{"n":9007199254740993}'), true);
    assert.equal(holds('{"n":9007199254740992}'), false);
    assert.equal(holds('{"n?gt":9007199254740992}'), true);
    assert.equal(holds('{"n?r":[9007199254740993,9007199254740993]}'), true);
    assert.equal(holds('{"f":1}'), true);
    assert.equal(holds('{"l":[100]}'), true);
  });

  test('numbers are ordered with numbers, and strings with strings by their UTF-8 bytes', () => {
    assert.equal(matching({ 'a?lt': 2 }, { a: 1 }), true);
    assert.equal(matching({ 'a?lt': 1 }, { a: 1 }), false);
    assert.equal(matching({ 'a?lte': 1 }, { a: 1 }), true);
    assert.equal(matching({ 'a?gt': '1' }, { a: 2 }), false);
    assert.equal(matching({ 'a?gt': 0 }, { a: '2' }), false);
    assert.equal(matching({ 'a?gte': 'b' }, { a: 'b' }), true);
    assert.equal(matching({ 'a?gt': '\uffff' }, { a: '😀' }), true);
    assert.equal(matching({ 'a?lt': 'ab' }, { a: 'a' }), true);
    assert.equal(matching({ 'a?lt': 5 }, {}), false);
    assert.equal(matching({ 'a?lt': 5 }, { a: null }), false);
    assert.equal(matching({ 'a?lt': 5 }, { a: [1] }), false);
  });

  test('both spellings of an operator mean the same', () => {
    for (const [op, value, yes, no] of [
      ['ne', 1, 2, 1],
      ['!=', 1, 2, 1],
      ['lt', 5, 4, 5],
      ['<', 5, 4, 5],
      ['gt', 5, 6, 5],
      ['>', 5, 6, 5],
      ['lte', 5, 5, 6],
      ['<=', 5, 5, 6],
      ['gte', 5, 5, 4],
      ['>=', 5, 5, 4],
      ['pfx', 'ab', 'abc', 'ac'],
      ['r', [1, 3], 3, 4],
      ['contains', 'b', 'abc', 'ac'],
      ['not_contains', 'b', 'ac', 'abc'],
      ['!contains', 'b', ['a'], ['b']],
      ['in', [1, 'b'], 'b', 'c'],
      ['not_in', [1, 'b'], 2, 1],
      ['exists', true, null, undefined],
      ['has', 2, [1, 2], 2],
      ['icontains', 'Ö', 'xö', 'xo'],
      ['ipfx', 'äB', 'ÄbC', 'xÄB'],
    ] as const) {
      assert.equal(matching({ [`a?${op}`]: value }, { a: yes }), true, op);
      assert.equal(matching({ [`a?${op}`]: value }, { a: no }), false, op);
    }
  });

  test('prefixes, ranges and substrings match strings, and contains also matches elements of lists', () => {
    assert.equal(matching({ 'a?pfx': '' }, { a: 'x' }), true);
    assert.equal(matching({ 'a?pfx': 'x' }, { a: 1 }), false);
    assert.equal(matching({ 'a?pfx': '"q' }, { a: '"quoted"' }), true);
    assert.equal(matching({ 'a?pfx': 'abc' }, { a: 'ab' }), false);
    assert.equal(matching({ 'a?r': ['b', 'd'] }, { a: 'b' }), true);
    assert.equal(matching({ 'a?r': ['b', 'd'] }, { a: 'da' }), false);
    assert.equal(matching({ 'a?r': [1, 2] }, { a: '1' }), false);
    assert.equal(matching({ 'a?contains': 'x' }, { a: ['y', 'x'] }), true);
    assert.equal(matching({ 'a?contains': 'x' }, { a: ['yx'] }), false);
    assert.equal(matching({ 'a?contains': 'x' }, { a: { x: 1 } }), false);
    assert.equal(matching({ 'a?contains': '' }, { a: 'abc' }), true);
    assert.equal(matching({ 'a?contains': '\n' }, { a: 'a\nb' }), true);
    assert.equal(matching({ 'a?contains': '\\n' }, { a: 'a\nb' }), false);
  });

  test('in and not_in compare deeply and exactly, and null in the list is only null', () => {
    const list = [1, 'a', true, null, [1, { x: 2 }], { y: [] }];
    for (const value of list) {
      assert.equal(matching({ 'a?in': list }, { a: value }), true, JSON.stringify(value));
      assert.equal(matching({ 'a?not_in': list }, { a: value }), false, JSON.stringify(value));
    }
    for (const value of [2, 'b', false, [], [1], {}, { y: [1] }, '1']) {
      assert.equal(matching({ 'a?in': list }, { a: value }), false, JSON.stringify(value));
      assert.equal(matching({ 'a?not_in': list }, { a: value }), true, JSON.stringify(value));
    }
    assert.equal(matching({ 'a?in': list }, {}), false);
    assert.equal(matching({ 'a?not_in': list }, {}), true);
    const holds = (query: string) => matchesItem('{"key":"k","n":9007199254740993}', readQuery(query));
    assert.equal(holds('{"query":{"n?in":[9007199254740992]}}'), false);
    assert.equal(holds('{"query":{"n?in":[9007199254740992,9007199254740993.0]}}'), true);
  });

  test('exists asks whether the attribute is there, whatever its value', () => {
    for (const value of [null, 0, false, '', [], {}]) {
      assert.equal(matching({ 'a?exists': true }, { a: value }), true);
      assert.equal(matching({ 'a?exists': false }, { a: value }), false);
    }
    assert.equal(matching({ 'a?exists': true }, {}), false);
    assert.equal(matching({ 'a.b?exists': false }, { a: 1 }), true);
    assert.equal(matching({ 'a.0?exists': true }, { a: [null] }), true);
  });

  test('has finds an element that is deeply equal', () => {
    const a = [1.5, 'x', null, [2], { y: 1, z: 'é' }, false];
    for (const operand of [1.5, 'x', null, [2], { z: 'é', y: 1 }, false]) {
      assert.equal(matching({ 'a?has': operand }, { a }), true, JSON.stringify(operand));
    }
    for (const operand of [1, '', 2, [], { y: 1 }, true, a]) {
      assert.equal(matching({ 'a?has': operand }, { a }), false, JSON.stringify(operand));
    }
    assert.equal(matching({ 'a?has': 'x' }, { a: 'x' }), false);
    assert.equal(matching({ 'a?has': null }, {}), false);
    assert.equal(matching({ 'a?has': null }, { a: [] }), false);
  });

  test('icontains and ipfx compare strings by simple case folding', () => {
    assert.equal(matching({ 'a?icontains': 'STRASSE' }, { a: 'Hauptstraße' }), false, 'not by full folding');
    assert.equal(matching({ 'a?icontains': 'STRAẞE' }, { a: 'Hauptstraße' }), true);
    assert.equal(matching({ 'a?ipfx': 'ΟΔΟΣ' }, { a: 'οδος 1' }), true);
    assert.equal(matching({ 'a?ipfx': '𐐀' }, { a: '𐐨x' }), true);
    assert.equal(matching({ 'a?ipfx': 'i' }, { a: 'İ' }), false);
    assert.equal(matching({ 'a?icontains': '\n"q' }, { a: 'a\n"Q' }), true);
    assert.equal(matching({ 'a?icontains': 'x' }, { a: ['X'] }), false, 'strings only');
    assert.equal(matching({ 'a?ipfx': '' }, { a: 1 }), false);
  });

  test('ne and not_contains match an item without the attribute', () => {
    assert.equal(matching({ 'a?ne': 1 }, {}), true);
    assert.equal(matching({ 'a?not_contains': 'x' }, {}), true);
    assert.equal(matching({ 'a.b?ne': 1 }, { a: 5 }), true);
  });

  test('paths reach into objects and lists', () => {
    const item = { profile: { age: 30, tags: ['x', { y: 1 }] }, 'a.b': 1 };
    assert.equal(matching({ 'profile.age': 30 }, item), true);
    assert.equal(matching({ 'profile.tags.0': 'x' }, item), true);
    assert.equal(matching({ 'profile.tags.1.y': 1 }, item), true);
    assert.equal(matching({ 'profile.tags.2': 'x' }, item), false);
    assert.equal(matching({ 'a.b': 1 }, item), false);
    assert.equal(matching({ 'a?b?ne': 2 }, { 'a?b': 1 }), true);
  });

  test('names of prototypes are names like any other', () => {
    const item = '{"key":"k","__proto__":{"constructor":1},"1":2}';
    const holds = (query: string) => matchesItem(item, readQuery(`{"query":${query}}`));
    assert.equal(holds('{"__proto__.constructor":1}'), true);
    assert.equal(holds('{"__proto__":{"constructor":1},"1":2}'), true);
    assert.equal(holds('{"__proto__":{}}'), false);
    assert.equal(holds('{"constructor?ne":1,"toString?not_contains":""}'), true);
    assert.equal(holds('{"constructor.name?pfx":""}'), false);
  });

  test('a condition on the key is the bound of the scan', () => {
    const range = (query: unknown) => read({ query }).range;
    assert.deepEqual(range({ key: 'a' }), { gte: 'a', lte: 'a' });
    assert.deepEqual(range({ 'key?pfx': 'a' }), { prefix: 'a' });
    assert.deepEqual(range({ 'key?r': ['a', 'b'] }), { gte: 'a', lte: 'b' });
    assert.deepEqual(range({ 'key?lt': 'a' }), { lt: 'a' });
    assert.deepEqual(range({ 'key?<=': 'a' }), { lte: 'a' });
    assert.deepEqual(range({ 'key?>': 'a' }), { gt: 'a' });
    assert.deepEqual(range({ 'key?gte': 'a', n: 1 }), { gte: 'a' });
    assert.deepEqual(
      range([
        { 'key?pfx': 'a', n: 1 },
        { 'key?pfx': 'a', n: 2 },
      ]),
      { prefix: 'a' },
    );
    assert.equal(read({ query: [{ 'key?pfx': 'a', n: 1 }, { 'key?pfx': 'a' }] }).filter, undefined);
  });

  test('a bad query says so first, then why', () => {
    const bad: [unknown, RegExp][] = [
      [{ 'a?foo': 1 }, /no operator foo/],
      [{ 'a?': 1 }, /operator is empty/],
      [{ '': 1 }, /path/],
      [{ '?lt': 1 }, /path/],
      [{ 'a..b': 1 }, /path/],
      [{ 'a?pfx': 1 }, /must be a string/],
      [{ 'a?contains': ['x'] }, /must be a string/],
      [{ 'a?not_contains': 1 }, /must be a string/],
      [{ 'a?lt': null }, /number or a string/],
      [{ 'a?gte': [1] }, /number or a string/],
      [{ 'a?r': [1] }, /two/],
      [{ 'a?r': [1, 2, 3] }, /two/],
      [{ 'a?r': [1, 'b'] }, /two/],
      [{ 'a?r': 'ab' }, /two/],
      [{ 'a?in': [] }, /a list of 1 to 1000 values/],
      [{ 'a?in': 'x' }, /a list of 1 to 1000 values/],
      [{ 'a?not_in': Array(1001).fill(1) }, /a list of 1 to 1000 values/],
      [{ 'a?exists': null }, /true or false/],
      [{ 'a?exists': 1 }, /true or false/],
      [{ 'a?icontains': 1 }, /must be a string/],
      [{ 'a?ipfx': ['x'] }, /must be a string/],
      [{ 'key?in': ['a'] }, /cannot be used on the key/],
      [{ key: 1 }, /must be a string/],
      [{ 'key?gt': 1 }, /must be a string/],
      [{ 'key?r': [1, 2] }, /must be a string/],
      [{ 'key?ne': 'a' }, /cannot be used on the key/],
      [{ 'key?contains': 'a' }, /cannot be used on the key/],
      [{ 'key?gt': 'a', 'key?lt': 'b' }, /at most one/],
      [[{ key: 'a' }, { key: 'b' }], /same condition/],
      [[{ key: 'a' }, { n: 1 }], /same condition/],
      [[{ 'key?gt': 'a' }, { 'key?gte': 'a' }], /same condition/],
      [[1], /object/],
      ['x', /object/],
      [[null], /object/],
    ];
    for (const [query, reason] of bad) {
      const [first, second] = messages({ query });
      assert.equal(first, 'Bad query', JSON.stringify(query));
      assert.match(second ?? '', reason, JSON.stringify(query));
    }
  });

  test('limit, last and sort are read, and wrong ones are refused', () => {
    assert.equal(read({ limit: 1 }).limit, 1);
    assert.equal(read({ limit: null }).limit, undefined);
    for (const limit of [0, -1, 1.5, '5', true, []]) assert.match(messages({ limit })[0] ?? '', /^limit: /);
    assert.equal(read({ last: 'k' }).last, 'k');
    assert.equal(read({ last: '' }).last, undefined);
    assert.equal(read({ last: null }).last, undefined);
    for (const last of [1, {}, false]) assert.match(messages({ last })[0] ?? '', /^last: /);
    for (const [sort, order] of [
      ['asc', 'asc'],
      ['desc', 'desc'],
      ['', 'asc'],
      [null, 'asc'],
    ] as const) {
      assert.equal(read({ sort }).sort, order);
    }
    for (const sort of ['DESC', 'up', 1]) assert.match(messages({ sort })[0] ?? '', /^sort: /);
    assert.equal(read({ offset: 3 }).offset, 3);
    assert.equal(read({ offset: 3, last: 'k' }).offset, 0, 'only the first page passes over matches');
    for (const offset of [-1, 1.5, '5', true, []]) assert.match(messages({ offset })[0] ?? '', /^offset: /);
    for (const count of [1, 'true', {}]) assert.match(messages({ count })[0] ?? '', /^count: /);
    assert.match(messages('[]')[0] ?? '', /^body: must be a JSON object/);
    assert.match(messages('{"limit":')[0] ?? '', /^body: malformed JSON/);
  });

  test('a query matches what a plain model matches', () => {
    const scalar = fc.oneof(
      fc.integer({ min: -3, max: 3 }),
      fc.constantFrom(
        '',
        'A',
        'aB',
        'ß',
        'ẞ',
        'Σς',
        'σ',
        'İ',
        'i',
        'a',
        'ab',
        'b',
        '😀',
        '\uffff',
        '"',
        'a\nb',
        null,
        true,
        false,
        0.5,
      ),
    );
    const value = fc.oneof(
      scalar,
      fc.array(scalar, { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('x', 'y'), scalar, { noNullPrototype: true }),
    );
    const item = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { noNullPrototype: true });
    const path = fc.constantFrom('a', 'b', 'c', 'a.x', 'b.y', 'a.0', 'b.1');
    const text = fc.constantFrom('', 'a', 'ab', 'b', '😀', '"', '\n', 'A', 'AB', 'ß', 'ς', 'Σ', 'I');
    const condition = fc.oneof(
      fc.tuple(path, value).map(([p, v]) => ({ path: p, op: '', operand: v as unknown })),
      fc.tuple(path, value).map(([p, v]) => ({ path: p, op: 'ne', operand: v as unknown })),
      fc
        .tuple(
          path,
          fc.constantFrom('lt', 'gt', 'lte', 'gte'),
          fc.oneof(fc.integer({ min: -3, max: 3 }), text),
        )
        .map(([p, op, v]) => ({ path: p, op, operand: v as unknown })),
      fc
        .tuple(path, fc.constantFrom('pfx', 'contains', 'not_contains'), text)
        .map(([p, op, v]) => ({ path: p, op, operand: v as unknown })),
      fc
        .tuple(path, fc.oneof(fc.tuple(text, text), fc.tuple(fc.nat(3), fc.nat(3))))
        .map(([p, v]) => ({ path: p, op: 'r', operand: v as unknown })),
      fc
        .tuple(path, fc.constantFrom('in', 'not_in'), fc.array(value, { minLength: 1, maxLength: 4 }))
        .map(([p, op, v]) => ({ path: p, op, operand: v as unknown })),
      fc.tuple(path, fc.boolean()).map(([p, v]) => ({ path: p, op: 'exists', operand: v as unknown })),
      fc.tuple(path, value).map(([p, v]) => ({ path: p, op: 'has', operand: v as unknown })),
      fc
        .tuple(path, fc.constantFrom('icontains', 'ipfx'), text)
        .map(([p, op, v]) => ({ path: p, op, operand: v as unknown })),
    );

    function valueAt(root: unknown, where: string): unknown {
      return where.split('.').reduce<unknown>((inner, segment) => {
        if (inner === null || typeof inner !== 'object') return undefined;
        return Object.hasOwn(inner, segment) ? (inner as Record<string, unknown>)[segment] : undefined;
      }, root);
    }
    function isEqual(a: unknown, b: unknown): boolean {
      try {
        assert.deepStrictEqual(a, b);
        return true;
      } catch {
        return false;
      }
    }
    const order = (a: unknown, b: unknown) =>
      typeof a === 'number' && typeof b === 'number'
        ? a - b
        : typeof a === 'string' && typeof b === 'string'
          ? Buffer.compare(Buffer.from(a), Buffer.from(b))
          : Number.NaN;
    function holds(
      root: unknown,
      { path: where, op, operand }: { path: string; op: string; operand: unknown },
    ): boolean {
      const found = valueAt(root, where);
      const contains =
        (typeof found === 'string' && found.includes(operand as string)) ||
        (Array.isArray(found) && found.includes(operand));
      switch (op) {
        case '':
          return isEqual(found ?? null, operand);
        case 'ne':
          return !isEqual(found ?? null, operand);
        case 'lt':
          return order(found, operand) < 0;
        case 'gt':
          return order(found, operand) > 0;
        case 'lte':
          return order(found, operand) <= 0;
        case 'gte':
          return order(found, operand) >= 0;
        case 'pfx':
          return typeof found === 'string' && found.startsWith(operand as string);
        case 'r':
          return order(found, (operand as unknown[])[0]) >= 0 && order(found, (operand as unknown[])[1]) <= 0;
        case 'contains':
          return contains;
        case 'not_contains':
          return !contains;
        case 'in':
          return found !== undefined && (operand as unknown[]).some((one) => isEqual(found, one));
        case 'not_in':
          return found === undefined || !(operand as unknown[]).some((one) => isEqual(found, one));
        case 'exists':
          return (found !== undefined) === operand;
        case 'has':
          return Array.isArray(found) && found.some((one) => isEqual(one, operand));
        case 'icontains':
          return typeof found === 'string' && ignoringCase('', operand as string).test(found);
        case 'ipfx':
          return typeof found === 'string' && ignoringCase('^', operand as string).test(found);
        default:
          throw new Error(op);
      }
    }
    /** With the flags `iu`, JavaScript compares by Unicode's simple case folding. */
    const ignoringCase = (before: string, text: string) => new RegExp(before + text, 'iu');

    let matched = 0;
    fc.assert(
      fc.property(
        item,
        fc.array(fc.uniqueArray(condition, { maxLength: 2, selector: (c) => c.path + c.op }), {
          maxLength: 2,
        }),
        (root, query) => {
          const expected = query.length === 0 || query.some((all) => all.every((one) => holds(root, one)));
          const spelled = query.map((all) =>
            Object.fromEntries(
              all.map(({ path: p, op, operand }) => [op === '' ? p : `${p}?${op}`, operand]),
            ),
          );
          if (expected) matched++;
          assert.equal(matching(spelled, root), expected, JSON.stringify({ root, spelled }));
        },
      ),
      { numRuns: propertyRuns(8000) },
    );
    assert.ok(matched > 1000 && matched < 7500);
  });
});
