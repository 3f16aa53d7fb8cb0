import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFirstCount } from '../engines/first-count.js';
import { headerKey, type ItemStore, type ScanRange } from '../engines/item-store.js';
import { createValueBudget } from '../http/memory/budgets.js';
import type { BufferBudget } from '../http/memory/buffer-budget.js';
import type { RereadableBody } from '../http/requests/bodies/rereadable-body.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import type { Schedule } from '../lib/concurrency/scheduled.js';
import type { Log } from '../lib/log.js';
import { type Ledgers, noLedgers } from '../quotas/ledgers.js';
import { baseSpace } from '../spaces.js';
import { type Aggregates, createAggregates } from './aggregates/aggregates.js';
import { exportItems } from './bulk/export.js';
import { type ByQuery, createByQuery } from './by-query/by-query.js';
import { createIndexWork } from './indexes/building/background-work.js';
import { createCountedSetting } from './indexes/building/counted-setting.js';
import { createIndexOperations, type IndexOperations } from './indexes/index-operations.js';
import { createCoveredReading } from './indexes/reading/covered-reading.js';
import { createIndexUses } from './indexes/reading/index-uses.js';
import { createIndexedReading } from './indexes/reading/indexed-reading.js';
import { baseCounter, countedItems } from './indexes/writing/counted-items.js';
import { createIndexedStore } from './indexes/writing/indexed-store.js';
import { isRowExpired } from './items/expiry.js';
import type { Reading } from './pages/matches-of.js';
import type { Page } from './pages/page.js';
import { createPageScheduler } from './pages/page-scheduler.js';
import { readQuery } from './pages/read-query.js';
import type { Query } from './query/query-body.js';
import type { OnQuery } from './slow-queries/slow-queries.js';
import { createTransactionRunner } from './transactions/transaction-runner.js';
import { type BaseWrites, createWrites } from './writes.js';

/** What the operations on a base work with. */
export interface BaseServices {
  readonly bases: BaseService;
  /** The maximum number of items of Put Items: 25, unless the operator raises it (docs/http.md#put-items). */
  readonly maxItemsPerPut: number;
  /** Is told of each query that was answered; undefined where nobody wants to know. */
  readonly onQuery?: OnQuery | undefined;
}

/** The operations of the database API over any engine for rows. The routes have checked all keys and items. */
export interface BaseService extends BaseWrites {
  /** Gives the stored bytes of the item, or undefined if it does not exist or has expired (docs/http.md#get-item). */
  get(project: string, base: string, key: string): Buffer | undefined | Promise<Buffer | undefined>;
  /** Gives the items of a range of keys, one per line (docs/http.md#export-items). */
  exportItems(project: string, base: string, range: ScanRange): AsyncIterable<Buffer>;
  /** Reads one page (docs/http.md#pages). The cost of a long query is added to `cost`. */
  query(project: string, base: string, body: RereadableBody<Query>, request?: QueryRequest): Promise<Page>;
  /** The time from which `expires_in` counts, in whole seconds since 1970 UTC (docs/http.md#expires_in). */
  nowSeconds(): number;
  /** The operations on all items that match a query. */
  readonly byQuery: ByQuery;
  /** What is computed of all items that match a query. */
  readonly aggregates: Aggregates;
  /** The operations on the indexes of a base. */
  readonly indexes: IndexOperations;
  /** Whether the base is to be counted, whatever indexes it has (docs/http.md#statistics). */
  isCounted(project: string, base: string): Promise<boolean>;
  /** Sets whether it is: see `CountedSetting`. A quota of what a project stores needs it, too. */
  setCounted(project: string, base: string, counted: boolean): Promise<void>;
  /** Counts a base whose counter is missing though it is to be counted. Does not wait for it. */
  startCount(space: string): void;
  /**
   * Handles a due row: deletes the row of an expired item, unless the item was put again in the meantime, or begins the
   * work on the indexes of a base. Resolves to false if the row stays due for a while.
   */
  handleDue(space: string, key: string): Promise<boolean>;
  /** Ends the work on indexes. */
  stop(): Promise<void>;
}

/** How a server does background work. */
export interface BackgroundOptions {
  /** Whether it does any. */
  readonly mayWork: () => boolean;
  readonly log: Pick<Log, 'error'>;
  /** Called when work begins that is not urgent. Gives a function that the work awaits after each of its batches. */
  readonly beginRests?: () => () => Promise<void>;
}

const soleServer: BackgroundOptions = { mayWork: () => true, log: { error() {} } };

/** What a query needs to know of the request that it belongs to. */
export type QueryRequest = Pick<Reading, 'isAbandoned' | 'cost'>;

export interface BaseOptions {
  readonly background?: BackgroundOptions;
  /** Counts the values that stored items become. */
  readonly values?: BufferBudget;
  /** What the projects with a quota store. */
  readonly ledgers?: Ledgers;
}

export function createBaseService(allRows: ItemStore, clock: Clock, options: BaseOptions = {}): BaseService {
  const { background = soleServer, ledgers = noLedgers } = options;
  const { values = createValueBudget(Number.POSITIVE_INFINITY) } = options;
  const isExpired = (row: Buffer) => isRowExpired(row, nowSeconds(clock));
  const alive = (row: Buffer | undefined) => (row === undefined || isExpired(row) ? undefined : row);
  const { items, indexWork, countedSetting } = createIndexing(allRows, isExpired, { background, ledgers });
  const indexUses = createIndexUses(clock);
  const indexed = createIndexedReading(allRows, clock, indexUses);
  const pages = createPageScheduler();
  const transactions = createTransactionRunner({ items, alive, values });
  /** The space of a base, for a request that is not a query: the scheduler of pages is told of it. */
  const notedSpace = (project: string, base: string) => {
    pages.noteOtherRequest();
    return baseSpace(project, base);
  };

  return {
    get(project, base, key) {
      const row = items.get(notedSpace(project, base), key);
      return row instanceof Promise ? row.then(alive) : alive(row);
    },

    ...createWrites({ items, alive, notedSpace }, transactions),

    exportItems(project, base, range) {
      const space = baseSpace(project, base);
      const unfiltered: Schedule = (read) => pages.run(space, { conditions: 0 }, read);
      return exportItems({ items, space, range }, unfiltered, clock);
    },

    query(project, base, body, request = { isAbandoned: () => false, cost: { items: 0, bytes: 0 } }) {
      const { isAbandoned, cost } = request;
      const space = baseSpace(project, base);
      return readQuery({ space, items, indexed, clock, isAbandoned, cost }, pages, body);
    },

    nowSeconds: () => nowSeconds(clock),

    byQuery: createByQuery({ items, alive, clock, pages, transactions, indexed, values }),

    aggregates: createAggregates({
      items,
      clock,
      pages,
      indexed,
      covered: createCoveredReading(allRows, clock, indexUses),
      values,
    }),

    indexes: createIndexOperations(allRows, indexWork, indexUses),
    isCounted: (project, base) => countedSetting.get(baseSpace(project, base)),
    setCounted: (project, base, counted) => countedSetting.set(baseSpace(project, base), counted),
    startCount: indexWork.start,

    async handleDue(space, key) {
      if (key === headerKey || key === baseCounter) {
        indexWork.start(space);
        return false;
      }
      await items.removeExpired(space, [key]);
      return true;
    },

    stop: indexWork.stop,
  };
}

/** The rows as items, whose indexes and counters are kept in step, and the work on these in the background. */
function createIndexing(
  allRows: ItemStore,
  isExpired: (row: Buffer) => boolean,
  { background, ledgers }: Required<Pick<BaseOptions, 'background' | 'ledgers'>>,
) {
  const setCounted = (space: string) => countedSetting.set(space, true);
  const items = createIndexedStore(allRows, isExpired, { ledgers, setCounted });
  const firstCount = createFirstCount(allRows, [countedItems], {
    beginRests: () => nextTurn,
    onError: (cause) => background.log.error({ err: cause }, 'counting a base failed and will be repeated'),
    ...background,
  });
  const indexWork = createIndexWork({
    items: allRows,
    indexedStore: items,
    isExpired,
    firstCount,
    ...background,
  });
  const countedSetting = createCountedSetting(allRows, indexWork);
  return { items, indexWork, countedSetting };
}
