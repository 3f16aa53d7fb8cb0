import type { Decide, ItemStore, ScanRange } from '../../engines/item-store.js';
import { compareUtf8 } from '../../lib/text/utf8-order.js';
import type { Ledgers } from '../../quotas/ledgers.js';
import { noLedgers } from '../../quotas/ledgers.js';
import { createAttempts, type Known, Retry } from './attempts.js';
import { firstItemKey } from './entries.js';
import { createPreparedRows, type PreparedRows } from './entry-changes.js';

/** The rows of the items of a base: scans give nothing else, and every change of an item changes its entries too. */
export interface IndexedStore extends ItemStore {
  /**
   * As in the contract of the item store. `changed` has keys that the change may have besides `keys`: it saves a second
   * attempt if the base has indexes.
   */
  transact<T>(
    space: string,
    keys: readonly string[],
    decide: Decide<T>,
    changed?: Iterable<string>,
  ): Promise<T>;
  /** Deletes the rows of those of these items that have expired. */
  removeExpired(space: string, keys: readonly string[]): Promise<void>;
  /** Whether the base had indexes when it was last written by this server. */
  hasIndexes(space: string): boolean;
}

/**
 * The entries of this many bytes of items are computed within a transaction, where they take a few milliseconds. The
 * number doubles with each attempt, because others may change the items again and again.
 */
const quickBytes = 1024 * 1024;

const none: readonly string[] = [];

export interface QuotaOptions {
  readonly ledgers?: Ledgers;
  /** From its end on, the base is counted. */
  readonly setCounted?: (space: string) => Promise<void>;
}

/**
 * An item store over the same rows in which items are kept in step with the indexes of their base. Each transaction
 * reads the header of its space. If there is none, nothing else happens. If there are indexes, the transaction also
 * reads the items that it replaces, because their entries must go, and the guards of unique indexes.
 *
 * A transaction throws `NotUnique` if a unique index does not allow it. An item that has expired does not count: it is
 * removed first. `isExpired` says it of the row of an item.
 */
export function createIndexedStore(
  items: ItemStore,
  isExpired: (row: Buffer) => boolean,
  { ledgers = noLedgers, setCounted = async () => {} }: QuotaOptions = {},
): IndexedStore {
  const { attempt, hasIndexes, counterKey } = createAttempts(items, isExpired, ledgers);

  /** Not asynchronous itself: almost every transaction needs one attempt, and no more promises than that. */
  function transact<T>(
    space: string,
    keys: readonly string[],
    decide: Decide<T>,
    changed: Iterable<string> = [],
  ): Promise<T> {
    let extra = none;
    if (hasIndexes(space)) {
      const known = new Set(keys);
      extra = [...changed, counterKey].filter((key) => !known.has(key));
    }
    const first = attempt(space, keys, decide, { extra, prepared: undefined, maxBytes: quickBytes });
    return first.then((outcome) => {
      if (!(outcome instanceof Retry)) return outcome;
      return attemptAgain((known) => attempt(space, keys, decide, known), outcome.reason, {
        extra,
        setCounted: () => setCounted(space),
        removeExpired: (expired) => removeExpired(space, expired),
      });
    });
  }

  /** Deletes the rows of items that have expired, unless they were put again in the meantime. */
  function removeExpired(space: string, keys: readonly string[]): Promise<void> {
    return transact(space, keys, (rows) => ({
      deletes: keys.filter((_, index) => rows[index] !== undefined && isExpired(rows[index])),
      result: undefined,
    }));
  }

  return {
    ...items,
    transact,
    removeExpired,
    hasIndexes,
    scan: (space, range) => items.scan(space, itemRange(range)),
    scanText: (space, range) => items.scanText(space, itemRange(range)),
  };
}

/** Tries until nothing is missing. Before each attempt, what the one before it lacked is read, computed or removed. */
async function attemptAgain<T>(
  attempt: (known: Known) => Promise<T | Retry>,
  firstReason: Retry['reason'],
  mend: {
    readonly extra: readonly string[];
    readonly setCounted: () => Promise<void>;
    readonly removeExpired: (keys: readonly string[]) => Promise<void>;
  },
): Promise<T> {
  let { extra } = mend;
  let reason = firstReason;
  let prepared: PreparedRows | undefined;
  for (let maxBytes = 2 * quickBytes; ; maxBytes *= 2) {
    if ('unread' in reason) extra = [...extra, ...reason.unread];
    else if ('isUncounted' in reason) await mend.setCounted();
    else if ('expired' in reason) await mend.removeExpired(reason.expired);
    else {
      prepared ??= createPreparedRows();
      await prepared.add(reason.unprepared, reason.rowsOf);
    }
    const outcome = await attempt({ extra, prepared, maxBytes });
    if (!(outcome instanceof Retry)) return outcome;
    reason = outcome.reason;
  }
}

/** The part of a range that has items. */
export function itemRange(range: ScanRange = {}): ScanRange {
  const { gte } = range;
  return gte !== undefined && compareUtf8(gte, firstItemKey) > 0 ? range : { ...range, gte: firstItemKey };
}
