import type { KeyBounds, Snapshot } from '../../../engines/item-store.js';
import { type Schedule, scheduled } from '../../../lib/concurrency/scheduled.js';

/** Decides whether to read items by their entries, or all items of a base. */
export interface Gauge {
  /** Whether reading the items of this many entries costs less than reading all items. Takes turns to count these. */
  mayRead(entries: number): boolean | Promise<boolean>;
  /** The same for a caller that already has a turn: where there is only one, it would wait for another for ever. */
  mayReadInTurn(entries: number): boolean | Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Reading an item by its entry takes about as long as reading four in a scan. Measured on LevelDB with 300,000 items
 * of 270 bytes: 4.9 µs and 1.0 to 1.3 µs.
 */
const itemsPerEntry = 4;
/** Reading this many items takes a few milliseconds at most. To count all items would cost more than it saves. */
const fewEntries = 1000;

/**
 * Each item has one entry in most indexes, so the number of entries is that of the items. They are counted only as far as
 * the decision needs, which takes a tenth of the time of reading an item by its entry. `all` has as many rows as there are
 * items.
 */
export function createGauge(snapshot: Snapshot, all: KeyBounds, { turn, check }: Pace): Gauge {
  let counts: AsyncIterator<number> | undefined;
  let counted = 0;
  let isWhole = false;

  async function hasItems(items: number, schedule: Schedule): Promise<boolean> {
    counts ??= snapshot.counts(all)[Symbol.asyncIterator]();
    const iterator = counts;
    while (counted < items && !isWhole) {
      const next = await schedule(() => iterator.next());
      if (next.done === true) isWhole = true;
      else counted += next.value;
      check();
    }
    return counted >= items;
  }

  return {
    mayRead: (entries) => entries <= fewEntries || hasItems(itemsPerEntry * entries, turn),
    mayReadInTurn: (entries) => entries <= fewEntries || hasItems(itemsPerEntry * entries, (work) => work()),
    async close() {
      await counts?.return?.();
    },
  };
}

/** How long counting lets others work, too. */
export interface Pace {
  readonly turn: Schedule;
  /** Throws if nobody waits for the result any more. */
  check(): void;
}

/** The number of rows in a range. */
export async function countRows(counts: AsyncIterable<number>, pace: Pace): Promise<number> {
  let total = 0;
  for await (const count of paced(counts, pace)) total += count;
  return total;
}

async function* paced(counts: AsyncIterable<number>, { turn, check }: Pace): AsyncGenerator<number> {
  for await (const count of scheduled(counts, turn)) {
    yield count;
    check();
  }
}
