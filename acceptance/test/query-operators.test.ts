import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshBase } from '../src/names.js';
import { expectBadQuery, expectErrors, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

const items = [
  { key: 'a', name: 'Straße', n: 1, tags: ['x', 2, { deep: [null] }] },
  { key: 'b', name: 'STRAẞE', n: 2.5, tags: [], none: null },
  { key: 'c', name: 'Σίσυφος', n: '1', tags: 'x', home: { city: 'Oslo' } },
  { key: 'd' },
];

describe('operators of the query language', { concurrency: true }, () => {
  const service = useService();

  const matching: readonly [query: unknown, keys: string][] = [
    [{ 'n?in': [1, 'x'] }, 'a'],
    [{ 'n?in': ['1', 2.5] }, 'bc'],
    [{ 'n?in': [1.0, null] }, 'a'],
    [{ 'n?not_in': [1, 2.5] }, 'cd'],
    [{ 'n?not_in': [null] }, 'abcd'],
    [{ 'home?in': [{ city: 'Oslo' }, []] }, 'c'],
    [{ 'tags?in': [[], 'x'] }, 'bc'],
    [{ 'n?exists': true }, 'abc'],
    [{ 'n?exists': false }, 'd'],
    [{ 'none?exists': true }, 'b'],
    [{ 'home.city?exists': true }, 'c'],
    [{ 'tags.0?exists': true }, 'a'],
    [{ 'tags?has': 'x' }, 'a'],
    [{ 'tags?has': 2.0 }, 'a'],
    [{ 'tags?has': { deep: [null] } }, 'a'],
    [{ 'tags?has': null }, ''],
    [{ 'name?icontains': 'RAße' }, 'ab'],
    [{ 'name?ipfx': 'strasse' }, ''],
    [{ 'name?ipfx': 'σΊΣ' }, 'c'],
    [{ 'tags?icontains': 'X' }, 'c'],
    [{ 'key?gte': 'b', 'n?exists': true }, 'bc'],
    [[{ 'n?in': [1] }, { 'home?exists': true }], 'ac'],
  ];

  test('each operator finds the items that it is documented to find', async () => {
    const base = freshBase(service.api);
    expectStatus(await base.put(...items), 207);
    for (const [query, keys] of matching) {
      const reply = await base.query({ query });
      expectStatus(reply, 200);
      const found = reply.json<{ items: { key: string }[] }>().items.map(({ key }) => key);
      assert.equal(found.join(''), keys, JSON.stringify(query));
    }
  });

  test('the operators hold in the condition of an update', async () => {
    const base = freshBase(service.api);
    expectStatus(await base.put({ key: 'k', n: 1, tags: ['a'] }), 207);
    const update = (condition: unknown) => base.update('k', { if: condition, increment: { n: 1 } });
    expectStatus(await update({ 'n?in': [2, 3] }), 412);
    expectStatus(await update({ 'tags?has': 'a', 'x?exists': false }), 200);
    expectStatus(await update({ 'n?in': [2, 3] }), 200);
  });

  test('a wrong operand is a bad query', async () => {
    const base = freshBase(service.api);
    for (const query of [
      { 'n?in': 1 },
      { 'n?in': [] },
      { 'n?in': { 0: 1 } },
      { 'n?not_in': null },
      { 'n?in': Array(1001).fill(0) },
      { 'n?exists': 'true' },
      { 'n?exists': null },
      { 'n?icontains': 1 },
      { 'n?ipfx': null },
      { 'key?in': ['a'] },
      { 'key?exists': true },
      { 'key?ipfx': 'a' },
    ]) {
      expectBadQuery(await base.query({ query }));
    }
    expectStatus(await base.query({ query: { 'n?in': Array(1000).fill(0) } }), 200);
  });

  test('a list of a million values is refused, and the condition is named', async () => {
    const reply = await freshBase(service.api).query({ query: { 'n?in': Array(1_000_000).fill(0) } });
    expectErrors(reply, 400, /^body: query\["n\?in"\]: more than 204800 JSON values$/);
  });
});
