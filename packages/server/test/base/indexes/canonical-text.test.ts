import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCanonicalReader } from '../../../src/base/indexes/entries/canonical-text.js';
import { encodeNumber } from '../../../src/base/indexes/entries/value-encoding.js';
import { PathTree } from '../../../src/base/items/path-tree.js';
import { stringifyJson } from '../../../src/json/stringify.js';
import { JsonNumber, type JsonValue } from '../../../src/json/value.js';
import { canonicalJson } from '../../support/arbitrary-json.js';
import { parseDeep } from '../../support/read-bodies.js';

/** Stored unique rows are hashes of these texts, so the texts must never change. */
function expected(value: JsonValue): string {
  if (value instanceof JsonNumber) return encodeNumber(value.text);
  if (Array.isArray(value)) return `[${value.map(expected).join()}]`;
  if (!(value instanceof Map)) return stringifyJson(value);
  const members = Array.from(value, ([name, member]) => `${JSON.stringify(name)}:${expected(member)}`);
  return `{${members.sort().join()}}`;
}

test('the canonical text of a value is that of its parts, in the order of the names', () => {
  fc.assert(
    fc.property(canonicalJson.value, (json) => {
      assert.equal(createCanonicalReader(json, [0])(0), expected(parseDeep(json)));
    }),
    { numRuns: 1000 },
  );
});

test('values that are within each other have their own texts, whichever is read first', () => {
  fc.assert(
    fc.property(canonicalJson.value, canonicalJson.value, fc.boolean(), (inner, other, isInnerFirst) => {
      const json = `{"b":{"c":${inner},"a":${other}},"d":0}`;
      const tree = new PathTree();
      for (const path of [['b'], ['b', 'c']]) tree.add(path);
      const [outerAt = 0, innerAt = 0] = tree.locate(json);
      const textAt = createCanonicalReader(json, [outerAt, innerAt]);
      const inOrder = isInnerFirst ? [innerAt, outerAt, innerAt] : [outerAt, innerAt, outerAt];
      for (const at of inOrder) {
        const value = at === innerAt ? inner : `{"c":${inner},"a":${other}}`;
        assert.equal(textAt(at), expected(parseDeep(value)));
      }
    }),
  );
});
