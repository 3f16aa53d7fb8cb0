import type { TextRow } from '../../../engines/item-store.js';
import { runInSlices, type Steps } from '../../../lib/concurrency/time-slices.js';
import { type Candidate, FirstCandidates } from '../../query/first-candidates.js';
import type { Query } from '../../query/query-body.js';
import type { Position, SortOrder } from '../../query/sort-order.js';
import { forEachMatch, type LongQuery } from '../matching.js';
import { PositionRanks } from './position-ranks.js';

/** What is known of where the page begins. */
export interface Begin {
  /** The page begins after this position; undefined if it may begin anywhere. */
  readonly behind: Position | undefined;
  /** How many matches are up to `behind`, about. */
  readonly passed: number;
  /** Where it probably begins, closer to the page. It must be tried. */
  readonly guess?: { readonly after: Position; readonly passed: number } | undefined;
  /** The page probably does not begin after this position. */
  readonly upTo?: Position | undefined;
}

/** What a pass over the matches of an ordered query looks for. */
export interface PassWanted {
  readonly order: SortOrder;
  readonly begin: Begin;
  /** The number of matches before the page. */
  readonly offset: number;
  readonly limit: number;
  readonly maxBytes: number;
}

/** What a pass has found. `matches` is the number of all matches. */
type Pass = { readonly matches: number } & (
  | {
      /** The first matches after the beginning. */
      readonly candidates: readonly Candidate[];
      /** How many of them the offset skips, if they are so many. */
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
export async function readPass(
  { order, begin, offset, limit, maxBytes }: PassWanted,
  query: Query,
  reader: LongQuery,
): Promise<Pass> {
  const { guess, upTo } = begin;
  const after = guess?.after ?? begin.behind;
  const maxSkip = Math.max(0, offset - (guess ?? begin).passed);
  const first = new FirstCandidates(order, { limit: maxSkip + limit, maxBytes, needed: maxSkip });
  let ranks: PositionRanks | undefined;
  let matches = 0;
  let passed = 0;
  await forEachMatch(reader.scan(query.range), query, reader, ({ key, text }: TextRow) => {
    matches++;
    const position = { key, values: order.valuesOf(text) };
    if (after !== undefined && order.compare(position, after) <= 0) {
      passed++;
      return guess !== undefined && passed > offset;
    }
    if (ranks !== undefined) {
      ranks.add(position);
      return ranks.isDue && absorb(ranks);
    }
    first.offer(position, text);
    if (!first.hasTooMany) return false;
    // So far all are there up to the first that was dropped.
    const bound = firstOf(order, first.bound, upTo);
    ranks = new PositionRanks(order, {
      rank: maxSkip,
      upTo: bound,
      maxBytes: memoryOfItems * maxBytes,
    });
    return move(first.takeAll(), ranks);
  });
  if (guess !== undefined && passed > offset) {
    return { matches, next: { behind: begin.behind, passed: begin.passed, upTo: guess.after } };
  }
  // More than before if some that were passed have expired in the meantime.
  const skip = Math.max(0, offset - passed);
  if (ranks === undefined) {
    const { hasMore } = first;
    return { matches, skip, hasMore, candidates: await runInSlices(first.inOrder()) };
  }
  const found = await runInSlices(ranks.enclosing(skip));
  return {
    matches,
    next: {
      behind: after,
      passed,
      guess: found.after && { after: found.after, passed: passed + found.passed },
      upTo: found.upTo,
    },
  };
}

function* absorb(ranks: PositionRanks): Steps<boolean> {
  yield* ranks.absorb();
  return false;
}

function* move(candidates: Candidate[], ranks: PositionRanks): Steps<boolean> {
  for (let candidate = candidates.pop(); candidate !== undefined; candidate = candidates.pop()) {
    ranks.add(candidate);
    if (ranks.isDue) yield* ranks.absorb();
  }
  return false;
}

function firstOf(order: SortOrder, a: Position | undefined, b: Position | undefined): Position | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return order.compare(a, b) < 0 ? a : b;
}
