import assert from 'node:assert/strict';
import { test } from 'node:test';
import { givenPartsOf } from '../../src/archive/import/given-parts.js';

const mib = 1024 * 1024;
const checksum = { algorithm: 'CRC32', value: 'AAAAAA==' } as const;
const sizesOf = (sizes: readonly number[], size = sizes.reduce((sum, one) => sum + one, 0)) =>
  givenPartsOf(
    sizes.map((one) => ({ size: one, checksum })),
    size,
  );

test('parts that the service does not take at once go in pieces of at least 5 MiB, of which the last has the checksum', () => {
  for (const size of [10 * mib + 1, 11 * mib + 7, 20 * mib, 20 * mib + 1, 5 * 1024 * mib]) {
    const pieces = sizesOf([size]) ?? [];
    assert.equal(
      pieces.reduce((sum, { bytes }) => sum + bytes, 0),
      size,
    );
    for (const { bytes } of pieces) assert.ok(bytes >= 5 * mib && bytes <= 10 * mib, `${bytes} of ${size}`);
    const last = pieces.pop();
    assert.deepEqual(last?.headers, { 'X-File-Checksum': 'CRC32 AAAAAA==' });
    for (const { headers } of pieces) assert.deepEqual(headers, { 'X-File-Continues': 'true' });
  }
});

test('small and empty parts are sent as they are', () => {
  const headers = { 'X-File-Checksum': 'CRC32 AAAAAA==' };
  assert.deepEqual(sizesOf([5 * mib, 10 * mib, 0]), [
    { bytes: 5 * mib, headers },
    { bytes: 10 * mib, headers },
    { bytes: 0, headers },
  ]);
});

test('parts that are not those of the file, or too many, are not given', () => {
  assert.equal(givenPartsOf(undefined, 5), undefined);
  assert.equal(sizesOf([5, 5], 11), undefined);
  assert.equal(sizesOf(new Array(10_000).fill(10 * mib))?.length, 10_000);
  assert.equal(sizesOf(new Array(10_000).fill(10 * mib + 1)), undefined);
});
