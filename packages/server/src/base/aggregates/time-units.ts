/** Spans of time by which items are grouped, with the number of characters that they keep of `2024-01-31T13`. */
const unitCharacters = { hour: 13, day: 10, month: 7, year: 4 } as const;

export type TimeUnit = keyof typeof unitCharacters;
export const timeUnits = Object.keys(unitCharacters) as readonly TimeUnit[];

const time = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;
const minuteMs = 60_000;
/** The years 0 to 9999. */
const firstMs = -62_167_219_200_000;
const lastMs = 253_402_300_799_999;

/**
 * The span in UTC that a value belongs to, as `2024-01-31T13`, `2024-01-31`, `2024-01` or `2024`. `text` is the JSON of
 * a number of seconds since 1970, or of ISO 8601 text: a date, or a date and a time, in UTC unless it says an offset.
 * Gives undefined for anything else, and beyond the years 0 to 9999.
 */
export function spanOf(text: string, unit: TimeUnit): string | undefined {
  const ms = text.startsWith('"') ? isoMs(text) : secondsMs(text);
  if (ms === undefined) return undefined;
  return new Date(ms).toISOString().slice(0, unitCharacters[unit]);
}

function secondsMs(text: string): number | undefined {
  // What is no number is not in range.
  return inRange(Math.floor(Number(text)) * 1000);
}

type Numbers = [year: number, month: number, day: number, hour: number, minute: number, second: number];

function isoMs(text: string): number | undefined {
  const [, year, month, day, hour = '0', minute = '0', second = '0', zone = 'Z'] =
    time.exec(text.slice(1, -1)) ?? [];
  if (year === undefined) return undefined;
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as Numbers;
  if (h > 23 || mi > 59 || s > 60) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(y, mo - 1, d);
  // There is no 30th of February.
  if (date.getUTCMonth() !== mo - 1 || date.getUTCDate() !== d) return undefined;
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  // A leap second belongs to the minute that it ends.
  date.setUTCHours(h, mi, Math.min(s, 59));
  return inRange(date.getTime() - offset * minuteMs);
}

function offsetMinutes(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', ''))];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (60 * hours + minutes);
}

function inRange(ms: number): number | undefined {
  return ms >= firstMs && ms <= lastMs ? ms : undefined;
}
