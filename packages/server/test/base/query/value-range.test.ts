import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rangeOfValues } from '../../../src/base/query/value-range.js';
import type { JsonValue } from '../../../src/json/value.js';

test('the range of ?in is from the smallest to the largest of its values', () => {
  const ends = (...values: JsonValue[]) => {
    const { from, to, firstRank, lastRank } = rangeOfValues(values);
    return [from?.value.text, to?.value.text, lastRank - firstRank];
  };
  const long = 'b'.repeat(5000);
  assert.deepEqual(ends('b', 'c', 'a'), ['a', 'c', 0]);
  assert.deepEqual(ends('b'), ['b', 'b', 0]);
  assert.deepEqual(ends(`${long}1`, 'b', 'bb'), ['b', `${long}1`, 0]);
  assert.deepEqual(ends('c', long), [long, 'c', 0]);
  assert.deepEqual(ends('a', null, false)[2], 6);
});
