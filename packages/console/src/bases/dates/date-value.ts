import { kindOf } from '../../exact/scan.js';
import { localText } from '../../ui/format.js';

/** How values are dates: seconds or milliseconds since 1970, or texts (ISO 8601). */
export type DateForm = 'seconds' | 'milliseconds' | 'text';

/** The moment that a value stands for. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly ms: number;
  /** Whether it is a day, without a time. */
  readonly isDay: boolean;
}

/** Dates beyond these are no dates of JavaScript. */
export const maxMs = 8.64e15;
const isoPattern = /^(\d{4}-\d\d-\d\d)(?:([T ])(\d\d:\d\d)(:\d\d)?([.,]\d+)?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** The moment of a value in a form; undefined if it has another one. */
export function readMoment(json: string | undefined, form: DateForm): Moment | undefined {
  if (json === undefined) return undefined;
  const kind = kindOf(json);
  if (form === 'text') return kind === 'string' ? readDateText(JSON.parse(json) as string) : undefined;
  const ms = Number(json) * (form === 'seconds' ? 1000 : 1);
  return kind === 'number' && Math.abs(ms) <= maxMs ? { ms, isDay: false } : undefined;
}

/** The moment of a text: `2026-01-05`, `2026-01-05 08:30`, `2026-01-05T08:30:00Z`. Without a zone it is the time of this place. */
export function readDateText(text: string): Moment | undefined {
  const [, day, , time, seconds = '', fraction = '', zone = ''] = isoPattern.exec(text.trim()) ?? [];
  if (day === undefined) return undefined;
  const ms = Date.parse(
    time === undefined ? day : `${day}T${time}${seconds}${fraction.replace(',', '.')}${zone}`,
  );
  return Number.isNaN(ms) ? undefined : { ms, isDay: time === undefined };
}

/** A date that is typed where dates are stored as numbers, as JSON text; undefined elsewhere, and for other texts. */
export function typedDate(
  text: string,
  form: DateForm | undefined,
  before: string | undefined,
): string | undefined {
  if (form === undefined || form === 'text') return undefined;
  const moment = readDateText(text);
  return moment === undefined ? undefined : writeMoment(moment, form, before);
}

/** A moment as JSON text, in a form. A text keeps what the one before it had: a day alone, its zone, its parts of a second. */
export function writeMoment({ ms }: Moment, form: DateForm, before: string | undefined): string {
  if (form === 'seconds') return String(Math.floor(ms / 1000));
  if (form === 'milliseconds') return String(ms);
  const text = before !== undefined && kindOf(before) === 'string' ? (JSON.parse(before) as string) : '';
  return JSON.stringify(writeLike(ms, text));
}

function writeLike(ms: number, before: string): string {
  const [whole, , separator = 'T', time, , fraction, zone] = isoPattern.exec(before.trim()) ?? [];
  if (whole !== undefined && time === undefined) return new Date(ms).toISOString().slice(0, 10);
  const end = fraction === undefined ? 19 : 23;
  if (whole !== undefined && zone === undefined) return localText(ms).slice(0, end).replace('T', separator);
  const offset = offsetMs(zone ?? 'Z');
  return `${new Date(ms + offset).toISOString().slice(0, end).replace('T', separator)}${zone ?? 'Z'}`;
}

/** Milliseconds that the clocks of a zone, `+02:00`, are ahead of UTC. */
function offsetMs(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? -size : size;
}

/** A moment as a field for dates of the browser has it, at the clocks of this place. */
export function fieldText({ ms, isDay }: Moment): string {
  return isDay ? new Date(ms).toISOString().slice(0, 10) : localText(ms).slice(0, 19);
}
