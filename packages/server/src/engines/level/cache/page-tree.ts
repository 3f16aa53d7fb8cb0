import { dueMark } from '../rows/row-encoding.js';
import type { KeyPage } from './key-page.js';

/** The pages of the entries of a space, or of the due index, in the order of their keys. */
export interface PageTree {
  /** Before each key in LevelDB: of entries, their space and NUL; of the due index, nothing. */
  readonly start: string;
  readonly pages: KeyPage[];
  readonly gaps: Set<Gap>;
}

/** What is being read. */
export interface Gap {
  from: Buffer;
  to: Buffer;
  /** Whether it was written in the meantime, or is read no more. */
  isSpoilt: boolean;
}

export interface FoundKeys {
  readonly keys: readonly string[];
  /** Whether the range has no others, or `limit` is reached. */
  readonly isWhole: boolean;
}

/** The first keys of a range; undefined if the first one is in no page. */
export function firstKeys(pages: readonly KeyPage[], from: Buffer, to: Buffer, limit: number) {
  const keys: string[] = [];
  let at = lastAt(pages, from);
  for (let next: Buffer = from; ; at++) {
    const page = pages[at];
    if (!covers(page, next)) return keys.length === 0 ? undefined : { keys, isWhole: false };
    page.isHot = true;
    const isLast = Buffer.compare(page.to, to) >= 0;
    const end = isLast ? page.rankOf(to) : page.count;
    for (let rank = next === from ? page.rankOf(from) : 0; rank < end; rank++) {
      keys.push(page.keyAt(rank));
      if (keys.length === limit) return { keys, isWhole: true };
    }
    if (isLast) return { keys, isWhole: true };
    next = page.to;
  }
}

/** The same from the end of the range. */
export function lastKeys(pages: readonly KeyPage[], from: Buffer, to: Buffer, limit: number) {
  const keys: string[] = [];
  // The last page that begins before the end of the range.
  let at = pagesBefore(pages, to) - 1;
  for (let next: Buffer = to; ; at--) {
    const page = pages[at];
    if (!coversBefore(page, next)) return keys.length === 0 ? undefined : { keys, isWhole: false };
    page.isHot = true;
    const isLast = Buffer.compare(page.from, from) <= 0;
    const end = isLast ? page.rankOf(from) : 0;
    for (let rank = (next === to ? page.rankOf(to) : page.count) - 1; rank >= end; rank--) {
      keys.push(page.keyAt(rank));
      if (keys.length === limit) return { keys, isWhole: true };
    }
    if (isLast) return { keys, isWhole: true };
    next = page.from;
  }
}

/** How many keys of a range are in pages, up to the first that is not. */
export function countKeys(pages: readonly KeyPage[], from: Buffer, to: Buffer) {
  let count = 0;
  let at = lastAt(pages, from);
  for (let next: Buffer = from; ; at++) {
    const page = pages[at];
    if (!covers(page, next)) return { count, missing: next.toString() };
    page.isHot = true;
    const first = next === from ? page.rankOf(from) : 0;
    if (Buffer.compare(page.to, to) >= 0)
      return { count: count + page.rankOf(to) - first, missing: undefined };
    count += page.count - first;
    next = page.to;
  }
}

/** Where a range begins that begins here, without what pages know to be empty: their last keys may have been deleted. */
export function afterEmpty(pages: readonly KeyPage[], from: Buffer): Buffer {
  let begin = from;
  for (let at = lastAt(pages, from); ; at++) {
    const page = pages[at];
    if (!covers(page, begin) || page.rankOf(begin) < page.count) return begin;
    begin = page.to;
  }
}

/** The same of its end. */
export function beforeEmpty(pages: readonly KeyPage[], to: Buffer): Buffer {
  let end = to;
  for (let at = pagesBefore(pages, to) - 1; ; at--) {
    const page = pages[at];
    if (!coversBefore(page, end) || page.rankOf(end) > 0) return end;
    end = page.from;
  }
}

/**
 * What precedes the keys of a tree in LevelDB; undefined for a key that is in none. `before`: that of another key, which
 * may be the same.
 */
export function startOf(id: string, before = ''): string | undefined {
  if (before !== '' && id.startsWith(before)) return id.charCodeAt(before.length) === 0 ? before : undefined;
  if (id.startsWith(dueMark)) return '';
  const end = id.indexOf('\0');
  return id.charCodeAt(end + 1) === 0 ? id.slice(0, end + 1) : undefined;
}

/** The page that has this key, or would have it. */
export function pageWith({ pages }: PageTree, key: Buffer): KeyPage | undefined {
  const page = pages[lastAt(pages, key)];
  return page !== undefined && isBefore(key, page.to) ? page : undefined;
}

/** `Buffer.compare` calls out of JavaScript, and takes 77 ns for two entries of an index in place of 27. */
function isBefore(a: Buffer, b: Buffer): boolean {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return (a[at] as number) < (b[at] as number);
  return a.length < b.length;
}

export function isBetween(key: Buffer, from: Buffer, to: Buffer): boolean {
  return Buffer.compare(key, from) >= 0 && Buffer.compare(key, to) < 0;
}

/** Whether no page has a part of this. */
export function isFree(pages: readonly KeyPage[], from: Buffer, to: Buffer): boolean {
  const before = pages[pagesBefore(pages, to) - 1];
  return before === undefined || Buffer.compare(before.to, from) <= 0;
}

/** How many pages begin before this key. As `rankOf` of a page, without what the keys have in common. */
export function pagesBefore(pages: readonly KeyPage[], key: Buffer): number {
  let low = 0;
  let high = pages.length;
  let lowCommon = 0;
  let highCommon = 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const { from } = pages[middle] as KeyPage;
    const length = Math.min(from.length, key.length);
    let common = Math.min(lowCommon, highCommon);
    while (common < length && from[common] === key[common]) common++;
    const isBefore =
      common < length ? (from[common] as number) < (key[common] as number) : from.length < key.length;
    if (isBefore) {
      low = middle + 1;
      lowCommon = common;
    } else {
      high = middle;
      highCommon = common;
    }
  }
  return low;
}

/** Whether a page can be read from this key on. */
function covers(page: KeyPage | undefined, key: Buffer): page is KeyPage {
  return (
    page !== undefined &&
    !page.isInFlux &&
    Buffer.compare(page.from, key) <= 0 &&
    Buffer.compare(key, page.to) < 0
  );
}

/** Whether a page, which begins before this key, can be read from there backwards. */
function coversBefore(page: KeyPage | undefined, key: Buffer): page is KeyPage {
  return page !== undefined && !page.isInFlux && Buffer.compare(key, page.to) <= 0;
}

/** The index of the last page that begins with this key or before it, or -1. */
function lastAt(pages: readonly KeyPage[], key: Buffer): number {
  const at = pagesBefore(pages, key);
  const page = pages[at];
  return page === undefined || isBefore(key, page.from) ? at - 1 : at;
}
