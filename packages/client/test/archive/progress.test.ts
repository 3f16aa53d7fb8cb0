import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProgressCounter } from '../../src/archive/progress.js';

test('after one large file of a thousand small ones, most of the work is still to be done', () => {
  const shares: (number | undefined)[] = [];
  const counter = createProgressCounter(({ share }) => shares.push(share), new AbortController().signal);
  counter.add({});
  counter.total = { bytes: 10_000_000, files: 1001 };
  counter.add({ files: 1, bytes: 9_990_000 });
  counter.end();
  counter.add({ files: 1000, bytes: 10_000 });
  counter.end();
  assert.equal(shares[0], undefined);
  assert.ok(Number(shares[1]) < 0.25, `${shares[1]}`);
  assert.equal(shares.at(-1), 1);
  // Where nobody has counted the files, bytes are all that is known.
  counter.total = { bytes: 20_000_000, files: undefined };
  counter.end();
  assert.equal(shares.at(-1), 0.5);
});
