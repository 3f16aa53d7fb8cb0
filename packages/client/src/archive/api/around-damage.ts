import { BasedriveError } from '../../http/error.js';

/** A range of keys or names that cannot be read. Both bounds are outside it. An absent one: it has no bound there. */
export interface Gap {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** What is read in the order of its keys. */
export interface Readable<T> {
  /** All that come after a key. Throws where the first of them is damaged, or before. */
  readonly read: (last: string | undefined) => AsyncIterable<T>;
  /** The first one after a key. Throws if it is damaged. */
  readonly next: (last: string | undefined) => Promise<T | undefined>;
  /** The last key in it. */
  readonly keyOf: (one: T) => string;
}

/** Whether the service answers that what was asked for is damaged (docs/http.md#errors). Asking again does not help. */
export function isDamage(cause: unknown): cause is BasedriveError {
  return cause instanceof BasedriveError && cause.codes.some(({ code }) => code === 'damaged_data');
}

/** Gives all that can be read, in its order. Calls `onGap` for each range that cannot. */
export async function* aroundDamage<T>(
  { read, next, keyOf }: Readable<T>,
  onGap: (gap: Gap) => void,
): AsyncGenerator<T, void, undefined> {
  let last: string | undefined;
  for (;;) {
    let given: T | undefined;
    try {
      for await (const one of read(last)) {
        yield one;
        given = one;
      }
      return;
    } catch (cause) {
      if (!isDamage(cause)) throw cause;
    }
    if (given !== undefined) last = keyOf(given);
    // What is on one page with something damaged is not given: alone, it is.
    let found = await unlessDamaged(next(last));
    while (!(found instanceof Damaged)) {
      if (found === undefined) return;
      yield found;
      last = keyOf(found);
      found = await unlessDamaged(next(last));
    }
    const first = await firstAfter(last, found, next);
    onGap({ after: last, before: first && keyOf(first) });
    if (first === undefined) return;
    yield first;
    last = keyOf(first);
  }
}

/** An answer that what was asked for is damaged. */
class Damaged {
  constructor(
    /** Nothing after this key is lost with it; undefined if the service does not tell. */
    readonly until: string | undefined,
  ) {}
}

async function unlessDamaged<T>(asked: Promise<T>): Promise<T | Damaged> {
  try {
    return await asked;
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    return new Damaged(cause.codes.find(({ code }) => code === 'damaged_data')?.until);
  }
}

/**
 * Gives the first one that can be read after damage that was found after a key. As long as the service tells where the
 * damage ends, it goes on right there, so nothing is passed over; otherwise it searches.
 */
async function firstAfter<T>(
  last: string | undefined,
  damaged: Damaged,
  next: (last: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  let from = last;
  let found: T | undefined | Damaged = damaged;
  while (found instanceof Damaged) {
    const { until }: Damaged = found;
    if (until === undefined || !isLater(until, from)) return await searchAfter(from, next);
    from = until;
    found = await unlessDamaged(next(until));
  }
  return found;
}

/** Whether a text that the service has told comes after a key, and can be asked for. */
function isLater(until: string, last: string | undefined): boolean {
  const isTaken = !/\p{Cc}|\p{Cs}/u.test(until);
  return isTaken && (last === undefined || Buffer.compare(Buffer.from(until), Buffer.from(last)) > 0);
}

/**
 * Keys are in the order of their code points. The service refuses these points in a text: control characters in names, and
 * surrogates.
 */
const unused = [
  { from: 0x7f, to: 0xa0 },
  { from: 0xd800, to: 0xe000 },
];
const firstPoint = 0x20;
const lastPoint = 0x10ffff;
/** The service refuses longer names. */
const maxBytes = 250;

/**
 * Gives the first one that can be read after the damage. The keys of what is damaged are unknown, so it asks what comes after
 * texts of its own: first those right after the last key, then, by bisection, those between a text that leads to damage and
 * one that does not. It may pass over what can be read between two damaged places.
 */
async function searchAfter<T>(
  last: string | undefined,
  next: (last: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  const after = (points: readonly number[]) => unlessDamaged(next(String.fromCodePoint(...points)));
  const points = Array.from(last ?? '', (one) => one.codePointAt(0) as number);
  const texts = points.map((point, at) => [...points.slice(0, at), pointAfter(point)]).reverse();
  let first: T | undefined;
  /** What the texts between which it is begin with. */
  let start: number[] = [];
  for (const text of texts) {
    const found = text.at(-1) === points[text.length - 1] ? new Damaged(undefined) : await after(text);
    if (found instanceof Damaged) continue;
    first = found;
    start = points.slice(0, text.length - 1);
    break;
  }
  while (Buffer.byteLength(String.fromCodePoint(...start)) < maxBytes) {
    const found = await after([...start, lastPoint]);
    if (found instanceof Damaged) break;
    first = found;
    const isOfLast = start.every((point, at) => point === points[at]);
    let low = (isOfLast ? points[start.length] : undefined) ?? firstPoint - 1;
    let high = lastPoint;
    while (high > pointAfter(low)) {
      const middle = pointAt((indexOf(low) + indexOf(high)) >> 1);
      const between = await after([...start, middle]);
      if (between instanceof Damaged) low = middle;
      else [high, first] = [middle, between];
    }
    // No text that is longer leads to damage.
    if (low < firstPoint) break;
    start.push(low);
  }
  return first;
}

/** The next code point; the last one has none, and stays. */
function pointAfter(point: number): number {
  return Math.min(pointAt(indexOf(point) + 1), lastPoint);
}

/** The place of a code point among those that are used; of another one, that of the one before it. */
function indexOf(point: number): number {
  let index = point;
  for (const { from, to } of unused) if (point >= from) index -= Math.min(point + 1, to) - from;
  return index;
}

function pointAt(index: number): number {
  let point = index;
  for (const { from, to } of unused) if (point >= from) point += to - from;
  return point;
}
