import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missing, PathTree } from '../../../src/base/items/path-tree.js';

const names = ['n', 'other', '"n', 'x"n', ',"n', '{"n', 'n"', 'n":1,"n', '\\', '\\"n', 'é', '{', '}'];
const values: readonly unknown[] = [
  1,
  -2.5,
  null,
  true,
  'n',
  '"n":3',
  ',"n":3',
  '{"n":3}',
  '\\',
  '{',
  [],
  {},
  [{ n: 4 }],
  { n: 5 },
  { other: { n: 6 } },
];

/** Each item has members of its own: which of the names and values, follows from its number. */
function itemOf(number: number): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  let rest = number;
  for (let left = 3; left > 0; left--) {
    item[names[rest % names.length] as string] = values[(rest * 7 + left) % values.length];
    rest = Math.floor(rest / names.length);
  }
  return item;
}

test('a single name is found where a walk finds it, in items that have it in names, strings and other objects', () => {
  let found = 0;
  for (let number = 0; number < names.length ** 3; number++) {
    const item = itemOf(number);
    const json = JSON.stringify(item);
    for (const name of names) {
      const single = new PathTree([name]);
      const several = new PathTree([name]);
      several.add(['no such name']);
      const start = single.locate(json)[0] as number;
      assert.equal(start, several.locate(json)[0], `${name} in ${json}`);
      assert.equal(start === missing, !Object.hasOwn(item, name), `${name} in ${json}`);
      if (start === missing) continue;
      found++;
      const value = JSON.stringify(item[name]);
      assert.equal(json.slice(start, start + value.length), value);
    }
  }
  assert.ok(found > 1000);
});

test('a tree of one name that gets another path finds both', () => {
  const tree = new PathTree(['n']);
  assert.equal(tree.add(['n']), 0);
  assert.deepEqual([...tree.locate('{"a":1,"n":2}')], [11]);
  assert.equal(tree.add(['a', 'b']), 1);
  assert.deepEqual([...tree.locate('{"a":{"b":1},"n":2}')], [17, 10]);
});
