import type { RowSource } from '../../indexes/reading/row-source.js';
import type { Candidate } from '../../query/first-candidates.js';
import type { Reading } from '../matches-of.js';
import { type PassOptions, readPass } from './sorting-pass.js';

// An offset beyond what memory holds, without an index that has the order: the first pass finds about where the page
// begins by a sketch of the positions (position-ranks.ts), the second one reads it. Measured on LevelDB with items of
// 220 bytes, as processor time, with the sketch and without it (each pass then skips what 1 MiB holds):
//
//   200,000 items, offset 100,000:    2 passes, 1.2 s    20 passes, 6.7 s
//   500,000 items, offset 250,000:    2 passes, 2.6 s    49 passes, 49.6 s
//   1,000,000 items, offset 500,000:  2 passes, 3.8 s
//
// A single request may ask for it, so the sketch stays.

export interface Found {
  readonly kept: readonly Candidate[];
  readonly hasMore: boolean;
  /** The number of all matches, if the query asks for it. */
  readonly total: number | undefined;
}

/**
 * Finds the first matches in the order, from `begin` on and after the offset: at most `limit`, at most `maxBytes`. It
 * reads all rows of the source and keeps the first matches. If the matches that the offset skips have more bytes, a
 * first pass finds about where the page begins, by positions without their items, and the second one reads it. Large
 * items take a third pass or more.
 */
export async function readSorted(
  { query, limit, maxBytes, begin: from }: PassOptions,
  source: RowSource,
  reading: Reading,
): Promise<Found> {
  const { offset } = query;
  let begin = from;
  let total: number | undefined;
  for (;;) {
    const pass = await readPass({ query, begin, limit, maxBytes }, source, reading);
    total ??= query.count ? pass.matches : undefined;
    // With an offset, all matches are counted: it is never combined with a position to continue after.
    if (offset > 0 && offset >= pass.matches) return { kept: [], hasMore: false, total };
    if ('next' in pass) {
      begin = pass.next;
      continue;
    }
    const { candidates, skip } = pass;
    const end = skip + limit;
    if (skip === 0 || !pass.hasMore || candidates.length >= end) {
      const hasMore = pass.hasMore || candidates.length > end;
      return { kept: candidates.slice(skip, end), hasMore, total };
    }
    const passed = Math.min(skip, candidates.length);
    begin = { after: candidates[passed - 1], passed: offset - skip + passed };
  }
}
