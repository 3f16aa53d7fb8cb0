import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseRanges } from '../../../src/http/answers/ranges.js';

describe('ranges', () => {
  const cases: [string | undefined, number, ReturnType<typeof parseRanges>][] = [
    [undefined, 10, 'whole'],
    ['bytes=0-0', 10, [{ start: 0, end: 0 }]],
    ['bytes=5-', 10, [{ start: 5, end: 9 }]],
    ['bytes=5-99', 10, [{ start: 5, end: 9 }]],
    ['bytes=-3', 10, [{ start: 7, end: 9 }]],
    ['bytes=-99', 10, [{ start: 0, end: 9 }]],
    ['bytes=0-0, -99', 10, [{ start: 0, end: 9 }]],
    [
      'bytes= 1-2 , 5-6',
      10,
      [
        { start: 1, end: 2 },
        { start: 5, end: 6 },
      ],
    ],
    [
      'bytes=5-6,1-2',
      10,
      [
        { start: 5, end: 6 },
        { start: 1, end: 2 },
      ],
    ],
    ['bytes=0-4,3-6,20-30', 10, [{ start: 0, end: 6 }]],
    ['Bytes=1-2', 10, [{ start: 1, end: 2 }]],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=-5', 0, 'unsatisfiable'],
    ['lines=0-1', 10, 'whole'],
    ['lines=50-60', 10, 'whole'],
    ['bytes', 10, 'whole'],
    ['bytes=', 10, 'whole'],
    ['bytes=a-b', 10, 'whole'],
    ['bytes=1.5-2', 10, 'whole'],
    ['bytes=0x1-2', 10, 'whole'],
    [`bytes=${'0-0,'.repeat(50)}2-2`, 10, 'whole'],
  ];
  for (const [header, size, expected] of cases) {
    test(`the Range header ${header?.slice(0, 30)} is read for a file of ${size} bytes`, () => {
      const found = parseRanges(header, size);
      assert.deepEqual(typeof found === 'string' ? found : [...found], expected);
    });
  }

  test('ranges are within the file and never add up to more than the file, whatever the header', () => {
    const piece = fc
      .tuple(fc.option(fc.nat(30)), fc.option(fc.nat(30)))
      .map(([a, b]) => `${a ?? ''}-${b ?? ''}`);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.nat(20), (pieces, size) => {
        const found = parseRanges(`bytes=${pieces.join(',')}`, size);
        if (typeof found === 'string') return;
        assert.ok(found.length > 0);
        let sum = 0;
        for (const { start, end } of found) {
          assert.ok(0 <= start && start <= end && end < size);
          sum += end - start + 1;
        }
        assert.ok(sum <= size);
      }),
    );
  });
});
