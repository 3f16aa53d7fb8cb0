import type { Snapshot } from '../../../engines/item-store.js';
import { runInSlices } from '../../../lib/concurrency/time-slices.js';
import { pageBytes } from '../../limits.js';
import { FirstCandidates } from '../../query/first-candidates.js';
import type { Position, SortOrder } from '../../query/sort-order.js';
import { keysIn, type ReadRows, type Rows } from './entry-reading.js';
import type { Region } from './plan.js';
import type { Walk } from './walk.js';

export interface WalkedRows {
  readonly snapshot: Snapshot;
  readonly order: SortOrder;
  /** As in the walk. */
  readonly after: Position | undefined;
  readonly readRows: ReadRows;
}

/**
 * The items of a walk, in batches, on demand. Those whose order is not in the index are sorted, as many at a time as a
 * page holds.
 */
export async function* walkedRows(steps: Walk, { snapshot, order, after, readRows }: WalkedRows): Rows {
  for (let step = steps.next(nothing); step.done !== true; ) {
    const { value } = step;
    if ('toRead' in value) {
      step = steps.next(await keysIn(snapshot, value.toRead));
      continue;
    }
    if ('entries' in value) yield* readRows(value.entries);
    else yield* cutGroup(value.cut);
    step = steps.next(nothing);
  }

  /** Reads the whole group again for each page of it. */
  async function* cutGroup(within: Region): Rows {
    for (let last = after; ; ) {
      const first = new FirstCandidates(order, { limit: Number.POSITIVE_INFINITY, maxBytes: pageBytes });
      for await (const entries of snapshot.keys(within)) {
        for await (const rows of readRows(entries)) {
          for (const { key, text } of rows) {
            const position = { key, values: order.valuesOf(text) };
            if (last === undefined || order.compare(position, last) > 0) first.offer(position, text);
          }
        }
      }
      const { hasMore } = first;
      const candidates = await runInSlices(first.inOrder());
      yield candidates;
      if (!hasMore) return;
      last = candidates.at(-1);
    }
  }
}

const nothing: readonly string[] = [];
