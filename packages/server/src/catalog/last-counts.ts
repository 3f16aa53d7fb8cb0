import { type Change, maxRowKeyBytes } from '../engines/item-store.js';
import { nowSeconds } from '../lib/clock.js';
import { createSemaphore } from '../lib/concurrency/semaphore.js';
import { countsSpace } from '../spaces.js';
import type { CatalogRows, Collection } from './collections.js';
import { type Count, countRows, type Size } from './count.js';

/** A count and its moment. Stored as JSON: never rename a member. */
interface CountRow extends Count {
  readonly atSeconds: number;
  /** How long it took. */
  readonly ms: number;
}

/** What was counted last of bases that have no counter, and take long to count. */
export interface LastCounts {
  /** The last count; it is renewed in the background if it is old. Undefined if there is none. */
  of(space: string, collection: Collection): Promise<Size | undefined>;
  /** Begins to count a base in the background. Does not wait for it. */
  renew(space: string, collection: Collection): void;
  /** Ends the counting. */
  stop(): Promise<void>;
}

export interface LastCountsOptions extends CatalogRows {
  /** Begins a count: gives what rests after each batch, so that it takes its share of the time only. */
  readonly beginRests: () => () => Promise<void>;
  readonly onError: (cause: unknown) => void;
}

/** A count is old after this time, and after this many times the time that it took. */
const oldAfterSeconds = 60;
const timesItsMs = 20;
/** A base that can be counted in this time is counted when somebody asks. */
const quickMs = 300;
/** The number of bases that may wait to be counted. Others are counted when they are asked for again. */
const maxWaiting = 1000;

/**
 * A put does not know whether it replaces something, and to read that first would cost it. So a base without a counter is
 * counted in the background, when somebody asks for its size: one at a time, at rest most of the time.
 */
export function createLastCounts({ items, clock, beginRests, onError }: LastCountsOptions): LastCounts {
  const counting = new Map<string, Promise<void>>();
  const oneAtATime = createSemaphore(() => 1);
  let isStopped = false;

  async function count(space: string, { prefix, rangeOf, bytesOf }: Collection): Promise<void> {
    if (isStopped) return;
    const beganMs = performance.now();
    const rest = beginRests();
    let restedMs = 0;
    async function* rested() {
      for await (const batch of items.scanText(space, rangeOf({ prefix }))) {
        yield batch;
        const fromMs = performance.now();
        await rest();
        restedMs += performance.now() - fromMs;
      }
    }
    const atSeconds = nowSeconds(clock);
    const counted = await countRows(
      rested(),
      (row) => bytesOf(row, nowSeconds(clock)),
      () => !isStopped,
    );
    if (counted.last !== undefined) return;
    const { rows, bytes } = counted;
    const ms = Math.round(performance.now() - beganMs);
    const row: CountRow = { rows, bytes, atSeconds, ms };
    const change = (): Change<undefined> =>
      ms - restedMs < quickMs
        ? { deletes: [space], result: undefined }
        : { puts: [{ key: space, value: Buffer.from(JSON.stringify(row)) }], result: undefined };
    await items.transact(countsSpace, [], change);
  }

  function renew(space: string, collection: Collection): void {
    if (isStopped || counting.has(space) || counting.size === maxWaiting) return;
    if (Buffer.byteLength(space) > maxRowKeyBytes) return;
    const begun = oneAtATime(() => count(space, collection))
      .catch(onError)
      .finally(() => counting.delete(space));
    counting.set(space, begun);
  }

  return {
    renew,
    async of(space, collection) {
      const row = await items.get(countsSpace, space);
      if (row === undefined) return undefined;
      const { rows, bytes, atSeconds, ms } = JSON.parse(row.toString()) as CountRow;
      const age = nowSeconds(clock) - atSeconds;
      if (age > Math.max(oldAfterSeconds, (timesItsMs * ms) / 1000) || age < 0) renew(space, collection);
      return { rows, bytes, exact: false, asOfSeconds: atSeconds };
    },
    async stop() {
      isStopped = true;
      await Promise.allSettled(counting.values());
    },
  };
}
