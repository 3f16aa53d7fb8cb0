import type { Steps } from '../../../lib/concurrency/time-slices.js';
import type { Position, SortOrder } from '../../query/sort-order.js';
import { detached, memoryOf } from './position-memory.js';

/** A position that is kept. */
interface Mark {
  readonly position: Position;
  readonly bytes: number;
}

/** Marks in the order, each of which stands for `2 ** index` positions, where `index` is that of the level. */
type Level = readonly Mark[];

/** What encloses the position of a rank, in all likelihood. */
export interface Enclosing {
  /** A position before it; undefined if none is known. */
  readonly after: Position | undefined;
  /** How many positions are up to `after`, at least. */
  readonly passed: number;
  /** A position that is not before it; undefined if none is known. */
  readonly upTo: Position | undefined;
}

interface RankOptions {
  /** How many positions come before the one that is wanted, at most. */
  readonly rank: number;
  /** Positions after this one are not wanted. */
  readonly upTo: Position | undefined;
  /** How much memory is used, about. */
  readonly maxBytes: number;
}

/** New positions are sorted this many at a time, which takes about a millisecond, also if their texts are long. */
const maxAdded = 512;
const maxAddedBytes = 256 * 1024;
/** The share of the memory that new positions may take. */
const addedShare = 1 / 4;
/** Fewer marks are not thinned out, however large they are. */
const fewestMarks = 4;
/** A level has this share of the marks of the one above it: what stands for few positions matters less. */
const shareOfNext = 2 / 3;
/** An estimate is wrong by more than this many standard deviations about once in 10,000 times. */
const deviations = 4;
/** The number of comparisons between two points at which other work may run. */
const comparisonsPerStep = 64;

/**
 * Finds what encloses the position of a rank among any number of positions, which come in any order, in little memory.
 *
 * It is the sketch of quantiles by Karnin, Lang and Liberty (2016). Of the positions it keeps some, the marks. When they
 * take too much memory, every second mark of a level goes, by chance the odd ones or the even ones, and those that stay
 * count twice. With 10,000 marks, the positions that enclose the one in the middle of a million are about 2000 apart.
 */
export class PositionRanks {
  private levels: Level[] = [[]];
  private bytes = 0;
  private added: Mark[] = [];
  private addedBytes = 0;
  private variance = 0;
  private readonly rank: number;
  private upTo: Position | undefined;
  private readonly maxAddedBytes: number;
  private readonly maxMarkBytes: number;

  constructor(
    private readonly order: SortOrder,
    { rank, upTo, maxBytes }: RankOptions,
  ) {
    this.rank = rank;
    this.upTo = upTo;
    this.maxAddedBytes = Math.min(maxAddedBytes, addedShare * maxBytes);
    this.maxMarkBytes = maxBytes - this.maxAddedBytes;
  }

  /** Whether `absorb` must be called before the next position is added. */
  get isDue(): boolean {
    return this.added.length >= maxAdded || this.addedBytes >= this.maxAddedBytes;
  }

  /** Adds a position. No two are equal. */
  add(position: Position): void {
    if (this.upTo !== undefined && this.order.compare(position, this.upTo) > 0) return;
    const bytes = memoryOf(position);
    this.added.push({ position: detached(position), bytes });
    this.addedBytes += bytes;
  }

  /** Makes marks of the positions that were added. */
  *absorb(): Steps<void> {
    const added = this.added.sort((a, b) => this.order.compare(a.position, b.position));
    this.bytes += this.addedBytes;
    this.added = [];
    this.addedBytes = 0;
    yield;
    this.levels[0] = yield* this.merged(this.levels[0] as Level, added);
    const { length } = this.levels;
    while (this.bytes > this.maxMarkBytes && this.count > fewestMarks) yield* this.thin();
    if (this.levels.length > length) yield* this.forgetBehind();
  }

  /**
   * Gives what encloses the position that has `rank` positions before it, which are not more than the wanted ones. If
   * marks are so few that this says nearly nothing, `after` is the mark that is nearest to it.
   */
  *enclosing(rank: number): Steps<Enclosing> {
    yield* this.absorb();
    const marks = yield* this.ranked();
    const total = marks.at(-1)?.upTo ?? 0;
    const isCoarse = 4 * this.margin > total;
    const margin = isCoarse ? 0 : this.margin;
    const last = marks.findLast(({ upTo }) => upTo + margin <= rank) ?? (isCoarse ? marks[0] : undefined);
    const next = marks.find(({ upTo }) => upTo - margin > rank);
    const passed = last === undefined ? 0 : Math.max(0, Math.floor(last.upTo - this.margin));
    return { after: last?.position, passed, upTo: next?.position };
  }

  /** How much an estimated number of positions may be wrong. */
  private get margin(): number {
    return deviations * Math.sqrt(this.variance);
  }

  private get count(): number {
    return this.levels.reduce((sum, { length }) => sum + length, 0);
  }

  /** Removes every second mark of the lowest level that has more than its share. */
  private *thin(): Steps<void> {
    let share = this.count * (1 - shareOfNext);
    let index = this.levels.length - 1;
    let lowest = index;
    for (; index >= 0; index--) {
      const { length } = this.levels[index] as Level;
      if (length >= share) lowest = index;
      share *= shareOfNext;
    }
    const level = this.levels[lowest] as Level;
    // A single mark counts twice or goes, by chance.
    const rest = level.length === 1 ? 0 : level.length % 2;
    const chosen = Math.random() < 0.5 ? 0 : 1;
    const kept: Mark[] = [];
    for (const [n, mark] of level.slice(rest).entries()) {
      if (n % 2 === chosen) kept.push(mark);
      else this.bytes -= mark.bytes;
    }
    this.variance += 4 ** lowest;
    this.levels[lowest] = level.slice(0, rest);
    this.levels[lowest + 1] = yield* this.merged(this.levels[lowest + 1] ?? [], kept);
  }

  /** Removes the marks after the first one that is not before the wanted position, in all likelihood. */
  private *forgetBehind(): Steps<void> {
    const marks = yield* this.ranked();
    const upTo = marks.find((mark) => mark.upTo - this.margin > this.rank)?.position;
    if (upTo === undefined) return;
    this.upTo = upTo;
    this.levels = this.levels.map((level) =>
      level.filter(({ position }) => this.order.compare(position, upTo) <= 0),
    );
    this.bytes = this.levels.flat().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** All marks in the order, with the estimated number of positions up to each. */
  private *ranked(): Steps<readonly { readonly position: Position; readonly upTo: number }[]> {
    const weights = new Map<Mark, number>();
    let all: Level = [];
    for (const [index, level] of this.levels.entries()) {
      yield;
      for (const mark of level) weights.set(mark, 2 ** index);
      all = yield* this.merged(all, level);
    }
    yield;
    let upTo = 0;
    return all.map((mark) => {
      upTo += weights.get(mark) as number;
      return { position: mark.position, upTo };
    });
  }

  private *merged(a: Level, b: Level): Steps<Level> {
    const all: Mark[] = [];
    let fromB = 0;
    for (const mark of a) {
      for (; fromB < b.length; fromB++) {
        if (all.length % comparisonsPerStep === 0) yield;
        const other = b[fromB] as Mark;
        if (this.order.compare(mark.position, other.position) < 0) break;
        all.push(other);
      }
      all.push(mark);
    }
    return all.concat(b.slice(fromB));
  }
}
