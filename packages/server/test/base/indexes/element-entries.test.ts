import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Declaration } from '../../../src/base/indexes/declarations/declarations.js';
import { elementParts } from '../../../src/base/indexes/entries/element-entries.js';
import { createEntriesOf } from '../../../src/base/indexes/entries/entries.js';
import { encodeValue } from '../../../src/base/indexes/entries/value-encoding.js';
import { valueAt } from '../../../src/base/query/sort-order.js';
import { canonicalJson } from '../../support/arbitrary-json.js';

const characters = 128;
const listed = (elements: readonly string[]) => elementParts(`[${elements.join()}]`, 0, characters);

describe('the entries of the elements of a list', () => {
  test('are one for each different element, in the order of the first ones', () => {
    fc.assert(
      fc.property(fc.array(canonicalJson.value, { minLength: 1 }), fc.array(fc.nat()), (some, again) => {
        const elements = [...some, ...again.map((n) => some[n % some.length] as string)];
        const all = elements.map((element) => `e${encodeValue(valueAt(element, 0), characters).text}`);
        assert.deepEqual(listed(elements), [...new Set(all)]);
      }),
    );
  });

  test('are those of equal values, however they are written', () => {
    assert.deepEqual(listed(['1', '1.0', '10e-1', '1', '"1"', '[1]', '[2]', '{}', '{"a":1}']), [
      ...listed(['1']),
      ...listed(['"1"']),
      ...listed(['[]']),
      ...listed(['{}']),
    ]);
  });

  test('are one for all if more than 1000 are different, and not if only their texts are', () => {
    const numbers = Array.from({ length: 1000 }, (_, n) => `${n}`);
    const twice = [...numbers, ...numbers.map((n) => `${n}.0`), ...numbers];
    assert.deepEqual(listed(twice), listed(numbers));
    assert.deepEqual(listed([...twice, '1000']), ['m']);
  });

  test('are in each index of the list, in the order of the indexes', () => {
    const index = (id: string, field: string): Declaration => ({
      id,
      name: id,
      fields: [field],
      each: true,
      state: 'ready',
    });
    const indexes = [index('1', 'a'), index('2', 'b'), index('3', 'a')];
    const item = '{"key":"k","a":[1,1,2],"b":["x"]}';
    assert.deepEqual(
      createEntriesOf(indexes)('k', item),
      indexes.flatMap((one) => createEntriesOf([one])('k', item)),
    );
  });
});
