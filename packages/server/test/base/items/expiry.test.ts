import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRowExpired, withExpiry } from '../../../src/base/items/expiry.js';

const rows = {
  '{"__expires":10,"key":"a"}': true,
  '{"a":"_","b":"__","key":"a","__expires":10}': true,
  '{"_":1,"key":"a","__expires":11}': false,
  '{"text":"\\"__expires\\":10","key":"a"}': false,
  '{"nested":{"__expires":10},"key":"a"}': false,
  '{"key":"a_b"}': false,
  '{"key":"a"}': false,
};

test('a row has expired from the second of its own `__expires` on, wherever that is', () => {
  for (const [row, hasExpired] of Object.entries(rows)) {
    assert.equal(isRowExpired(Buffer.from(row), 10), hasExpired, row);
    assert.equal(isRowExpired(Buffer.from(row), 9), false, row);
  }
});

test('another expiry takes the place of the one that is there', () => {
  assert.equal(withExpiry(Buffer.from('{"_":1,"key":"a"}'), 7).toString(), '{"_":1,"key":"a","__expires":7}');
  assert.equal(
    withExpiry(Buffer.from('{"_":1,"__expires":10,"key":"a"}'), 7).toString(),
    '{"_":1,"__expires":7,"key":"a"}',
  );
});
