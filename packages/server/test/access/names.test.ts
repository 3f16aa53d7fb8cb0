import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nameSet } from '../../src/access/names.js';

test('a name stands for itself, and one that ends in * for all that begin with the text before it', () => {
  const set = nameSet(['users', 'shop-*', 'a*b', '**']);
  for (const name of ['users', 'shop-', 'shop-goods', 'shop-*', 'a*b', '*', '*x'])
    assert.ok(set.has(name), name);
  for (const name of ['', 'user', 'users2', 'Users', 'shop', 'axb', 'a*bc', 'a*'])
    assert.ok(!set.has(name), name);
  assert.ok(nameSet(['*']).has('anything'));
  assert.ok(!nameSet([]).has(''));
  assert.ok(!nameSet(['users']).has('constructor'));
});

test('a set of names is what a plain model says', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '😀'), minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), text, (patterns, name) => {
      const isMeant = patterns.some((pattern) =>
        pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name,
      );
      assert.equal(nameSet(patterns).has(name), isMeant);
    }),
  );
});
