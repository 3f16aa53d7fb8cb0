import type { TextRow } from '../../../engines/item-store.js';
import { runInSlices, type Steps } from '../../../lib/concurrency/time-slices.js';
import type { RowSource } from '../../indexes/reading/row-source.js';
import { rowsPerStep } from '../../query/evaluate.js';
import { type Candidate, FirstCandidates } from '../../query/first-candidates.js';
import type { OrderedQuery } from '../../query/query-body.js';
import type { Position, SortOrder } from '../../query/sort-order.js';
import { matchesOf, type Reading } from '../matches-of.js';
import { PositionRanks } from './position-ranks.js';

/** What is known of where the page begins. */
export interface Begin {
  /** The page begins after this position; undefined if it may begin anywhere. */
  readonly after: Position | undefined;
  /** How many matches are up to `after`, about. */
  readonly passed: number;
  /** Where it probably begins, closer to the page. It must be tried. */
  readonly guess?: { readonly after: Position; readonly passed: number } | undefined;
  /** The page probably does not begin after this position. */
  readonly upTo?: Position | undefined;
}

/** What a pass over the matches of an ordered query looks for. */
export interface PassOptions {
  readonly query: OrderedQuery;
  readonly begin: Begin;
  readonly limit: number;
  readonly maxBytes: number;
}

/** What a pass has found. `matches` is the number of all matches. */
type Pass = { readonly matches: number } & (
  | {
      /** The first matches after the beginning. */
      readonly candidates: readonly Candidate[];
      /** How many of them the offset skips, if there are enough. */
      readonly skip: number;
      /** Whether others follow the candidates. */
      readonly hasMore: boolean;
    }
  /** More was skipped than memory holds, or the guess was wrong. */
  | { readonly next: Begin }
);

/**
 * The bytes of positions include all objects, those of items only the texts: 1 MiB of small items takes some four times
 * as much memory.
 */
const memoryOfItems = 4;

/** Reads all matches once. */
export async function readPass(options: PassOptions, source: RowSource, reading: Reading): Promise<Pass> {
  const pass = new SortingPass(options);
  for await (const found of matchesOf(source.rows(), options.query, reading)) {
    if (await runInSlices(pass.take(found))) break;
  }
  return await runInSlices(pass.result());
}

class SortingPass {
  private readonly first: FirstCandidates;
  private ranks: PositionRanks | undefined;
  private matches = 0;
  /** How many matches are up to where the page begins at the earliest. */
  private passed = 0;
  private readonly after: Position | undefined;
  private readonly maxSkip: number;

  constructor(private readonly options: PassOptions) {
    const { query, begin, limit, maxBytes } = options;
    const { after, passed } = begin.guess ?? { after: begin.after, passed: begin.passed };
    this.after = after;
    this.maxSkip = Math.max(0, query.offset - passed);
    this.first = new FirstCandidates(query.order, {
      limit: this.maxSkip + limit,
      maxBytes,
      needed: this.maxSkip,
    });
  }

  /** Takes a batch of matches. Gives true if the guess of where the page begins has turned out wrong. */
  *take(found: readonly TextRow[]): Steps<boolean> {
    const { order } = this.options.query;
    for (const [n, { key, text }] of found.entries()) {
      if (n % rowsPerStep === rowsPerStep - 1) yield;
      this.matches++;
      const position = { key, values: order.valuesOf(text) };
      if (this.after !== undefined && order.compare(position, this.after) <= 0) {
        this.passed++;
        if (this.isGuessWrong) return true;
      } else if (this.ranks !== undefined) {
        this.ranks.add(position);
        if (this.ranks.isDue) yield* this.ranks.absorb();
      } else {
        this.first.offer(position, text);
        if (this.first.hasTooMany) this.ranks = yield* this.ranksOfFirst();
      }
    }
    return false;
  }

  /** From now on, positions are kept without their items. So far all are there up to the first that was dropped. */
  private *ranksOfFirst(): Steps<PositionRanks> {
    const { query, begin, maxBytes } = this.options;
    const ranks = new PositionRanks(query.order, {
      rank: this.maxSkip,
      upTo: firstOf(query.order, this.first.bound, begin.upTo),
      maxBytes: memoryOfItems * maxBytes,
    });
    const candidates = this.first.takeAll();
    for (let candidate = candidates.pop(); candidate !== undefined; candidate = candidates.pop()) {
      ranks.add(candidate);
      if (ranks.isDue) yield* ranks.absorb();
    }
    return ranks;
  }

  *result(): Steps<Pass> {
    const { matches, passed, after } = this;
    const { query, begin } = this.options;
    if (this.isGuessWrong) {
      return { matches, next: { after: begin.after, passed: begin.passed, upTo: after } };
    }
    // More than before if some that were passed have expired in the meantime.
    const skip = Math.max(0, query.offset - passed);
    if (this.ranks === undefined) {
      const { hasMore } = this.first;
      return { matches, skip, hasMore, candidates: yield* this.first.inOrder() };
    }
    const found = yield* this.ranks.enclosing(skip);
    const guess = found.after && { after: found.after, passed: passed + found.passed };
    return { matches, next: { after, passed, guess, upTo: found.upTo } };
  }

  private get isGuessWrong(): boolean {
    const { begin, query } = this.options;
    return begin.guess !== undefined && this.passed > query.offset;
  }
}

function firstOf(order: SortOrder, a: Position | undefined, b: Position | undefined): Position | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return order.compare(a, b) < 0 ? a : b;
}
