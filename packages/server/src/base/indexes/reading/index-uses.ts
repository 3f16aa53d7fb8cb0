import { type Clock, nowSeconds } from '../../../lib/clock.js';
import type { QueryNeeds, QueryPlan } from './plan.js';

/** How often an index was read since this server has started. */
interface IndexUse {
  readonly uses: number;
  /** When it was read last, in whole seconds since 1970 UTC. */
  readonly lastSeconds: number;
}

/** How often queries have read each index. It is in memory: another server counts its own (docs/http.md#list-indexes). */
export interface IndexUses {
  /** Counts a query that was answered by these indexes. Without a condition and an order, any index would do. */
  note(
    space: string,
    plan: Pick<QueryPlan, 'regions'>,
    needs: Pick<QueryNeeds, 'conditions' | 'order'>,
  ): void;
  /** Undefined if the index was not read, or so long ago that it was forgotten. */
  of(space: string, id: string): IndexUse | undefined;
}

/** More bases with indexes than these are counted anew, the one that was first read longest ago. */
const maxSpaces = 10_000;

export function createIndexUses(clock: Clock): IndexUses {
  const bySpace = new Map<string, Map<string, { uses: number; lastSeconds: number }>>();

  function usesOf(space: string) {
    const known = bySpace.get(space);
    if (known !== undefined) return known;
    const [oldest] = bySpace.size < maxSpaces ? [] : bySpace.keys();
    if (oldest !== undefined) bySpace.delete(oldest);
    const made = new Map<string, { uses: number; lastSeconds: number }>();
    bySpace.set(space, made);
    return made;
  }

  return {
    note(space, { regions }, { conditions, order }) {
      if (conditions === 0 && order === undefined) return;
      const uses = usesOf(space);
      const lastSeconds = nowSeconds(clock);
      let before: string | undefined;
      for (const { index } of regions) {
        // The regions of one index follow each other.
        if (index.id === before) continue;
        before = index.id;
        const use = uses.get(index.id);
        if (use === undefined) uses.set(index.id, { uses: 1, lastSeconds });
        else {
          use.uses++;
          use.lastSeconds = lastSeconds;
        }
      }
    },
    of: (space, id) => bySpace.get(space)?.get(id),
  };
}
