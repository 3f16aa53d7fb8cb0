import { compareUtf8 } from '../../lib/text/utf8-order.js';
import { headerKey } from '../item-store.js';
import type { Operation } from '../shared/group-commit.js';
import type { KeyRange } from '../shared/key-range.js';
import { KeyPage } from './key-page.js';
import { behindDueIndex, dueKey, dueMark } from './row-encoding.js';

/**
 * A bounded cache of the keys of indexes: of the rows whose keys begin with that of the header, and of the due index.
 * LevelDB reads a range on another thread only: the way there and back takes 80 µs of processor time, more than all the
 * rest of a query that asks an index for a few items. What was read is kept in pages, and every write that changes their
 * keys changes the pages, too. The page that was not read for the longest time, about, is dropped first.
 *
 * While a batch is written, nobody knows whether LevelDB shows it: until it has ended, the pages that it changes are not
 * read, and nothing that it changes is added.
 */
export interface KeyPages {
  /** The first keys of a range that are in memory, up to `limit`; undefined if the first one is not. */
  keys(range: PageRange, limit: number): FoundKeys | undefined;
  /** How many keys of a range are in memory, up to the first that is not. */
  count(range: PageRange): { readonly count: number; readonly missing: string | undefined };
  /** Begins to read what is missing at the beginning of a range; undefined if it may not be kept. */
  beginLoad(range: PageRange): Load | undefined;
  /** A batch is about to be written. */
  beginWrite(operations: readonly Operation[]): void;
  /** The batch is written, or refused. */
  endWrite(isWritten: boolean): void;
  /** How many keys are to be read at first. */
  readonly loadedKeys: number;
  /** The bytes that it takes. */
  readonly bytes: number;
}

/** A range of keys. */
export interface PageRange {
  /** What is before each of them in LevelDB: of entries, their space and NUL; of the due index, nothing. */
  readonly start: string;
  readonly gte: string;
  readonly lt: string;
  readonly reverse: boolean;
}

export interface FoundKeys {
  readonly keys: readonly string[];
  /** Whether the range has no others, or `limit` is reached. */
  readonly isWhole: boolean;
}

/** Reads what is missing. */
export interface Load {
  /** From the beginning of the wanted range to the next page, which may be after its end. */
  readonly range: PageRange;
  /** Keeps the next keys of the range, in the order in which they are read, unless it was written in the meantime. */
  add(keys: readonly string[], isLast: boolean): void;
  /** Keeps nothing more. */
  end(): void;
}

const maxPageBytes = 16 * 1024;
/** The first key after the header and the entries of indexes of a space. */
const entriesEnd = '\u0001';

/** The range, if its keys are kept. */
export function pageRange(start: string, { gte, lt }: KeyRange, reverse: boolean): PageRange | undefined {
  const isOfEntries = gte.startsWith(headerKey) && lt !== undefined && compareUtf8(lt, entriesEnd) <= 0;
  return isOfEntries ? { start, gte, lt, reverse } : undefined;
}

/** The entries of the due index up to a second. */
export function dueRange(beforeSeconds: number): PageRange {
  return { start: '', gte: dueMark, lt: dueKey(beforeSeconds + 1, ''), reverse: false };
}

/** What is being read. */
interface Gap {
  from: Buffer;
  to: Buffer;
  /** Whether it was written in the meantime, or is read no more. */
  isSpoilt: boolean;
}

interface Change {
  readonly tree: Tree;
  readonly page: KeyPage;
  readonly key: Buffer;
  readonly isPut: boolean;
}

/** The pages of the entries of a space, or of the due index, in the order of their keys. */
interface Tree {
  /** Before each key in LevelDB. */
  readonly start: string;
  readonly pages: KeyPage[];
  readonly loads: Set<Gap>;
}

/** 128 keys take some 70 µs of LevelDB's thread. A page has up to twice as many. */
export function createKeyPages(maxBytes: number, loadedKeys = 128): KeyPages {
  const maxPageKeys = 2 * loadedKeys;
  const trees = new Map<string, Tree>();
  /** In any order. */
  const all: { page: KeyPage; tree: Tree }[] = [];
  /** The batch that is being written, and what it does to the pages. */
  let batch: readonly Operation[] = [];
  let changes: Change[] = [];
  let bytes = 0;
  let hand = 0;

  function add(tree: Tree, page: KeyPage): void {
    tree.pages.splice(placeOf(tree.pages, page.from), 0, page);
    page.place = all.length;
    all.push({ page, tree });
    bytes += page.size;
  }

  function drop(tree: Tree, page: KeyPage): void {
    const at = placeOf(tree.pages, page.from);
    if (tree.pages[at] !== page) return;
    tree.pages.splice(at, 1);
    bytes -= page.size;
    const last = all.pop() as (typeof all)[number];
    if (last.page !== page) {
      all[page.place] = last;
      last.page.place = page.place;
    }
    if (isIdle(tree)) trees.delete(tree.start);
  }

  /** The clock algorithm. */
  function dropCold(): void {
    while (bytes > maxBytes && all.length > 0) {
      if (hand >= all.length) hand = 0;
      const { page, tree } = all[hand] as (typeof all)[number];
      if (page.isHot) {
        page.isHot = false;
        hand++;
      } else drop(tree, page);
    }
  }

  /** The page that has this key, or would have it. */
  function pageWith({ pages }: Tree, key: Buffer): KeyPage | undefined {
    const page = pages[lastAt(pages, key)];
    return page !== undefined && Buffer.compare(key, page.to) < 0 ? page : undefined;
  }

  /** Whether the batch that is being written changes keys between these. */
  function isWriting({ start }: Tree, from: Buffer, to: Buffer): boolean {
    return batch.some(({ key: id }) => {
      if (startOf(id) !== start) return false;
      return isBetween(Buffer.from(id.slice(start.length)), from, to);
    });
  }

  return {
    loadedKeys,

    get bytes() {
      return bytes;
    },

    keys({ start, gte, lt, reverse }, limit) {
      const from = Buffer.from(gte);
      const to = Buffer.from(lt);
      if (Buffer.compare(from, to) >= 0) return { keys: [], isWhole: true };
      const tree = trees.get(start);
      if (tree === undefined) return undefined;
      return reverse ? downwards(tree, from, to, limit) : upwards(tree, from, to, limit);
    },

    count({ start, gte, lt }) {
      const from = Buffer.from(gte);
      const to = Buffer.from(lt);
      if (Buffer.compare(from, to) >= 0) return { count: 0, missing: undefined };
      const pages = trees.get(start)?.pages ?? [];
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
    },

    beginLoad({ start, gte, lt, reverse }) {
      const tree = trees.get(start) ?? { start, pages: [], loads: new Set() };
      const { pages } = tree;
      let { from, to }: Pick<Gap, 'from' | 'to'> = { from: Buffer.from(gte), to: Buffer.from(lt) };
      if (reverse)
        from = pages[placeOf(pages, to) - 1]?.to ?? Buffer.from(start === '' ? dueMark : headerKey);
      else to = pages[placeOf(pages, from)]?.from ?? Buffer.from(start === '' ? behindDueIndex : entriesEnd);
      if (Buffer.compare(from, to) >= 0) return undefined;
      const load: Gap = { from, to, isSpoilt: isWriting(tree, from, to) };
      trees.set(start, tree);
      tree.loads.add(load);
      const range = { start, gte: from.toString(), lt: to.toString(), reverse };
      return {
        range,
        add(found, isLast) {
          const keys = reverse ? found.toReversed() : found;
          // What is left of the range begins after these keys.
          const low = reverse && !isLast ? Buffer.from(keys[0] as string) : load.from;
          const high = reverse || isLast ? load.to : Buffer.from(`${keys.at(-1)}\0`);
          if (reverse) load.to = low;
          else load.from = high;
          if (load.isSpoilt || !isFree(tree, low, high)) return;
          add(tree, KeyPage.of(low, high, keys));
          dropCold();
        },
        end() {
          load.isSpoilt = true;
          tree.loads.delete(load);
          if (isIdle(tree)) trees.delete(start);
        },
      };
    },

    beginWrite(operations) {
      batch = operations;
      if (trees.size === 0) return;
      for (const { type, key: id } of operations) {
        const start = startOf(id);
        const tree = start === undefined ? undefined : trees.get(start);
        if (tree === undefined) continue;
        const key = Buffer.from(id.slice(tree.start.length));
        for (const load of tree.loads) if (isBetween(key, load.from, load.to)) load.isSpoilt = true;
        const page = pageWith(tree, key);
        if (page === undefined) continue;
        page.isInFlux = true;
        changes.push({ tree, page, key, isPut: type === 'put' });
      }
    },

    endWrite(isWritten) {
      batch = [];
      if (changes.length === 0) return;
      const done = changes;
      changes = [];
      for (const { page, key, isPut, tree } of done) {
        // What LevelDB shows after it has refused a batch is not known.
        if (!isWritten) drop(tree, page);
        else {
          const { size } = page;
          if (isPut) page.insert(key);
          else page.delete(key);
          if (all[page.place]?.page === page) bytes += page.size - size;
        }
      }
      for (const { page, tree } of done) {
        if (!page.isInFlux) continue;
        page.isInFlux = false;
        const isLarge = page.count > maxPageKeys || (page.keyBytes > maxPageBytes && page.count > 1);
        if (!isLarge || all[page.place]?.page !== page) continue;
        drop(tree, page);
        trees.set(tree.start, tree);
        for (const half of page.halves()) add(tree, half);
      }
      dropCold();
    },
  };
}

function upwards({ pages }: Tree, from: Buffer, to: Buffer, limit: number): FoundKeys | undefined {
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

function downwards({ pages }: Tree, from: Buffer, to: Buffer, limit: number): FoundKeys | undefined {
  const keys: string[] = [];
  // The last page that begins before the end of the range.
  let at = placeOf(pages, to) - 1;
  for (let next: Buffer = to; ; at--) {
    const page = pages[at];
    const isCovered = page !== undefined && !page.isInFlux && Buffer.compare(next, page.to) <= 0;
    if (!isCovered) return keys.length === 0 ? undefined : { keys, isWhole: false };
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

/** What precedes the keys of a tree in LevelDB; undefined for a key that is in none. */
function startOf(id: string): string | undefined {
  if (id.startsWith(dueMark)) return '';
  const end = id.indexOf('\0');
  return id.charCodeAt(end + 1) === 0 ? id.slice(0, end + 1) : undefined;
}

function isIdle({ pages, loads }: Tree): boolean {
  return pages.length === 0 && loads.size === 0;
}

function isBetween(key: Buffer, from: Buffer, to: Buffer): boolean {
  return Buffer.compare(key, from) >= 0 && Buffer.compare(key, to) < 0;
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

/** Whether no page has a part of this. */
function isFree({ pages }: Tree, from: Buffer, to: Buffer): boolean {
  const before = pages[placeOf(pages, to) - 1];
  return before === undefined || Buffer.compare(before.to, from) <= 0;
}

/** How many pages begin before this key. */
function placeOf(pages: readonly KeyPage[], key: Buffer): number {
  let low = 0;
  let high = pages.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Buffer.compare((pages[middle] as KeyPage).from, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The place of the last page that begins with this key or before it, or -1. */
function lastAt(pages: readonly KeyPage[], key: Buffer): number {
  const at = placeOf(pages, key);
  const page = pages[at];
  return page !== undefined && Buffer.compare(page.from, key) === 0 ? at : at - 1;
}
