import { compareUtf8 } from '../../../lib/text/utf8-order.js';
import { headerKey, type ScanRange } from '../../item-store.js';
import type { Operation } from '../../shared/group-commit.js';
import { keyRange } from '../../shared/key-range.js';
import { afterDueIndex, dueKey, dueMark } from '../rows/row-encoding.js';
import { KeyPage } from './key-page.js';
import { createPageMemory, type PageMemory } from './page-memory.js';
import {
  afterEmpty,
  beforeEmpty,
  countKeys,
  type FoundKeys,
  firstKeys,
  type Gap,
  isBetween,
  isFree,
  lastKeys,
  type PageTree,
  pagesBefore,
  pageWith,
  startOf,
} from './page-tree.js';

/**
 * A bounded cache of the keys of indexes: of the rows whose keys begin with that of the header, and of the due index.
 * LevelDB reads a range on another thread only: the way there and back takes 80 µs of processor time, more than all the
 * rest of a query that asks an index for a few items. What was read is kept in pages, and every write that changes their
 * keys changes the pages, too. The page that was not read for the longest time, about, is dropped first.
 *
 * While a batch is written, nobody knows whether LevelDB shows it: until it has ended, the pages that it changes are not
 * read, and nothing that it changes is added.
 */
export type KeyPages = ReturnType<typeof createKeyPages>;

/** A range of keys. */
export interface PageRange {
  /** What is before each of them in LevelDB: of entries, their space and NUL; of the due index, nothing. */
  readonly start: string;
  readonly gte: string;
  readonly lt: string;
  readonly reverse: boolean;
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

/** The range of a space, if its keys are kept. */
export function pageRange(start: string, range: ScanRange): PageRange | undefined {
  const { gte, lt } = keyRange(range);
  const isOfEntries = gte.startsWith(headerKey) && lt !== undefined && compareUtf8(lt, entriesEnd) <= 0;
  return isOfEntries ? { start, gte, lt, reverse: range.reverse ?? false } : undefined;
}

/** The entries of the due index up to a second. */
export function dueRange(beforeSeconds: number): PageRange {
  return { start: '', gte: dueMark, lt: dueKey(beforeSeconds + 1, ''), reverse: false };
}

/** What the batch that is being written does to a page. */
interface PageChange {
  readonly tree: PageTree;
  readonly page: KeyPage;
  readonly key: Buffer;
  readonly isPut: boolean;
}

/** 128 keys take some 70 µs of LevelDB's thread. A page has up to twice as many. */
export function createKeyPages(maxBytes: number, loadedKeys = 128) {
  const memory = createPageMemory(maxBytes);
  let batch: readonly Operation[] = [];
  let changes: readonly PageChange[] = [];

  return {
    /** How many keys are to be read at first. */
    loadedKeys,

    /** The bytes that it takes. */
    get bytes(): number {
      return memory.bytes;
    },

    /** The first keys of a range that are in memory, up to `limit`; undefined if the first one is not. */
    keys({ start, gte, lt, reverse }: PageRange, limit: number): FoundKeys | undefined {
      const [from, to] = [Buffer.from(gte), Buffer.from(lt)];
      if (Buffer.compare(from, to) >= 0) return { keys: [], isWhole: true };
      const tree = memory.tree(start);
      if (tree === undefined) return undefined;
      return (reverse ? lastKeys : firstKeys)(tree.pages, from, to, limit);
    },

    /** How many keys of a range are in memory, up to the first that is not. */
    count({ start, gte, lt }: PageRange): { readonly count: number; readonly missing: string | undefined } {
      const [from, to] = [Buffer.from(gte), Buffer.from(lt)];
      if (Buffer.compare(from, to) >= 0) return { count: 0, missing: undefined };
      return countKeys(memory.tree(start)?.pages ?? [], from, to);
    },

    /** Begins to read what is missing at the beginning of a range; undefined if it may not be kept. */
    beginLoad(range: PageRange): Load | undefined {
      const gap = gapAtBeginning(memory.tree(range.start)?.pages ?? [], range);
      if (gap === undefined) return undefined;
      gap.isSpoilt = isWriting(batch, range.start, gap);
      return loadInto(memory, gap, range);
    },

    /** A batch is about to be written. */
    beginWrite(operations: readonly Operation[]): void {
      batch = operations;
      if (!memory.isEmpty) changes = changesOf(memory, operations);
    },

    /** The batch is written, or refused. */
    endWrite(isWritten: boolean): void {
      batch = [];
      if (changes.length === 0) return;
      const done = changes;
      changes = [];
      applyChanges(memory, done, isWritten);
      splitLarge(memory, done, 2 * loadedKeys);
      memory.dropCold();
    },
  };
}

/** What is missing at the beginning of a range, up to the next page. */
function gapAtBeginning(pages: readonly KeyPage[], range: PageRange): Gap | undefined {
  const { start, gte, lt, reverse } = range;
  let [from, to]: Buffer[] = [Buffer.from(gte), Buffer.from(lt)] as [Buffer, Buffer];
  if (reverse) {
    to = beforeEmpty(pages, to);
    from = pages[pagesBefore(pages, to) - 1]?.to ?? Buffer.from(start === '' ? dueMark : headerKey);
  } else {
    from = afterEmpty(pages, from);
    to = pages[pagesBefore(pages, from)]?.from ?? Buffer.from(start === '' ? afterDueIndex : entriesEnd);
  }
  return Buffer.compare(from, to) < 0 ? { from, to, isSpoilt: false } : undefined;
}

function loadInto(memory: PageMemory, gap: Gap, { start, reverse }: PageRange): Load {
  const tree = memory.openTree(start);
  tree.gaps.add(gap);
  return {
    range: { start, gte: gap.from.toString(), lt: gap.to.toString(), reverse },
    add(found, isLast) {
      const keys = reverse ? found.toReversed() : found;
      // What is left of the range begins after these keys.
      const low = reverse && !isLast ? Buffer.from(keys[0] as string) : gap.from;
      const high = reverse || isLast ? gap.to : Buffer.from(`${keys.at(-1)}\0`);
      if (reverse) gap.to = low;
      else gap.from = high;
      if (gap.isSpoilt || !isFree(tree.pages, low, high)) return;
      memory.add(tree, KeyPage.of(low, high, keys));
      memory.dropCold();
    },
    end() {
      gap.isSpoilt = true;
      tree.gaps.delete(gap);
      memory.forgetIfIdle(tree);
    },
  };
}

/** Whether a batch changes keys of a gap. */
function isWriting(batch: readonly Operation[], start: string, { from, to }: Gap): boolean {
  return batch.some(({ key: id }) => {
    if (startOf(id) !== start) return false;
    return isBetween(Buffer.from(id.slice(start.length)), from, to);
  });
}

/** What a batch does to the pages, which are in flux from now on. The gaps that it changes are spoilt. */
function changesOf(memory: PageMemory, operations: readonly Operation[]): readonly PageChange[] {
  const changes: PageChange[] = [];
  // Most operations of a batch are in one space, and most keys there are those of items.
  let start: string | undefined;
  let tree: PageTree | undefined;
  for (const { type, key: id } of operations) {
    const next = startOf(id, start);
    if (next === undefined) continue;
    if (next !== start) {
      start = next;
      tree = memory.tree(start);
    }
    if (tree === undefined) continue;
    const key = Buffer.from(id.slice(start.length));
    if (tree.gaps.size > 0)
      for (const gap of tree.gaps) if (isBetween(key, gap.from, gap.to)) gap.isSpoilt = true;
    const page = pageWith(tree, key);
    if (page === undefined) continue;
    page.isInFlux = true;
    changes.push({ tree, page, key, isPut: type === 'put' });
  }
  return changes;
}

function applyChanges(memory: PageMemory, changes: readonly PageChange[], isWritten: boolean): void {
  for (const { page, key, isPut, tree } of changes) {
    // What LevelDB shows after it has refused a batch is not known.
    if (!isWritten) memory.drop(tree, page);
    else if (isPut) memory.noteGrowth(page, page.insert(key));
    else page.delete(key);
  }
}

function splitLarge(memory: PageMemory, changes: readonly PageChange[], maxKeys: number): void {
  for (const { page, tree } of changes) {
    if (!page.isInFlux) continue;
    page.isInFlux = false;
    const isLarge = page.count > maxKeys || (page.keyBytes > maxPageBytes && page.count > 1);
    if (!isLarge || !memory.has(page)) continue;
    memory.drop(tree, page);
    for (const half of page.halves()) memory.add(tree, half);
  }
}
