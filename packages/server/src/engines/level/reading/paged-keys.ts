import { compareUtf8 } from '../../../lib/text/utf8-order.js';
import type { KeyPages, PageRange } from '../cache/key-pages.js';
import type { SyncedDatabase } from '../database/synced-database.js';
import { batchRows, type Frozen, readKeys } from './read.js';

export interface PagedKeysDependencies {
  readonly database: SyncedDatabase;
  readonly pages: KeyPages;
  /** Whether the pages have what is to be shown. */
  readonly arePagesOfMoment: () => boolean;
  /** What is to be shown, in LevelDB. */
  readonly moment: () => Frozen;
}

/**
 * Reads keys that are kept in pages, at one moment.
 *
 * What is in memory is taken from there, and what is missing is read from LevelDB and kept.
 */
export function createPagedKeys({ database, pages, arePagesOfMoment, moment }: PagedKeysDependencies) {
  /** The keys from the beginning of the range on, which is not in memory. The range becomes what is after them. */
  async function* readGap(cursor: { rest: PageRange | undefined }): AsyncGenerator<readonly string[]> {
    const range = cursor.rest as PageRange;
    const { start, gte, lt, reverse } = range;
    const load = arePagesOfMoment() ? pages.beginLoad(range) : undefined;
    const read = load?.range ?? range;
    const isOutside = (key: string) => compareUtf8(key, reverse ? gte : lt) < 0 === reverse;
    let last: readonly string[] | undefined;
    let isOver = false;
    try {
      const bounds = { gte: start + read.gte, lt: start + read.lt, reverse };
      const firstBatch = load === undefined ? batchRows : pages.loadedKeys;
      for await (const { ids, isDamaged } of readKeys(database, { ...bounds, firstBatch }, moment())) {
        if (last !== undefined) load?.add(last, false);
        const keys = ids.map((id) => id.slice(start.length));
        last = isDamaged ? undefined : keys;
        // Nobody knows which keys the damaged rows had.
        if (isDamaged) load?.end();
        const outside = keys.findIndex(isOutside);
        cursor.rest = undefined;
        yield outside === -1 ? keys : keys.slice(0, outside);
        if (outside !== -1) return;
      }
      isOver = true;
    } finally {
      if (last !== undefined || isOver) load?.add(last ?? [], isOver);
      load?.end();
    }
    const isMore = compareUtf8(reverse ? gte : read.lt, reverse ? read.gte : lt) < 0;
    cursor.rest = isMore ? restAfter(range, reverse ? read.gte : read.lt) : undefined;
  }

  return {
    /** The first keys of a range, without what is before them in LevelDB, in batches. */
    async *keys(
      range: PageRange,
      limit: number = Number.POSITIVE_INFINITY,
    ): AsyncGenerator<readonly string[]> {
      const cursor: { rest: PageRange | undefined } = { rest: range };
      for (let left = limit; left > 0 && cursor.rest !== undefined; ) {
        const wanted = Math.min(left, batchRows);
        const known = arePagesOfMoment() ? pages.keys(cursor.rest, wanted) : undefined;
        if (known !== undefined) {
          const { keys, isWhole } = known;
          if (isWhole && keys.length < wanted) cursor.rest = undefined;
          else cursor.rest = restAfter(cursor.rest, endAfter(keys.at(-1) as string, range));
          left -= keys.length;
          if (keys.length > 0) yield keys;
          continue;
        }
        for await (const keys of readGap(cursor)) {
          const given = keys.length > left ? keys.slice(0, left) : keys;
          left -= given.length;
          if (given.length > 0) yield given;
          if (left === 0) return;
        }
      }
    },

    /** How many keys parts of a range have. */
    async *counts(range: PageRange): AsyncGenerator<number> {
      const cursor: { rest: PageRange | undefined } = { rest: range };
      while (cursor.rest !== undefined) {
        if (arePagesOfMoment()) {
          const { count, missing } = pages.count(cursor.rest);
          if (count > 0) yield count;
          if (missing === undefined) return;
          cursor.rest = { ...cursor.rest, gte: missing };
        }
        for await (const { length } of readGap(cursor)) if (length > 0) yield length;
      }
    },
  };
}

/** What is left of a range after this bound. */
function restAfter(range: PageRange, bound: string): PageRange {
  return range.reverse ? { ...range, lt: bound } : { ...range, gte: bound };
}

function endAfter(key: string, { reverse }: PageRange): string {
  return reverse ? key : `${key}\0`;
}
