import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupOf } from '../src/bases/key-groups/group.js';
import { betweenKeys, fromKey, hasKeyCondition, withPrefix } from '../src/bases/query/key-range.js';

test('a key belongs to the group of its beginning, up to the next separator behind the prefix', () => {
  assert.deepEqual(groupOf('order:2024:7', ''), { text: 'order:', isPrefix: true });
  assert.deepEqual(groupOf('order:2024:7', 'order:'), { text: 'order:2024:', isPrefix: true });
  assert.deepEqual(groupOf('order:2024:7', 'order:2024:'), { text: 'order:2024:7', isPrefix: false });
  assert.deepEqual(groupOf('order:2024:7', 'ord'), { text: 'order:', isPrefix: true });
  assert.deepEqual(groupOf('plain', ''), { text: 'plain', isPrefix: false });
  assert.deepEqual(groupOf('ends:', ''), { text: 'ends:', isPrefix: false });
});

test('a query is narrowed to keys, and has one condition on them in each object', () => {
  assert.equal(fromKey('[]', 'm', false), '[{"key?gte":"m"}]');
  assert.equal(fromKey('[{"a":1},{"b":2}]', 'm', true), '[{"key?lte":"m","a":1},{"key?lte":"m","b":2}]');
  assert.equal(fromKey('[{"key?pfx":"a"}]', 'm', false), '[{"key?pfx":"a"}]');
  assert.equal(fromKey('[]', '', false), '[]');
  assert.equal(betweenKeys('[{"key?pfx":"a","n":1}]', 'a1', 'a9'), '[{"key?r":["a1","a9"],"n":1}]');
  // An object without a condition matches everything.
  assert.equal(betweenKeys('[{"a":1},{}]', 'x', 'y'), '[{"key?r":["x","y"]}]');
  assert.equal(withPrefix('[{"key":"a","n":1}]', 'b"'), '[{"key?pfx":"b\\"","n":1}]');
  assert.equal(hasKeyCondition('[{"n":1},{"key?gt":"a"}]'), true);
  assert.equal(hasKeyCondition('[{"n":1}]'), false);
});
