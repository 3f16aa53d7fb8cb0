import { BasedriveError } from '../../http/error.js';

/** A stretch of keys or names of which nothing can be read: those in it are not known either. Absent: no bound. */
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

/** All that can be read. `onGap` is told what cannot. */
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
    while (found !== 'damaged') {
      if (found === undefined) return;
      yield found;
      last = keyOf(found);
      found = await unlessDamaged(next(last));
    }
    const first = await firstAfterDamage(last, next);
    onGap({ after: last, before: first && keyOf(first) });
    if (first === undefined) return;
    yield first;
    last = keyOf(first);
  }
}

async function unlessDamaged<T>(asked: Promise<T>): Promise<T | 'damaged'> {
  try {
    return await asked;
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    return 'damaged';
  }
}

/**
 * Keys are in the order of their code points. None of these is in the texts that are asked for: no name may have control
 * characters, and no text surrogates.
 */
const unused = [
  { from: 0x7f, to: 0xa0 },
  { from: 0xd800, to: 0xe000 },
];
const firstPoint = 0x20;
const lastPoint = 0x10ffff;
/** No key that is asked for may be too long for the service. */
const maxBytes = 250;

/**
 * The first one after those that are damaged, whose keys nobody tells. So it asks what comes after texts: those next to the
 * last key at first, then those between the last one that leads to damage and the first one that does not. What can
 * be read between two damaged stretches may be passed over.
 */
async function firstAfterDamage<T>(
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
    const found = text.at(-1) === points[text.length - 1] ? 'damaged' : await after(text);
    if (found === 'damaged') continue;
    first = found;
    start = points.slice(0, text.length - 1);
    break;
  }
  while (Buffer.byteLength(String.fromCodePoint(...start)) < maxBytes) {
    const found = await after([...start, lastPoint]);
    if (found === 'damaged') break;
    first = found;
    const isOfLast = start.every((point, at) => point === points[at]);
    let low = (isOfLast ? points[start.length] : undefined) ?? firstPoint - 1;
    let high = lastPoint;
    while (high > pointAfter(low)) {
      const middle = pointAt((indexOf(low) + indexOf(high)) >> 1);
      const between = await after([...start, middle]);
      if (between === 'damaged') low = middle;
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
