import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readQueryBody } from '../../../src/base/query/query-body.js';
import { createSlowQueryLog, helpingIndex } from '../../../src/base/slow-queries/slow-queries.js';
import { runAtOnce } from '../../../src/lib/concurrency/time-slices.js';

const queryOf = (body: object) => runAtOnce(readQueryBody(Buffer.from(JSON.stringify(body))));

describe('slow queries', () => {
  function start() {
    let nowMs = 0;
    const log = createSlowQueryLog(() => ++nowMs);
    const run = async (body: object, { ms = 100, items = 0, base = 'b', project = 'p', index = '' } = {}) =>
      await log.onQuery({
        project,
        base,
        ms,
        cost: { items, bytes: 0, ...(index !== '' && { index }) },
        query: () => queryOf(body),
      });
    return { ...log, run };
  }

  test('are those that took long or read much', async () => {
    const { run, of } = start();
    await run({ order: ['a'] }, { ms: 99.9, items: 9_999 });
    assert.deepEqual(of('p'), []);
    await run({ order: ['a'] }, { ms: 100 });
    await run({ order: ['b'] }, { ms: 1, items: 10_000 });
    assert.deepEqual(
      of('p').map(({ order }) => order),
      [['b'], ['a']],
    );
    assert.deepEqual(of('q'), []);
  });

  test('that differ in their operands are one', async () => {
    const { run, of } = start();
    await run({ query: { 'a?gt': 1 }, count: true }, { ms: 700 });
    await run({ query: { 'a?gt': 2 }, count: true }, { ms: 300, items: 5 });
    const [slow, ...others] = of('p');
    assert.deepEqual(others, []);
    assert.deepEqual(slow, {
      base: 'b',
      conditions: ['a?gt'],
      order: [],
      counted: true,
      times: 2,
      endedMs: 2,
      maxMs: 700,
      items: 5,
      index: undefined,
      suggestion: ['a'],
    });
    await run({ query: { 'a?gt': 2 }, count: true }, { index: 'by-a' });
    assert.deepEqual([of('p')[0]?.index, of('p')[0]?.suggestion], ['by-a', undefined]);
  });

  test('are kept for 50 of a project, the latest', async () => {
    const { run, of } = start();
    for (let n = 0; n < 60; n++) await run({ order: [`a${n}`] });
    assert.equal(of('p').length, 50);
    assert.deepEqual([of('p')[0]?.order, of('p').at(-1)?.order], [['a59'], ['a10']]);
  });

  test('are kept for 1,000 projects, those with the latest', async () => {
    const { run, of } = start();
    for (let n = 0; n < 1000; n++) await run({ order: ['a'] }, { project: `p${n}` });
    await run({ order: ['b'] }, { project: 'p0' });
    await run({ order: ['a'] }, { project: 'p1000' });
    assert.deepEqual([of('p0').length, of('p1').length, of('p1000').length], [2, 0, 1]);
  });
});

describe('the index that would help a query', () => {
  const cases: readonly [object, readonly string[] | undefined][] = [
    [{ order: ['-total'], query: { city: 'Rome' } }, ['city', 'total']],
    [{ order: ['name'] }, ['name']],
    [{ order: ['name', 'key'] }, ['name']],
    [{ order: ['key'] }, undefined],
    [{ count: true, query: { 'age?gte': 3, city: 'Rome' } }, ['city', 'age']],
    [{ count: true, query: { 'age?ne': 3 } }, undefined],
    [{ count: true, query: [{ age: 3 }, { age: 4 }] }, undefined],
    // A page of a filter in the order of the keys reads no index.
    [{ query: { city: 'Rome' } }, undefined],
    [{ count: true }, undefined],
    [{ order: ['e'], query: { a: 1, b: 2, c: 3, d: 4 } }, ['a', 'b', 'c', 'd']],
  ];
  for (const [body, fields] of cases) {
    test(`${JSON.stringify(body)}: ${fields ?? 'none'}`, () =>
      assert.deepEqual(helpingIndex(queryOf(body)), fields));
  }
});
