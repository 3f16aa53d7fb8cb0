import { headerKey, type ItemStore, needsWait, type SynchronousRows } from '../../../engines/item-store.js';
import { type Clock, nowSeconds } from '../../../lib/clock.js';
import type { Position } from '../../query/sort-order.js';
import { type Declarations, readDeclarations } from '../declarations/declarations.js';
import { firstItemKey } from '../entries/entries.js';
import { keyReader } from './entry-reading.js';
import type { IndexUses } from './index-uses.js';
import { indexesOf, planQuery, type QueryNeeds, type QueryPlan } from './plan.js';
import { walk } from './walk.js';

/** An index that is read without waiting. Every member throws `needsWait` if an entry that it needs is not in memory. */
export interface SynchronousIndex {
  readonly name: string;
  /** Whether each of its items matches that has not expired. */
  readonly isDecided: boolean;
  /** The number of matches. Undefined if the index alone does not decide which items match, or if some have expired. */
  total(): number | undefined;
  /**
   * Calls `take` with the items in the order of the query, from about the position `after` on, until it gives true.
   * `expected` is how many of them are probably read. Absent if the index does not have this order.
   */
  readonly inOrder?:
    | ((after: Position | undefined, expected: number, take: (key: string, item: Buffer) => boolean) => void)
    | undefined;
}

/** Calls `read` with the index that serves a query. Gives undefined if there is none, or if it is not all in memory. */
export type UseIndexSync = <T>(
  space: string,
  needs: QueryNeeds,
  read: (index: SynchronousIndex) => T | undefined,
) => T | undefined;

const maxKnownHeaders = 1000;

/** Reads by indexes that are in memory. */
export function createUseIndexSync(items: ItemStore, clock: Clock, uses: IndexUses): UseIndexSync {
  const known = new Map<string, Declarations>();

  function declarationsOf(header: Buffer): Declarations {
    const text = header.toString();
    const read = known.get(text) ?? readDeclarations(text);
    if (known.size === maxKnownHeaders) known.clear();
    known.set(text, read);
    return read;
  }

  return (space, needs, read) => {
    const rows = items.rowsSync?.(space);
    if (rows === undefined) return undefined;
    try {
      const header = rows.get(headerKey);
      const [plan] = header === undefined ? [] : planQuery(needs, declarationsOf(header).indexes);
      if (plan === undefined) return undefined;
      const found = read(synchronousIndex(plan, rows, clock));
      if (found !== undefined) uses.note(space, plan, needs);
      return found;
    } catch (cause) {
      if (cause === needsWait) return undefined;
      throw cause;
    }
  };
}

function synchronousIndex(plan: QueryPlan, rows: SynchronousRows, clock: Clock): SynchronousIndex {
  const { regions, doubtful, isDecided, walk: walkPlan } = plan;
  const [only] = regions;
  return {
    name: indexesOf(plan),
    isDecided,
    total() {
      // The header and the counter are due while there is something to do for them, and match nothing.
      if (!isDecided || rows.isAnyDue(nowSeconds(clock), firstItemKey)) return undefined;
      if (doubtful.some((region) => rows.count(region) > 0)) return undefined;
      return regions.reduce((sum, { region }) => sum + rows.count(region), 0);
    },
    inOrder:
      walkPlan &&
      only &&
      ((after, expected, take) => {
        const keyOf = keyReader(only.index);
        const steps = walk({ plan: walkPlan, region: only.region, after, wanted: expected });
        for (let step = steps.next([]); step.done !== true; ) {
          const { value } = step;
          // The items must be sorted: that may take long.
          if ('cut' in value) throw needsWait;
          if ('entries' in value) {
            for (const entry of value.entries) {
              const key = keyOf(entry);
              const item = rows.get(key);
              if (item !== undefined && take(key, item)) return;
            }
          }
          step = steps.next('toRead' in value ? rows.keys(value.toRead) : []);
        }
      }),
  };
}
