import { readLogValue } from '../engines/change-log.js';
import type { ItemStore } from '../engines/item-store.js';
import { scanBatches } from '../engines/scan-batches.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { repeat } from '../lib/concurrency/repeat.js';
import type { Log } from '../lib/log.js';
import { changesSpace, changesSpaceOf } from '../spaces.js';

/**
 * The key of a row whose value is the key of the first row that is kept. It comes after all other rows of a log, whose keys
 * are digits.
 */
export const keptKey = 'kept';
const everyMs = 60_000;
const rowsAtOnce = 500;
/** The most bytes of a project's log. If it has more, its oldest changes are dropped before their time. */
const usualLogBytes = 256 * 1024 * 1024;

export interface RetentionDependencies {
  readonly items: ItemStore;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
  /** How long changes are kept; 0 drops all. */
  readonly keepMs: number;
  readonly mayWork: () => boolean;
  readonly maxLogBytes?: number;
}

/** The key of the first row of a project's log that was not dropped; empty if none was. */
export async function keptFrom(items: Pick<ItemStore, 'get'>, project: string): Promise<string> {
  return (await items.get(changesSpaceOf(project), keptKey))?.toString() ?? '';
}

/** What is known of the size of a log. */
interface LogSize {
  /** The rows before this key were counted. */
  next: string;
  bytes: number;
  /** The value of `keptKey` then. If it has changed, another server has dropped rows in the meantime. */
  kept: string;
}

/** Drops changes that are older than they are kept, every minute (docs/http.md#retention). */
export function createRetention(dependencies: RetentionDependencies) {
  const { log } = dependencies;
  const sizes = new Map<string, LogSize>();
  const dropOld = createDropOld(dependencies, sizes);
  const work = () =>
    dropOld().catch((cause) => log.error({ err: cause }, 'old changes could not be dropped'));
  let end: (() => Promise<void>) | undefined;
  return {
    start(): void {
      end ??= repeat(work, () => everyMs);
    },
    /** The bytes of the logs of all projects, as they were counted last by a server that does maintenance. */
    logBytes: () => Array.from(sizes.values(), ({ bytes }) => bytes).reduce((sum, bytes) => sum + bytes, 0),
    /** Resolves when the step in progress has ended. */
    stop: async () => end?.(),
  };
}

/** Makes the function that drops what is too old now. */
export function createDropOld(
  { items, clock, keepMs, mayWork, maxLogBytes = usualLogBytes }: RetentionDependencies,
  sizes = new Map<string, LogSize>(),
): () => Promise<void> {
  /** Counts what has come since the last time. The whole log is read the first time, and when another server has dropped rows. */
  async function countNew(space: string): Promise<LogSize> {
    const kept = (await items.get(space, keptKey))?.toString() ?? '';
    const known = sizes.get(space);
    const size = known?.kept === kept ? known : { next: '', bytes: 0, kept };
    sizes.set(space, size);
    for await (const batch of scanBatches(items, space, { gte: size.next, lt: keptKey })) {
      for (const { value } of batch) size.bytes += value.length;
      const last = batch.at(-1);
      if (last !== undefined) size.next = nextKey(last.key);
    }
    return size;
  }

  /** Drops a step's rows. Gives whether there may be more. */
  async function dropSome(space: string, size: LogSize, beforeSeconds: number): Promise<boolean> {
    const dropped: string[] = [];
    let bytes = 0;
    for await (const batch of items.scan(space, { lt: keptKey, limit: rowsAtOnce })) {
      const kept = batch.findIndex(({ value }) => {
        const isKept = size.bytes - bytes <= maxLogBytes && readLogValue(value).atSeconds >= beforeSeconds;
        if (!isKept) bytes += value.length;
        return isKept;
      });
      const some = kept === -1 ? batch : batch.slice(0, kept);
      dropped.push(...some.map(({ key }) => key));
      if (kept !== -1) break;
    }
    const last = dropped.at(-1);
    if (last === undefined) return false;
    const kept = nextKey(last);
    const puts = [{ key: keptKey, value: Buffer.from(kept) }];
    await items.transact(space, [], () => ({ puts, deletes: dropped, makesRoom: true, result: undefined }));
    size.bytes -= bytes;
    size.kept = kept;
    return dropped.length === rowsAtOnce;
  }

  return async () => {
    for await (const space of items.spaces(`${changesSpace}/`)) {
      if (!mayWork()) return;
      const size = await countNew(space);
      const beforeSeconds = keepMs === 0 ? Number.POSITIVE_INFINITY : nowSeconds(clock) - keepMs / 1000;
      while (mayWork() && (await dropSome(space, size, beforeSeconds)));
    }
  };
}

/** The key after that of a row of a log. */
export function nextKey(key: string): string {
  return String(BigInt(key) + 1n).padStart(key.length, '0');
}
