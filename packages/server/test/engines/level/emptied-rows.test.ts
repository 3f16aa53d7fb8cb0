import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createEmptiedRows } from '../../../src/engines/level/shrink/emptied-rows.js';

const rowBytes = 1000;
const key = (n: number) => `space\0${String(n).padStart(7, '0')}`;
const value = Buffer.alloc(10);

/** Notes so many puts over rows that are there, one in so many milliseconds. */
function noted(puts: number, msPerPut: number) {
  let nowMs = 0;
  let looks = 0;
  const emptied = createEmptiedRows(() => nowMs);
  const look = () => {
    looks++;
    return rowBytes;
  };
  for (let n = 0; n < puts; n++) {
    emptied.note([{ type: 'put', key: key(n), value }], look);
    nowMs += msPerPut;
  }
  const ends = emptied.take();
  assert.deepEqual([ends[0]?.from, ends.at(-1)?.to], [key(0), key(puts - 1)]);
  const bytes = ends.reduce((sum, span) => sum + span.bytes, 0);
  return { looks, share: bytes / (puts * (rowBytes + key(0).length)) };
}

describe('what is replaced', () => {
  test('is looked for in every 64th row, and seldom when many are put: each look makes LevelDB merge earlier', () => {
    const slow = noted(20_000, 10);
    assert.ok(slow.looks > 150 && slow.looks < 600, `${slow.looks} looks`);
    const fast = noted(400_000, 0.025);
    assert.ok(fast.looks < 400, `${fast.looks} looks in 10 s`);
    for (const { share } of [slow, fast])
      assert.ok(Math.abs(share - 1) < 0.001, `${share} of what was replaced`);
  });

  test('seldom looks are often again when few are put', () => {
    let nowMs = 0;
    let looks = 0;
    const emptied = createEmptiedRows(() => nowMs);
    const put = (n: number) =>
      emptied.note([{ type: 'put', key: key(n), value }], () => {
        looks++;
        return rowBytes;
      });
    for (let n = 0; n < 100_000; n++) put(n);
    const before = looks;
    for (let n = 0; n < 40_000; n++) {
      nowMs += 10;
      put(n);
    }
    assert.ok(looks - before > 200, `${looks - before} looks`);
  });
});

/** Notes so many deletes, one in so many milliseconds, of rows of so many bytes. */
function notedDeletes(deletes: number, msPerDelete: number, size: number) {
  let nowMs = 0;
  let looks = 0;
  const emptied = createEmptiedRows(() => nowMs);
  const look = () => {
    looks++;
    return size;
  };
  for (let n = 0; n < deletes; n++) {
    emptied.note([{ type: 'del', key: key(n) }], look);
    nowMs += msPerDelete;
  }
  return { looks, share: emptied.bytes / (deletes * (size + key(0).length)) };
}

describe('what is deleted', () => {
  test('is looked for in every 16th row, and seldom when many small ones are deleted', () => {
    const slow = notedDeletes(16_000, 10, rowBytes);
    const large = notedDeletes(16_000, 0.025, 100_000);
    const fast = notedDeletes(64_000, 0.025, rowBytes);
    for (const { looks } of [slow, large, fast]) assert.ok(looks > 750 && looks < 1300, `${looks} looks`);
    // Each look stands for as many rows as were passed on average: the looks of 1,000 differ by 2 %.
    for (const { share } of [slow, large, fast])
      assert.ok(Math.abs(share - 1) < 0.2, `${share} of what was deleted`);
  });
});
