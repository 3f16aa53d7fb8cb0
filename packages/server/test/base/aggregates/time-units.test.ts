import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { spanOf, type TimeUnit } from '../../../src/base/aggregates/time-units.js';

// Compared with a calendar that counts days one month after the other, and knows no `Date`.

const units: readonly TimeUnit[] = ['hour', 'day', 'month', 'year'];
const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const daysIn = (year: number, month: number) =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
const leapYearsBefore = (year: number) => Math.ceil(year / 4) - Math.ceil(year / 100) + Math.ceil(year / 400);
/** The days from the beginning of the year 0 to that of a year. */
const daysBefore = (year: number) => 365 * year + leapYearsBefore(year);
const epochDays = daysBefore(1970);
const lastDay = daysBefore(10_000) - 1;
const two = (number: number) => String(number).padStart(2, '0');

/** Of an hour of a day since the beginning of the year 0. */
function spans(day: number, hour: number): readonly string[] {
  let year = Math.floor(day / 366);
  while (daysBefore(year + 1) <= day) year++;
  let left = day - daysBefore(year);
  let month = 1;
  for (; left >= daysIn(year, month); month++) left -= daysIn(year, month);
  const written = `${String(year).padStart(4, '0')}-${two(month)}-${two(left + 1)}T${two(hour)}`;
  return [written, written.slice(0, 10), written.slice(0, 7), written.slice(0, 4)];
}

const none = units.map(() => undefined);
const found = (json: string) => units.map((unit) => spanOf(json, unit));

test('seconds since 1970 belong to the spans of a plain calendar, also before 1970 and in leap years', () => {
  const day = fc.oneof(
    fc.integer({ min: 0, max: lastDay }),
    // The days around the end of February.
    fc
      .tuple(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 57, max: 61 }))
      .map(([year, n]) => daysBefore(year) + n),
  );
  const second = fc.oneof(fc.constantFrom(0, 3599, 3600, 86_399), fc.integer({ min: 0, max: 86_399 }));
  const fraction = fc.constantFrom('', '.0', '.5', '.999');
  fc.assert(
    fc.property(day, second, fraction, (days, seconds, part) => {
      const whole = (days - epochDays) * 86_400 + seconds;
      // A part of a negative number leads back: it is the same second if one more is written.
      const written = whole < 0 && part !== '' && part !== '.0' ? `${whole + 1}` : `${whole}`;
      const text = whole === -1 && written === '0' ? `-0${part}` : `${written}${part}`;
      assert.deepEqual(found(text), spans(days, Math.floor(seconds / 3600)), text);
    }),
    { numRuns: 2000 },
  );
  for (const text of [
    `${(lastDay + 1 - epochDays) * 86_400}`,
    `${-epochDays * 86_400 - 1}`,
    '1e15',
    '-1e300',
  ])
    assert.deepEqual(found(text), none, text);
});

test('ISO 8601 text belongs to the spans of a plain calendar, in UTC, whatever its offset', () => {
  const zone = fc.oneof(
    fc.constantFrom(['', 0], ['Z', 0], ['z', 0], ['-00', 0]) as fc.Arbitrary<[string, number]>,
    fc
      .tuple(fc.constantFrom(1, -1), fc.nat(23), fc.nat(59), fc.constantFrom(':', ''))
      .map(([sign, hours, minutes, colon]): [string, number] => [
        `${sign < 0 ? '-' : '+'}${two(hours)}${colon}${two(minutes)}`,
        sign * (60 * hours + minutes),
      ]),
  );
  const time = fc.record({ hour: fc.nat(25), minute: fc.nat(61), second: fc.nat(61), zone });
  const year = fc.oneof(fc.integer({ min: 0, max: 9999 }), fc.constantFrom(0, 1900, 1969, 2000, 2024, 9999));
  const options = { numRuns: 3000 };
  fc.assert(
    fc.property(
      year,
      fc.nat(13),
      fc.nat(32),
      fc.option(time),
      fc.constantFrom('T', 't', ' '),
      (y, month, d, at, between) => {
        const date = `${String(y).padStart(4, '0')}-${two(month)}-${two(d)}`;
        const [offsetText, offset] = at?.zone ?? ['', 0];
        const clock = at && `${two(at.hour)}:${two(at.minute)}:${two(at.second)}${offsetText}`;
        const json = JSON.stringify(clock === null ? date : date + between + clock);
        const isDate = month >= 1 && month <= 12 && d >= 1 && d <= daysIn(y, month);
        // A leap second belongs to the minute that it ends.
        const isTime = at === null || (at.hour <= 23 && at.minute <= 59 && at.second <= 60);
        if (!isDate || !isTime) {
          assert.deepEqual(found(json), none, json);
          return;
        }
        let days = daysBefore(y) + d - 1;
        for (let before = 1; before < month; before++) days += daysIn(y, before);
        const minutes = days * 1440 + (at === null ? 0 : 60 * at.hour + at.minute) - offset;
        const day = Math.floor(minutes / 1440);
        const expected = day < 0 || day > lastDay ? none : spans(day, Math.floor((minutes % 1440) / 60));
        assert.deepEqual(found(json), expected, json);
      },
    ),
    options,
  );
});

test('what is no time belongs to no span', () => {
  const others = [
    '',
    '2024',
    '2024-1-1',
    '2024-01-01T',
    '2024-01-01T10',
    '2024-01-01T10:00+1',
    'x2024-01-01',
  ];
  const texts = [...others, '12024-01-01', '-0001-01-01', '2024-01-01T10:00:00+24:00', '2024-W01-1'];
  for (const text of texts) assert.deepEqual(found(JSON.stringify(text)), none, text);
  for (const json of ['null', 'true', '[]', '{}']) assert.deepEqual(found(json), none, json);
});
