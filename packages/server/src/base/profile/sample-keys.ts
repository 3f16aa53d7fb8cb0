import type { ScanRange } from '../../engines/item-store.js';
import { compareUtf8 } from '../../lib/text/utf8-order.js';
import type { TextRange } from '../pages/text-batches.js';

interface SampleOptions extends TextRange {
  /** Reads when it is its turn. */
  turn<T>(read: () => Promise<T>): Promise<T>;
}

/** The most looks for a key. Each look reads two rows. */
const maxLooks = 128;

/**
 * Keys of items that are spread over a range, in their order. The first one is the first of the range. Between two keys it
 * looks for one that is in the middle by its text, then between that one and its neighbours, and so on. So it finds every
 * group of keys, such as `order:…` and `user/…`, and within a group the keys are as far apart as their texts allow.
 *
 * @returns at most `count`; none if there is no item
 */
export async function sampleKeys(count: number, options: SampleOptions): Promise<readonly string[]> {
  const { range } = options;
  const first = await keyIn(options, {});
  const last = await keyIn(options, { reverse: true });
  if (first === undefined || last === undefined) return [];
  const found = new Set([first]);
  const between: (readonly [string, string])[] = [[first, last]];
  for (let looks = 0; looks < maxLooks && found.size < count; looks++) {
    const [from, to] = between.shift() ?? [];
    if (from === undefined || to === undefined) break;
    const middle = middleOf(from, to);
    if (middle === undefined) continue;
    const after = await keyIn(options, within(range, { gte: middle, lte: to }));
    const before = await keyIn(options, { ...within(range, { gte: from, lt: middle }), reverse: true });
    if (before !== undefined && before !== from) between.push([from, before]);
    if (after === undefined) continue;
    found.add(after);
    if (after !== to) between.push([after, to]);
  }
  return [...found].sort(compareUtf8);
}

/** A part of a range, between two of its keys. */
export function within({ prefix }: ScanRange, bounds: Pick<ScanRange, 'gte' | 'lt' | 'lte'>): ScanRange {
  return { ...(prefix !== undefined && { prefix }), ...bounds };
}

function keyIn(
  { items, space, range, turn }: SampleOptions,
  part: Partial<ScanRange>,
): Promise<string | undefined> {
  return turn(async () => {
    const isPart = part.gte !== undefined;
    const scan = items.scanText(space, { ...(isPart ? {} : range), ...part, limit: 1 });
    for await (const [row] of scan) return row?.key;
    return undefined;
  });
}

/** The first printable character, and how many there are in ASCII. */
const firstPrintable = 0x20;
const printables = 95;

/** A text between two keys, by their first different characters and those after them; undefined if there is none. */
function middleOf(from: string, to: string): string | undefined {
  const [one, other] = [Array.from(from), Array.from(to)];
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  if (at >= other.length) return undefined;
  const numberOf = (characters: readonly string[]) =>
    (characters[at]?.codePointAt(0) ?? 0) + shareOf(characters[at + 1]?.codePointAt(0));
  const middle = (numberOf(one) + numberOf(other)) / 2;
  const whole = Math.floor(middle);
  const next = firstPrintable + Math.floor((middle - whole) * printables);
  // Surrogates are no characters.
  const character = whole >= 0xd800 && whole <= 0xdfff ? 0xe000 : whole;
  const text = one.slice(0, at).join('') + String.fromCodePoint(character, next);
  return compareUtf8(text, from) > 0 && compareUtf8(text, to) <= 0 ? text : undefined;
}

/** Where a character is among the printable ones: from 0 to less than 1. */
function shareOf(point: number | undefined): number {
  return point === undefined ? 0 : Math.min(printables - 1, Math.max(0, point - firstPrintable)) / printables;
}
