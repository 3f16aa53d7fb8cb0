import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareUtf8 } from '../../../src/lib/text/utf8-order.js';
import { merge } from '../../../src/store/copy/merge.js';

interface Keyed {
  readonly key: string;
}

/** Some keys whose order by UTF-16 units is another one. */
const key = fc.oneof(
  fc.string({ minLength: 1, maxLength: 3, unit: 'grapheme' }),
  fc.constantFrom('\uffee', '\u{10000}'),
);

/** A side: its keys in order, in groups, some of them empty. */
const side = fc.tuple(fc.uniqueArray(key), fc.array(fc.nat(3), { maxLength: 20 })).map(([keys, sizes]) => {
  const rest = [...keys].sort(compareUtf8);
  const groups = sizes.map((size) => rest.splice(0, size));
  return { keys: [...keys].sort(compareUtf8), groups: [...groups, rest] };
});

async function* groupsOf(groups: readonly (readonly string[])[], ended: () => void): AsyncGenerator<Keyed[]> {
  try {
    for (const group of groups) yield group.map((name) => ({ key: name }));
  } finally {
    ended();
  }
}

test('merge gives every key of either side once, in the order of UTF-8 bytes, whatever their groups', async () => {
  await fc.assert(
    fc.asyncProperty(side, side, async (left, right) => {
      const found: { left: string | undefined; right: string | undefined }[] = [];
      const none = () => {};
      for await (const pairs of merge(groupsOf(left.groups, none), groupsOf(right.groups, none))) {
        found.push(...pairs.map((pair) => ({ left: pair.left?.key, right: pair.right?.key })));
      }
      const expected = [...new Set([...left.keys, ...right.keys])].sort(compareUtf8).map((name) => ({
        left: left.keys.includes(name) ? name : undefined,
        right: right.keys.includes(name) ? name : undefined,
      }));
      assert.deepEqual(found, expected);
    }),
  );
});

test('merge ends both sides when its reader stops early', async () => {
  let ended = 0;
  const endless = () => groupsOf(Array(1000).fill(['a']), () => ended++);
  for await (const _pairs of merge(endless(), endless())) break;
  assert.equal(ended, 2);
});
