const counts = new Intl.NumberFormat('en');
const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `1,204` */
export function formatCount(count: number): string {
  return counts.format(count);
}

/** A noun with its number: `1 item`, `1,204 items`. */
export function countOf(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : nouns}`;
}

/** Bytes for people, in powers of 1000, as the commands print them: `2.1 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

const threeDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** Milliseconds for people: `0.46 ms`, `12.1 ms`, `1.2 s`. */
export function formatMilliseconds(ms: number): string {
  return ms < 1000 ? `${threeDigits.format(ms)} ms` : `${threeDigits.format(ms / 1000)} s`;
}

const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** A second since 1970 as a date and time of this place. */
export function formatTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? `${seconds} s` : times.format(date);
}

const calendarDays = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** A day without a time, in milliseconds since 1970: the same day everywhere. */
export function formatCalendarDay(ms: number): string {
  return calendarDays.format(new Date(ms));
}

const steps = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });

/** How far a second since 1970 is from now: `in 3 days`. */
export function formatFromNow(seconds: number): string {
  const distance = seconds - Date.now() / 1000;
  const [unit, size] = steps.find(([, length]) => Math.abs(distance) >= length) ?? (['second', 1] as const);
  return relative.format(Math.trunc(distance / size), unit);
}

/** Gives what writes a second since 1970 at the clocks of this place. */
function secondsAs(options: Intl.DateTimeFormatOptions): (seconds: number) => string {
  const format = new Intl.DateTimeFormat('en', { hourCycle: 'h23', ...options });
  return (seconds) => format.format(seconds * 1000);
}

const clock = { hour: '2-digit', minute: '2-digit' } as const;
const day = { month: 'short', day: 'numeric' } as const;

/** A second since 1970 as the time of day of this place: `14:02`. */
export const formatClock = secondsAs(clock);

/** The same with its seconds: `14:02:31`. */
export const formatSecond = secondsAs({ timeStyle: 'medium' });

/** The same with its day: `Nov 23, 14:02`. */
export const formatShortTime = secondsAs({ ...day, ...clock });

/** Its day alone: `Nov 23`. */
export const formatDay = secondsAs(day);

/** Milliseconds since 1970 at the clocks of this place, `2026-01-05T08:30:00.000`, as the fields for dates of a browser begin. */
export function localText(ms: number): string {
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 23);
}
