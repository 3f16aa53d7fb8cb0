import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  createRows,
  type LoadedPage,
  pageOf,
  releaseFar,
  replaceRows,
  stalePages,
} from '../src/bases/listing/rows.js';
import { readRow } from '../src/bases/view/row.js';

const row = (key: string) => readRow(JSON.stringify({ key, n: 1 }));

/** Pages of so many rows each: `k0`, `k1` … */
function pagesOf(sizes: readonly number[]): readonly LoadedPage[] {
  let next = 0;
  return sizes.map((size) =>
    pageOf(
      Array.from({ length: size }, () => row(`k${next++}`)),
      { start: next === size ? undefined : `k${next - size - 1}`, end: `k${next - 1}` },
    ),
  );
}

test('the row and the key of every place are found, whether pages are empty or released', () => {
  const sizes = fc.array(fc.record({ size: fc.nat(4), isReleased: fc.boolean() }));
  fc.assert(
    fc.property(sizes, fc.nat(30), fc.nat(30), (given, from, to) => {
      const pages = pagesOf(given.map(({ size }) => size)).map((page, n) =>
        given[n]?.isReleased === true ? { ...page, rows: undefined } : page,
      );
      const rows = createRows(pages);
      const keys = Array.from({ length: given.reduce((sum, { size }) => sum + size, 0) }, (_, n) => `k${n}`);
      assert.deepEqual(
        Array.from({ length: rows.length }, (_, n) => rows.keys.at(n)),
        keys,
      );
      assert.equal(rows.keys.at(keys.length), undefined);
      assert.deepEqual(rows.keys.slice(from, to), keys.slice(from, to));
      for (const n of keys.keys()) {
        const isReleased = given[rows.locate(n)?.page ?? -1]?.isReleased;
        assert.equal(rows.at(n)?.key, isReleased === true ? undefined : `k${n}`);
      }
    }),
  );
});

test('what is far from the view is released down to the budget; the first page and what is beside the view stay', () => {
  const rows = createRows(pagesOf([10, 10, 10, 10, 10, 10]));
  const kept = (inView: number, characters = 1e9) =>
    releaseFar(rows, inView, { rows: 25, characters }).pages.flatMap((page, n) =>
      page.rows === undefined ? [] : [n],
    );
  assert.deepEqual(kept(5), [0, 4, 5]);
  assert.deepEqual(kept(0), [0, 1]);
  assert.deepEqual(kept(3, 1), [0, 2, 3, 4]);
  assert.equal(releaseFar(rows, 3, { rows: 60, characters: 1e9 }), rows);
});

test('changed and removed rows are found in released pages, too', () => {
  const [first, second] = pagesOf([2, 2]);
  const rows = createRows([first as LoadedPage, { ...(second as LoadedPage), rows: undefined }]);
  const changed = readRow('{"key":"k0","n":2}');
  const after = replaceRows(
    rows,
    new Map([
      ['k0', changed],
      ['k1', undefined],
      ['k2', undefined],
    ]),
  );
  assert.deepEqual(after.keys.slice(0, 9), ['k0', 'k3']);
  assert.equal(after.at(0), changed);
});

test('pages without rows are left out when all are stale, and nothing between two pages is', () => {
  const pages = stalePages(pagesOf([0, 2, 0, 0, 1, 0]));
  assert.deepEqual(
    pages.map(({ start, size, isStale }) => [start, size, isStale]),
    [
      [undefined, 2, true],
      ['k1', 1, true],
    ],
  );
  assert.deepEqual(stalePages(pagesOf([0])), []);
});
