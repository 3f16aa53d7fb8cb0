import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { messagesOf } from '../../support/messages.js';
import { readQuery } from '../../support/read-bodies.js';

function selected(item: string, ...paths: string[]): string {
  return readQuery(JSON.stringify({ select: paths })).select?.(item) ?? item;
}

describe('selected attributes', () => {
  test('only the key and the paths remain, in their places and as they were written', () => {
    const item = '{"b":1.0,"home":{"city":"Oslo","zip":[1,2]},"key":"k","a":{"x":null},"z":9007199254740993}';
    assert.equal(selected(item), '{"key":"k"}');
    assert.equal(selected(item, 'z', 'b'), '{"b":1.0,"key":"k","z":9007199254740993}');
    assert.equal(selected(item, 'home.city'), '{"home":{"city":"Oslo"},"key":"k"}');
    assert.equal(
      selected(item, 'home.zip', 'home.city', 'key'),
      '{"home":{"city":"Oslo","zip":[1,2]},"key":"k"}',
    );
    assert.equal(selected(item, 'home.city', 'home'), '{"home":{"city":"Oslo","zip":[1,2]},"key":"k"}');
    assert.equal(selected(item, 'a.x', 'key.x'), '{"key":"k","a":{"x":null}}');
  });

  test('what the item does not have is left out, with the objects around it', () => {
    const item = '{"key":"k","home":{"city":"Oslo"},"list":[],"empty":{},"text":"x"}';
    assert.equal(selected(item, 'home.town', 'list.0', 'empty.x', 'text.0', 'none'), '{"key":"k"}');
    assert.equal(selected(item, 'list', 'empty'), '{"key":"k","list":[],"empty":{}}');
  });

  test('selected elements of a list follow each other', () => {
    const item = '{"key":"k","l":["a",{"x":1,"y":2},[3,4],"d"]}';
    assert.equal(selected(item, 'l.3', 'l.0'), '{"key":"k","l":["a","d"]}');
    assert.equal(selected(item, 'l.1.y', 'l.2.1'), '{"key":"k","l":[{"y":2},[4]]}');
  });

  test('names are names, whatever they are made of', () => {
    const item = '{"key":"k","__proto__":{"constructor":1},"é\\"\\n":2,"0":3,"a.b":4}';
    assert.equal(selected(item, '__proto__.constructor'), '{"key":"k","__proto__":{"constructor":1}}');
    assert.equal(selected(item, 'é"\n', '0', 'a.b'), '{"key":"k","é\\"\\n":2,"0":3}');
  });

  test('a selection is what a plain model selects', () => {
    const name = fc.constantFrom('a', 'b', 'c', '0', '1');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(1, 'x', null, '"],}'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    const path = fc.array(name, { minLength: 1, maxLength: 3 });

    function pick(root: unknown, paths: string[][]): unknown {
      if (paths.some((segments) => segments.length === 0)) return root;
      if (root === null || typeof root !== 'object') return undefined;
      const entries = Object.entries(root).flatMap(([member, inner]) => {
        const inside = paths.filter(([first]) => first === member).map((segments) => segments.slice(1));
        const picked = inside.length === 0 ? undefined : pick(inner, inside);
        return picked === undefined ? [] : [[member, picked] as const];
      });
      if (entries.length === 0) return undefined;
      return Array.isArray(root) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
    }

    let partial = 0;
    fc.assert(
      fc.property(fc.dictionary(name, value, { noNullPrototype: true }), fc.array(path), (root, paths) => {
        const item = { ...root, key: 'k' };
        const text = selected(JSON.stringify(item), ...paths.map((segments) => segments.join('.')));
        assert.equal(text, JSON.stringify(pick(item, [...paths, ['key']])));
        if (text.length > 11 && text !== JSON.stringify(item)) partial++;
      }),
      { numRuns: 3000 },
    );
    assert.ok(partial > 300, `${partial} partial items`);
  });

  test('a wrong selection is refused, and its place is named', () => {
    const select = (value: unknown) =>
      messagesOf(() => readQuery(JSON.stringify({ select: value })))[0] ?? '';
    for (const value of ['a', 1, {}, true]) assert.match(select(value), /^select: must be a list/);
    assert.match(select(['a', 'b', 'c', 7]), /^select\[3\]: must be an attribute path$/);
    for (const path of ['', 'a..b', '.a', 'a'.repeat(3).split('').join('.').concat('.')]) {
      assert.match(select(['a', path]), /^select\[1\]: the attribute path is empty or has an empty segment$/);
    }
    assert.match(
      select([`a${'.a'.repeat(100)}`]),
      /^select\[0\]: the attribute path has more than 100 segments$/,
    );
    assert.match(select(Array(100_000).fill('a')), /^select: has more than 1000 paths$/);
  });
});
