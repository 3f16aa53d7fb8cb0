import { kindOf } from '../../exact/scan.js';
import { type DateForm, type Moment, maxMs, readMoment, writeMoment } from '../dates/date-value.js';

/**
 * The value at a place of a series, as JSON text, counted from the first of the values that begin it: 0 is that one, and
 * before it they are negative. Undefined where the series ends.
 */
export type Series = (at: number) => string | undefined;

/**
 * The series that values begin, which are at the same distance from each other: numbers, dates, the same day of each
 * month, texts with a number at their end. Undefined if they are none, or fewer than two.
 */
export function seriesOf(
  values: readonly (string | undefined)[],
  form: DateForm | undefined,
): Series | undefined {
  if (values.length < 2 || values.some((value) => value === undefined)) return undefined;
  const texts = values as readonly string[];
  return datesOf(texts, form ?? 'text') ?? numbersOf(texts) ?? numberedOf(texts);
}

/** The distance of all neighbours; undefined if it is not the same. */
function stepOf<T extends bigint | number>(values: readonly T[]): T | undefined {
  const [first, second] = values;
  if (first === undefined || second === undefined) return undefined;
  const step = second - first;
  return values.every((value, n) => n === 0 || value - (values[n - 1] as T) === step)
    ? (step as T)
    : undefined;
}

/** Numbers without an exponent. Each has as many decimals as the longest of the first ones. */
function numbersOf(texts: readonly string[]): Series | undefined {
  if (!texts.every((text) => /^-?\d+(\.\d+)?$/.test(text))) return undefined;
  const decimals = Math.max(...texts.map((text) => text.split('.')[1]?.length ?? 0));
  const scaled = texts.map((text) => {
    const [whole = '', fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(decimals, '0'));
  });
  const [first, step] = [scaled[0], stepOf(scaled)];
  if (first === undefined || step === undefined) return undefined;
  return (at) => {
    const value = first + BigInt(at) * step;
    const digits = String(value < 0n ? -value : value).padStart(decimals + 1, '0');
    const whole = digits.slice(0, digits.length - decimals);
    return `${value < 0n ? '-' : ''}${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`}`;
  };
}

/** Texts such as `Room 07`, that differ in the number at their end. */
function numberedOf(texts: readonly string[]): Series | undefined {
  if (!texts.every((text) => kindOf(text) === 'string')) return undefined;
  const parts = texts.map((text) => /^(.*?)(\d{1,15})$/s.exec(JSON.parse(text) as string));
  const beginning = parts[0]?.[1];
  const digits = parts.map((part) => part?.[2] ?? '');
  if (beginning === undefined || !parts.every((part) => part?.[1] === beginning)) return undefined;
  const [first, step] = [Number(digits[0]), stepOf(digits.map(Number))];
  if (step === undefined) return undefined;
  const width = digits.some((text) => text.startsWith('0')) ? (digits[0]?.length ?? 0) : 0;
  return (at) => {
    const number = first + at * step;
    return number < 0 ? undefined : JSON.stringify(beginning + String(number).padStart(width, '0'));
  };
}

/** The clocks at which a date is read: of UTC, or of this place. The other way round, `ms` is what the clocks show. */
interface Clocks {
  shown(ms: number): number;
  ms(shown: number): number;
}
const utc: Clocks = { shown: (ms) => ms, ms: (shown) => shown };
const here: Clocks = {
  shown: (ms) => ms - new Date(ms).getTimezoneOffset() * 60_000,
  ms(shown) {
    if (!(Math.abs(shown) <= maxMs)) return Number.NaN;
    // Without a zone it is a time of this place.
    return Date.parse(new Date(shown).toISOString().slice(0, -1));
  },
};

function datesOf(texts: readonly string[], form: DateForm): Series | undefined {
  // Parts of a second are numbers like any other.
  if (form !== 'text' && texts.some((text) => text.includes('.'))) return undefined;
  const moments = texts.map((text) => readMoment(text, form));
  if (!moments.every((moment) => moment !== undefined)) return undefined;
  const first = moments[0] as Moment;
  const hasZone = form === 'text' && (first.isDay || /(z|[+-]\d\d:?\d\d)"$/i.test(texts[0] ?? ''));
  const write = (ms: number) =>
    Math.abs(ms) <= maxMs ? writeMoment({ ...first, ms }, form, texts[0]) : undefined;
  for (const clocks of hasZone ? [utc, here] : [here, utc]) {
    const next = monthsOf(moments.map(({ ms }) => clocks.shown(ms)));
    if (next !== undefined) return (at) => write(clocks.ms(next(at)));
  }
  const clocks = hasZone ? utc : here;
  const shown = moments.map(({ ms }) => clocks.shown(ms));
  const [start, step] = [shown[0], stepOf(shown)];
  if (start === undefined || step === undefined) return undefined;
  return (at) => write(clocks.ms(start + at * step));
}

/** Moments at the same time of the same day of a month, or of its last day, some months apart. */
function monthsOf(shown: readonly number[]): ((at: number) => number) | undefined {
  const dates = shown.map((ms) => new Date(ms));
  const monthOf = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth();
  const lengthOf = (month: number) => new Date(Date.UTC(2000, month - 24_000 + 1, 0)).getUTCDate();
  const [first, step] = [dates[0], stepOf(dates.map(monthOf))];
  if (first === undefined || step === undefined || step === 0) return undefined;
  const time =
    (shown[0] as number) - Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate());
  const day = first.getUTCDate();
  const isLast = dates.every((date) => date.getUTCDate() === lengthOf(monthOf(date)));
  if (!isLast && (day > 28 || !dates.every((date) => date.getUTCDate() === day))) return undefined;
  const at = (n: number) => {
    const month = monthOf(first) + n * step;
    const own = isLast ? lengthOf(month) : day;
    return Date.UTC(Math.floor(month / 12), month - 12 * Math.floor(month / 12), own) + time;
  };
  return shown.every((ms, n) => at(n) === ms) ? at : undefined;
}
