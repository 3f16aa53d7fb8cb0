import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parseAttributePath } from '../../src/base/items/attribute-path.js';
import { PathTree } from '../../src/base/items/path-tree.js';
import { parsedSize } from '../../src/json/parsed-size.js';
import { runAtOnce } from '../../src/lib/concurrency/time-slices.js';
import { parseDeep } from '../support/read-bodies.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function usedBytes(): number {
  collectGarbage();
  return getHeapStatistics().used_heap_size;
}

/** How many bytes stay in the heap. */
function heldBy(make: () => unknown): number {
  const before = usedBytes();
  const made = make();
  const bytes = usedBytes() - before;
  assert.notEqual(made, undefined);
  return bytes;
}

const count = 50_000;
const list = (make: (n: number) => string, length = count) =>
  `[${Array.from({ length }, (_, n) => make(n)).join()}]`;
const object = (make: (n: number) => string) =>
  `{${Array.from({ length: count }, (_, n) => make(n)).join()}}`;

const values: Readonly<Record<string, () => string>> = {
  'empty objects': () => list(() => '{}'),
  'empty lists': () => list(() => '[]'),
  'objects of one member': () => list(() => '{"":0}'),
  'objects of three members': () => list((n) => `{"a${n}":${n},"b${n}":"${n}","c":null}`),
  'objects in objects': () => list(() => `${'{"":'.repeat(90)}0${'}'.repeat(90)}`, count / 90),
  'lists in lists': () => list(() => '['.repeat(90) + ']'.repeat(90), count / 90),
  'lists of three': () => list(() => '[1,2,3]'),
  'short numbers': () => list(() => '1'),
  'long numbers': () => list((n) => String(1e15 + n)),
  fractions: () => list((n) => `0.${n}`),
  'strings of two characters': () => list((n) => `"${String.fromCharCode(97 + (n % 26))}x"`),
  'longer strings': () => list((n) => `"a longer string ${n}"`),
  'strings of wide characters': () => list((n) => `"😀 ${n}"`),
  'strings with escapes': () => list((n) => `"\\n${n} \\u0151"`),
  'many members': () => object((n) => `"${n}":0`),
  'many members that are strings': () => object((n) => `"name ${n}":"value ${n}"`),
};

describe('the memory that JSON takes when it is read', () => {
  for (const [name, make] of Object.entries(values)) {
    test(`is not more than is expected: ${name}`, (context) => {
      const text = make();
      const expected = runAtOnce(parsedSize(Buffer.from(text)));
      const held = heldBy(() => parseDeep(text));
      context.diagnostic(`${text.length} bytes take ${held}, ${expected} are expected`);
      assert.ok(held <= expected, `${held} > ${expected}`);
    });
  }

  test('is enough for the paths in it and for a tree of them', () => {
    const paths = Array.from({ length: 1000 }, (_, n) => [
      n,
      ...Array.from({ length: 90 }, (_, at) => `${n}_${at}`),
    ]);
    const text = JSON.stringify(paths.map((segments) => segments.join('.')));
    const expected = runAtOnce(parsedSize(Buffer.from(text)));
    const held = heldBy(() => {
      const tree = new PathTree();
      const parsed = (parseDeep(text) as string[]).map((path) => parseAttributePath(path) as string[]);
      for (const segments of parsed) tree.add(segments);
      return { tree, parsed };
    });
    assert.ok(held <= expected, `${held} > ${expected}`);
  });

  test('points count as they are and as escapes, within strings only', () => {
    const sizeOf = (text: string) => runAtOnce(parsedSize(Buffer.from(text)));
    assert.ok(sizeOf('"a.b"') > sizeOf('"a b"') + 100);
    assert.ok(sizeOf('"a\\u002eb"') > sizeOf('"a\\u002fb"') + 100);
    assert.ok(sizeOf('"a\\u002Eb"') > sizeOf('"a\\u003Eb"') + 100);
    assert.equal(sizeOf('"[{,\\"[{,"'), sizeOf('"xxx\\"xxx"'));
    assert.equal(sizeOf('1.5'), sizeOf('105'));
  });
});
