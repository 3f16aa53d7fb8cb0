import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inBoth, type NamePart, nameSet } from '../../src/access/name-set.js';
import { compareUtf8 } from '../../src/lib/text/utf8-order.js';

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
      const set = nameSet(patterns);
      assert.equal(set.has(name), isMeant);
      const isIn = ({ text, isBeginning }: NamePart) => (isBeginning ? name.startsWith(text) : name === text);
      assert.equal(set.parts.filter(isIn).length, isMeant ? 1 : 0);
      const texts = set.parts.map((part) => part.text);
      assert.deepEqual(texts, texts.toSorted(compareUtf8));
    }),
  );
});

test('what two sets have in common is what both have', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '😀'), minLength: 1, maxLength: 3 });
  const patterns = fc.array(text, { maxLength: 5 });
  fc.assert(
    fc.property(patterns, patterns, text, (some, others, name) => {
      const [one, other] = [nameSet(some), nameSet(others)];
      const both = inBoth(one, other);
      assert.equal(both.has(name), one.has(name) && other.has(name));
      const isIn = ({ text, isBeginning }: NamePart) => (isBeginning ? name.startsWith(text) : name === text);
      assert.equal(both.parts.filter(isIn).length, both.has(name) ? 1 : 0);
      const texts = both.parts.map((part) => part.text);
      assert.deepEqual(texts, texts.toSorted(compareUtf8));
    }),
  );
});
