import { compareUtf8 } from '../lib/text/utf8-order.js';

/** A set of names of bases or drives, given by names and by beginnings of names (docs/http.md#limited-keys). */
export interface NameSet {
  has(name: string): boolean;
  /** What the set consists of, in the order of UTF-8 bytes. No name is in two of these parts. */
  readonly parts: readonly NamePart[];
}

/** One name, or all names that begin with a text. */
export interface NamePart {
  readonly text: string;
  readonly isBeginning: boolean;
}

export const allNames: NameSet = { has: () => true, parts: [{ text: '', isBeginning: true }] };
export const noNames: NameSet = { has: () => false, parts: [] };

/** The set of one name, also of one that ends in `*`. */
export function onlyName(name: string): NameSet {
  return { has: (other) => other === name, parts: [{ text: name, isBeginning: false }] };
}

/** The set of these names. One that ends in `*` stands for all names that begin with the text before it. */
export function nameSet(patterns: readonly string[]): NameSet {
  return setOf(
    patterns.map((pattern) => {
      const isBeginning = pattern.endsWith('*');
      return { text: isBeginning ? pattern.slice(0, -1) : pattern, isBeginning };
    }),
  );
}

/** The names that are in both sets. */
export function inBoth(one: NameSet, other: NameSet): NameSet {
  return setOf([
    ...one.parts.filter((part) => isWithin(part, other.parts)),
    ...other.parts.filter((part) => isWithin(part, one.parts)),
  ]);
}

/** The set of all names of some parts, of which one may be within another. A request may name thousands. */
function setOf(some: readonly NamePart[]): NameSet {
  const sorted = some.toSorted(
    (a, b) => compareUtf8(a.text, b.text) || Number(b.isBeginning) - Number(a.isBeginning),
  );
  const parts: NamePart[] = [];
  // What begins with a text follows it without a gap.
  for (const part of sorted) if (!isPartOf(part, parts.at(-1))) parts.push(part);
  if (parts[0]?.isBeginning === true && parts[0].text === '') return allNames;
  return { has: (text) => isWithin({ text, isBeginning: false }, parts), parts };
}

/** Whether a part is within one of a set: only the last that is not after it can have it. */
function isWithin(part: NamePart, parts: readonly NamePart[]): boolean {
  let [from, to] = [0, parts.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compareUtf8((parts[middle] as NamePart).text, part.text) <= 0) from = middle + 1;
    else to = middle;
  }
  return isPartOf(part, parts[from - 1]);
}

function isPartOf({ text, isBeginning }: NamePart, other: NamePart | undefined): boolean {
  if (other === undefined) return false;
  return other.isBeginning ? text.startsWith(other.text) : text === other.text && !isBeginning;
}
