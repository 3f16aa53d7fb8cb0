import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSelection } from '../src/grid/selection.js';

const keys = ['a', 'b', 'c', 'd', 'e'];

test('a range goes from where it began to where it is taken, and gives back what it leaves', () => {
  const selection = createSelection();
  const selected = () => [...selection.keys.value].sort().join('');
  selection.toggle(4, keys, false);
  selection.extend(1, 2, keys);
  assert.equal(selected(), 'bce');
  selection.extend(2, 3, keys);
  assert.equal(selected(), 'bcde');
  selection.extend(3, 0, keys);
  assert.equal(selected(), 'abe');
  // The active row was moved: a new range begins there.
  selection.extend(3, 3, keys);
  assert.equal(selected(), 'abde');
});

test('Shift and a box select from the last box that was chosen', () => {
  const selection = createSelection();
  selection.toggle(1, keys, false);
  selection.toggle(3, keys, true);
  assert.deepEqual([...selection.keys.value], ['b', 'c', 'd']);
  selection.toggle(0, keys, true);
  assert.deepEqual([...selection.keys.value].sort(), ['a', 'b']);
});

test('of all there are, those that are loaded stay when one is taken out', () => {
  const selection = createSelection();
  selection.selectAll();
  assert.equal(selection.isAll.value, true);
  selection.toggle(1, keys, false);
  assert.equal(selection.isAll.value, false);
  assert.deepEqual([...selection.keys.value], ['a', 'c', 'd', 'e']);
  selection.toggleAll(keys);
  assert.equal(selection.keys.value.size, 5);
  selection.toggleAll(keys);
  assert.equal(selection.keys.value.size, 0);
  selection.toggle(-1, keys, false);
  assert.equal(selection.keys.value.size, 0);
});
