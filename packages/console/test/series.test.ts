import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seriesOf } from '../src/bases/cells/series.js';
import type { DateForm } from '../src/bases/dates/date-value.js';

/** The next three values of a series, and the one before it. */
function around(values: readonly string[], form?: DateForm) {
  const series = seriesOf(values, form);
  return series && [-1, 0, 1, 2].map((n) => series(n < 0 ? n : values.length + n));
}

test('numbers go on exactly, with as many decimals', () => {
  assert.deepEqual(around(['1', '2', '3']), ['0', '4', '5', '6']);
  assert.deepEqual(around(['0.10', '0.2']), ['0.00', '0.30', '0.40', '0.50']);
  assert.deepEqual(around(['9007199254740993', '9007199254740995'])?.[1], '9007199254740997');
  assert.deepEqual(around(['1.5', '-1']), ['4.0', '-3.5', '-6.0', '-8.5']);
});

test('texts differ in the number at their end, and keep its width', () => {
  assert.deepEqual(around(['"a 9"', '"a 10"']), ['"a 8"', '"a 11"', '"a 12"', '"a 13"']);
  assert.deepEqual(around(['"007"', '"008"'])?.slice(1), ['"009"', '"010"', '"011"']);
  assert.deepEqual(around(['"a 0"', '"a 1"'])?.[0], undefined);
});

test('dates go on by days, by months and by the ends of months', () => {
  assert.deepEqual(around(['"2026-02-27"', '"2026-02-28"']), [
    '"2026-02-26"',
    '"2026-03-01"',
    '"2026-03-02"',
    '"2026-03-03"',
  ]);
  assert.deepEqual(around(['"2026-01-31"', '"2026-02-28"'])?.slice(1), [
    '"2026-03-31"',
    '"2026-04-30"',
    '"2026-05-31"',
  ]);
  assert.deepEqual(
    around(['"2025-11-05T08:30:00+02:00"', '"2025-12-05T08:30:00+02:00"'])?.[1],
    '"2026-01-05T08:30:00+02:00"',
  );
  const seconds = [Date.UTC(2026, 0, 1), Date.UTC(2026, 1, 1)].map((ms) => String(ms / 1000));
  assert.deepEqual(
    around(seconds)?.[1],
    String(Date.UTC(2026, 1, 1) / 1000 + 31 * 86_400),
    'a number without a form',
  );
  assert.deepEqual(around(seconds, 'seconds')?.[1], String(Date.UTC(2026, 2, 1) / 1000));
});

test('what is no series, or begins none, is none', () => {
  for (const values of [
    ['1'],
    ['1', '2', '4'],
    ['1', '"2"'],
    ['true', 'false'],
    ['"a1"', '"b2"'],
    ['1e2', '2e2'],
  ])
    assert.equal(seriesOf(values, undefined), undefined, values.join());
  assert.equal(seriesOf(['1', undefined], undefined), undefined);
});

test('a series has the values that began it', () => {
  const number = fc.tuple(fc.integer(), fc.integer({ min: 0, max: 3 }));
  fc.assert(
    fc.property(
      number,
      fc.integer({ min: -999, max: 999 }),
      fc.integer({ min: 2, max: 6 }),
      ([first, decimals], step, count) => {
        const text = (value: number) => {
          const digits = String(Math.abs(value)).padStart(decimals + 1, '0');
          const whole = digits.slice(0, digits.length - decimals);
          return `${value < 0 ? '-' : ''}${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`}`;
        };
        const values = Array.from({ length: count }, (_, n) => text(first + n * step));
        const series = seriesOf(values, undefined);
        assert.deepEqual(
          values.map((_, n) => series?.(n)),
          values,
        );
        assert.equal(series?.(count), text(first + count * step));
      },
    ),
  );
});
