import { compareUtf8 } from '../../lib/text/utf8-order.js';
import type { LevelRange } from './read.js';
import { parseRowKey } from './row-encoding.js';

/** The first keys of a range, in the order in which it is read. */
export interface FirstKeys {
  readonly keys: readonly string[];
  /** Whether the range has no others. */
  readonly isAll: boolean;
}

/**
 * A bounded cache of the first keys of ranges that were read. LevelDB reads a range on another thread only: the way there
 * and back takes 80 µs of processor time, more than all the rest of a query that asks an index for a few items. A
 * write forgets the ranges whose cached part it changes, so a leaderboard stays cached while those who are not on it
 * are written.
 *
 * `epoch` counts the moments at which what readers see may change: `RangeCache` is told when it adds a range.
 */
export interface RangeCache {
  /** What a reader of this epoch, or of a later one, sees in the range. */
  get(range: LevelRange, count: number, epoch: number): FirstKeys | undefined;
  /** Adds what was read at this epoch, if it is few. */
  add(range: LevelRange, count: number, first: FirstKeys, epoch: number): void;
  /** Forgets the ranges that a batch changes. Call it before the batch is written. */
  forget(batch: readonly { readonly key: string }[]): void;
}

interface CachedRange extends FirstKeys {
  /** The keys that change it are between these, both included. */
  readonly from: string;
  readonly to: string;
  readonly characters: number;
  readonly epoch: number;
}

/** The ranges of a space, the oldest first. Each write into the space is compared with all of them. */
type Ranges = Map<string, CachedRange>;

const maxRangeKeys = 128;
const maxSpaceRanges = 16;
/** Of all ranges together: keys have up to some kilobytes, which whoever stores the items chooses. */
const maxCharacters = 4 * 1024 * 1024;
/** What a range takes in addition to its texts. */
const rangeCharacters = 256;

export function createRangeCache(): RangeCache {
  /** The spaces, the one with the oldest first range first. */
  const spaces = new Map<string, Ranges>();
  let characters = 0;

  function drop(space: string, ranges: Ranges, id: string): void {
    characters -= (ranges.get(id) as CachedRange).characters;
    ranges.delete(id);
    if (ranges.size === 0) spaces.delete(space);
  }

  function dropOldest(space: string, ranges: Ranges): void {
    const [id] = ranges.keys();
    drop(space, ranges, id as string);
  }

  return {
    get(range, count, epoch) {
      const cached = spaces.get(spaceOf(range.gte))?.get(idOf(range, count));
      return cached !== undefined && cached.epoch <= epoch ? cached : undefined;
    },

    add(range, count, first, epoch) {
      if (first.keys.length > maxRangeKeys) return;
      const space = spaceOf(range.gte);
      const id = idOf(range, count);
      const ranges: Ranges = spaces.get(space) ?? new Map();
      if (ranges.has(id)) drop(space, ranges, id);
      spaces.set(space, ranges);
      const cached = { ...first, ...changedBy(range, first), characters: charactersOf(id, first), epoch };
      ranges.set(id, cached);
      characters += cached.characters;
      if (ranges.size > maxSpaceRanges) dropOldest(space, ranges);
      while (characters > maxCharacters) dropOldest(...([...spaces][0] as [string, Ranges]));
    },

    forget(batch) {
      if (spaces.size === 0) return;
      for (const { key } of batch) {
        const space = spaceOf(key);
        const ranges = spaces.get(space);
        if (ranges === undefined) continue;
        for (const [id, { from, to }] of ranges) {
          if (compareUtf8(key, from) >= 0 && compareUtf8(key, to) <= 0) drop(space, ranges, id);
        }
      }
    },
  };
}

function spaceOf(key: string): string {
  return parseRowKey(key).space;
}

function idOf({ gte, lt, reverse }: LevelRange, count: number): string {
  return `${reverse ? '<' : '>'}${count}\0${gte}\0${lt}`;
}

function charactersOf(id: string, { keys }: FirstKeys): number {
  return keys.reduce((sum, key) => sum + key.length, rangeCharacters + id.length);
}

/** After the last cached key, a range that was not read to its end may change. */
function changedBy({ gte, lt, reverse }: LevelRange, { keys, isAll }: FirstKeys) {
  const last = isAll ? undefined : keys.at(-1);
  return { from: reverse ? (last ?? gte) : gte, to: reverse ? lt : (last ?? lt) };
}
