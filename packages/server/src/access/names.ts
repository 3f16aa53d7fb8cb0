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

/** The set of these names. One that ends in `*` stands for all names that begin with the text before it. */
export function nameSet(patterns: readonly string[]): NameSet {
  const names = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
  const beginnings = patterns
    .filter((pattern) => pattern.endsWith('*'))
    .map((pattern) => pattern.slice(0, -1));
  if (beginnings.includes('')) return allNames;
  const parts = partsOf(names, beginnings);
  if (beginnings.length === 0) return { has: (name) => names.has(name), parts };
  return {
    has: (name) => names.has(name) || beginnings.some((beginning) => name.startsWith(beginning)),
    parts,
  };
}

function partsOf(names: ReadonlySet<string>, beginnings: readonly string[]): readonly NamePart[] {
  const within = (text: string) => beginnings.some((other) => other !== text && text.startsWith(other));
  return [
    ...[...new Set(beginnings)].filter((text) => !within(text)).map((text) => ({ text, isBeginning: true })),
    ...[...names]
      .filter((text) => !within(text) && !beginnings.includes(text))
      .map((text) => ({ text, isBeginning: false })),
  ].sort((a, b) => compareUtf8(a.text, b.text));
}
