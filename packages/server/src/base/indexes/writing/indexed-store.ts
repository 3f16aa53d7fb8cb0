import type { Decide, ItemStore } from '../../../engines/item-store.js';
import { createSharedSemaphores, type Semaphore } from '../../../lib/concurrency/semaphore.js';
import type { Ledgers } from '../../../quotas/ledgers.js';
import { noLedgers } from '../../../quotas/ledgers.js';
import { projectOfSpace } from '../../../spaces.js';
import { itemRange } from '../entries/entries.js';
import { type AttemptOptions, createAttempts, Retry } from './attempts.js';
import { createPreparedRows } from './entry-changes.js';
import { type Bounds, inParts, ofPart, ofWhole } from './transaction-bounds.js';

/** Bounds that are absent are those of `ofWhole`. */
export interface ItemTransactOptions extends Partial<Bounds> {
  /** Keys that the change may have besides those that it reads: they save a second attempt if the base has indexes. */
  readonly changed?: Iterable<string>;
}

/** The rows of the items of a base: scans give nothing else, and every change of an item changes its entries too. */
export interface IndexedStore extends ItemStore {
  /**
   * As in the contract of the item store. Throws `EntriesTooLarge` and `TooMuchRead`: see `Bounds`.
   */
  transact<T>(
    space: string,
    keys: readonly string[],
    decide: Decide<T>,
    options?: ItemTransactOptions,
  ): Promise<T>;
  /** Deletes the rows of those of these items that have expired. */
  removeExpired(space: string, keys: readonly string[]): Promise<void>;
  /** Whether the base had indexes when it was last written by this server. */
  hasIndexes(space: string): boolean;
}

/**
 * The entries of this many bytes of items are computed within a transaction, where most take a few milliseconds. The
 * number doubles with each attempt for which they were prepared in vain, because others may change the items again and
 * again.
 */
const quickBytes = 1024 * 1024;
/** The maximum number of transactions at once, one of a project, that hold entries which were computed before. */
const preparedAtOnce = 2;

const none: readonly string[] = [];

export interface QuotaOptions {
  readonly ledgers?: Ledgers;
  /** From its end on, the base is counted. */
  readonly setCounted?: (space: string) => Promise<void>;
}

/**
 * An item store over the same rows in which items are kept in step with the indexes of their base. Each transaction
 * reads the header of its space. If there is none, nothing else happens. If there are indexes, the transaction also
 * reads the items that it replaces, because their entries must go, and the unique rows of unique indexes.
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
  const ofPrepared = createSharedSemaphores(preparedAtOnce, 1);

  /** Not asynchronous itself: almost every transaction needs one attempt, and no more promises than that. */
  function transact<T>(
    space: string,
    keys: readonly string[],
    decide: Decide<T>,
    { changed = none, maxEntryBytes, maxReadBytes }: ItemTransactOptions = ofWhole,
  ): Promise<T> {
    let extra = none;
    if (hasIndexes(space)) {
      const known = new Set(keys);
      extra = [...changed, counterKey].filter((key) => !known.has(key));
    }
    const bounds: Bounds = {
      maxEntryBytes: maxEntryBytes ?? ofWhole.maxEntryBytes,
      maxReadBytes: maxReadBytes ?? ofWhole.maxReadBytes,
    };
    const known: AttemptOptions = { extra, prepared: undefined, maxBytes: quickBytes, bounds };
    return attempt(space, keys, decide, known).then((outcome) => {
      if (!(outcome instanceof Retry)) return outcome;
      return attemptAgain(outcome.reason, known, {
        attempt: (next) => attempt(space, keys, decide, next),
        ofPrepared: ofPrepared(projectOfSpace(space)),
        setCounted: () => setCounted(space),
        removeExpired: (expired) => removeExpired(space, expired),
      });
    });
  }

  /** Deletes the rows of items that have expired, unless they were put again in the meantime. */
  async function removeExpired(space: string, all: readonly string[]): Promise<void> {
    await inParts(all, (keys) => {
      const isGone = (row: Buffer | undefined) => row !== undefined && isExpired(row);
      const decide: Decide<undefined> = (rows) => ({
        deletes: keys.filter((_, index) => isGone(rows[index])),
        result: undefined,
      });
      return transact(space, keys, decide, ofPart);
    });
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

interface Mend<T> {
  readonly attempt: (known: AttemptOptions) => Promise<T | Retry>;
  /** Admits those that hold prepared rows. */
  readonly ofPrepared: Semaphore;
  readonly setCounted: () => Promise<void>;
  readonly removeExpired: (keys: readonly string[]) => Promise<void>;
}

/** Tries until nothing is missing. Before each attempt, what the one before it lacked is read, computed or removed. */
async function attemptAgain<T>(
  firstReason: Retry['reason'],
  first: AttemptOptions,
  mend: Mend<T>,
): Promise<T> {
  let known = first;
  let reason = firstReason;
  for (;;) {
    if ('unread' in reason) known = withUnread(known, reason);
    else if (!('isUnprepared' in reason)) known = { ...known, maxBytes: 2 * known.maxBytes };
    if ('isUncounted' in reason) await mend.setCounted();
    else if ('expired' in reason) await mend.removeExpired(reason.expired);
    const now = known;
    const outcome =
      'isUnprepared' in reason
        ? await mend.ofPrepared(() => attemptPrepared(now, mend))
        : await mend.attempt(now);
    if (!(outcome instanceof Retry)) return outcome;
    reason = outcome.reason;
  }
}

/** Tries until no entries and no rows are missing, and computes or reads them before each attempt. */
async function attemptPrepared<T>(
  first: AttemptOptions,
  { attempt }: Pick<Mend<T>, 'attempt'>,
): Promise<T | Retry> {
  const prepared = createPreparedRows();
  for (let known: AttemptOptions = { ...first, prepared }; ; ) {
    const outcome = await attempt(known);
    if (!(outcome instanceof Retry)) return outcome;
    const { reason } = outcome;
    if ('unread' in reason) known = withUnread(known, reason);
    else if ('unprepared' in reason) {
      const isInVain = await prepared.add(reason.unprepared, reason.rowsOf, 2 * known.bounds.maxEntryBytes);
      if (isInVain) known = { ...known, maxBytes: 2 * known.maxBytes };
    } else return outcome;
  }
}

function withUnread(
  known: AttemptOptions,
  { unread }: { readonly unread: readonly string[] },
): AttemptOptions {
  return { ...known, extra: [...known.extra, ...unread] };
}
