import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isEqualAt } from '../../../src/base/query/equal.js';
import { matches } from '../../../src/base/query/evaluate.js';
import type { Steps } from '../../../src/lib/concurrency/time-slices.js';
import { matchesItem, readQuery } from '../../support/read-bodies.js';

interface Judged {
  readonly isMatch: boolean;
  /** How often other work could run. */
  readonly pauses: number;
}

function judge(item: object, query: object): Judged {
  const read = readQuery(JSON.stringify({ query }));
  const text = JSON.stringify({ key: 'k', ...item });
  const matching = matches(read, text);
  const judged = typeof matching === 'boolean' ? { isMatch: matching, pauses: 0 } : count(matching);
  assert.equal(matchesItem(text, read), judged.isMatch);
  return judged;
}

function count(steps: Steps<boolean>): Judged {
  for (let pauses = 0; ; pauses++) {
    const step = steps.next();
    if (step.done) return { isMatch: step.value, pauses };
  }
}

const zeros = (length: number) => Array<number>(length).fill(0);

describe('conditions with large operands', () => {
  test('a short value is compared with ?in of many lists in steps', () => {
    const item = { a: zeros(205) };
    const lists = Array<number[]>(1000).fill(zeros(203));
    const { isMatch, pauses } = judge(item, { 'a?in': lists });
    assert.equal(isMatch, false);
    assert.ok(pauses > 500, `${pauses} pauses`);
    assert.equal(judge(item, { 'a?in': [...lists.slice(1), item.a] }).isMatch, true);
    assert.equal(judge(item, { 'a?not_in': lists }).isMatch, true);
    assert.equal(judge(item, { 'a?not_in': [item.a, ...lists.slice(1)] }).isMatch, false);
  });

  test('a long list is searched by ?has in steps, to its last element', () => {
    const item = { a: Array.from({ length: 10_000 }, (_, n) => ({ n })) };
    const { isMatch, pauses } = judge(item, { 'a?has': { n: -1 } });
    assert.equal(isMatch, false);
    assert.ok(pauses > 10, `${pauses} pauses`);
    for (const n of [0, 511, 512, 513, 9999]) assert.equal(judge(item, { 'a?has': { n } }).isMatch, true);
  });

  test('a small query of a small item has no pause', () => {
    const query = { 'a?in': [[1], { b: 1 }], 'b?has': 1, 'c?ne': 'x' };
    assert.deepEqual(judge({ a: { b: 1 }, b: [1] }, query), { isMatch: true, pauses: 0 });
  });

  test('a string equals the JSON that is written for it, and no other', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '"', '\\', '\n', 'n', '\u0001', 'é', '😀'),
      maxLength: 4,
    });
    fc.assert(
      fc.property(text, text, text, (stored, operand, after) => {
        const json = JSON.stringify([stored, after]);
        assert.equal(isEqualAt(json, 1, operand), stored === operand);
        assert.equal(isEqualAt(json, 0, [operand, after]), stored === operand);
      }),
      { numRuns: 3000 },
    );
  });
});
